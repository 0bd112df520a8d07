"""Fields of protocol buffers."""

from cases import Case, f32, family, i32, i64, strings

LIST = b"\x0a\x03\x01\x02\x03"
OF_LIST = {"message_type": "tensorflow.Int64List", "field_names": ["value"]}


@family("protos", "DecodeProtoV2")
def decode_proto(op):
    for messages in ([LIST, b""], [[LIST], [LIST + LIST]], LIST):
        yield Case(op, strings(messages), output_types=["int64"], **OF_LIST)
    yield Case(op, strings([LIST]), output_types=["int64"], sanitize=True, kind="attr", **OF_LIST)
    text = strings([b"value: 5 value: -6"])
    yield Case(op, text, output_types=["int64"], message_format="text", kind="attr", **OF_LIST)
    yield Case(op, strings([LIST]), output_types=["float32"], kind="mismatch", **OF_LIST)
    yield Case(op, strings([LIST[:-1]]), output_types=["int64"], kind="bad data", **OF_LIST)
    unknown = {"message_type": "tensorflow.Int64List", "field_names": ["values"]}
    yield Case(op, strings([LIST]), output_types=["int64"], kind="bad attr", **unknown)


@family("protos", "EncodeProto")
def encode_proto(op):
    values = i64([[1, -2, 300], [4, 5, 6]])
    yield Case(op, i32([[3], [1]]), [values], **OF_LIST)
    yield Case(op, i32([[0], [2]]), [values], **OF_LIST)
    yield Case(op, i32([[4], [1]]), [values], kind="bad size", **OF_LIST)
    yield Case(op, i32([[1]]), [values], kind="bad shape", **OF_LIST)
    yield Case(op, i32([[1], [1]]), [f32([[1], [2]])], kind="mismatch", **OF_LIST)
    named = {"message_type": "tensorflow.TensorShapeProto.Dim", "field_names": ["name", "size"]}
    yield Case(op, i32([[1, 1]]), [strings([[b"n"]]), i64([[4]])], **named)

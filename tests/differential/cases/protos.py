# case: every type
from google.protobuf import descriptor_pb2
F = descriptor_pb2.FieldDescriptorProto
file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="pk", syntax="proto2")
inner = file.message_type.add(name="Inner")
inner.field.add(name="a", number=1, type=F.TYPE_INT32, label=F.LABEL_OPTIONAL)
file.enum_type.add(name="E").value.add(name="Z", number=0)
message = file.message_type.add(name="M")
kinds = "double float int64 uint64 int32 fixed64 fixed32 bool string message bytes uint32 enum sfixed32 sfixed64 sint32 sint64".split()
for i, kind in enumerate(kinds):
    for j, label in enumerate((F.LABEL_OPTIONAL, F.LABEL_REPEATED, F.LABEL_REPEATED)):
        field = message.field.add(name="orp"[j] + kind, number=3 * i + j + 1, type=getattr(F, "TYPE_" + kind.upper()), label=label)
        if kind in ("message", "enum"):
            field.type_name = ".pk.Inner" if kind == "message" else ".pk.E"
        field.options.packed = j == 2 and kind not in ("string", "bytes", "message")
source = b"bytes://" + descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
values = {"double": [1.5, -2.25], "float": [1.5, -2.25], "int64": [-3, 2**62], "uint64": [3, 2**63 + 1], "int32": [-7, 2**31 - 1],
          "fixed64": [3, 2**63 + 1], "fixed32": [3, 2**31 + 1], "bool": [True, False], "string": [b"a", b"bc"], "message": [b"\x08\x03", b""],
          "bytes": [b"\xff\x00", b""], "uint32": [3, 2**31 + 1], "enum": [0, 5], "sfixed32": [-5, 6], "sfixed64": [-5, 2**62],
          "sint32": [-5, 6], "sint64": [-5, 2**62]}
types = {"double": tf.float64, "float": tf.float32, "int64": tf.int64, "uint64": tf.uint64, "int32": tf.int32, "fixed64": tf.uint64,
         "fixed32": tf.uint32, "bool": tf.bool, "string": tf.string, "message": tf.string, "bytes": tf.string, "uint32": tf.uint32,
         "enum": tf.int32, "sfixed32": tf.int32, "sfixed64": tf.int64, "sint32": tf.int32, "sint64": tf.int64}
wide = {"float": tf.float64, "int32": tf.int64, "uint32": tf.uint64, "fixed32": tf.uint64, "sfixed32": tf.int64, "sint32": tf.int64}
with tf.Session() as s:
    for kind in kinds:
        for dtype in (types[kind], wide.get(kind)):
            if dtype is None:
                continue
            names = [letter + kind for letter in "rp"]
            row = values[kind] if dtype is types[kind] else [abs(x) for x in values[kind]]
            data = tf.constant([row, row], dtype)
            bytes_ = tf.io.encode_proto([[2, 2], [2, 2]] if kind == "enum" else [[2, 1], [0, 2]], [data, data], names, "pk.M", source)
            show(bytes_, s.run(bytes_))
            out = tf.io.decode_proto(bytes_, "pk.M", names, [dtype, dtype], source)
            show(out.sizes, s.run(out.sizes))
            show(out.values, s.run(list(out.values)))
        for dtype in (tf.int32, tf.int64, tf.uint32, tf.uint64, tf.float32, tf.float64, tf.bool, tf.string, tf.float16):
            try:
                s.run(tf.io.decode_proto([b""], "pk.M", ["r" + kind], [dtype], source).sizes)
            except tf.errors.InvalidArgumentError as e:
                print(e.message.splitlines()[0].split("\t")[0])
# case: damage and mistakes
from google.protobuf import descriptor_pb2
F = descriptor_pb2.FieldDescriptorProto
file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="pk", syntax="proto2")
message = file.message_type.add(name="M")
for i, (name, kind, label, default) in enumerate((("a", "INT32", "OPTIONAL", "42"), ("b", "STRING", "OPTIONAL", "hey"), ("c", "BOOL", "OPTIONAL", "true"),
                                                  ("d", "FLOAT", "REPEATED", None), ("e", "BYTES", "REPEATED", None), ("f", "DOUBLE", "OPTIONAL", "2.5"))):
    field = message.field.add(name=name, number=i + 1, type=getattr(F, "TYPE_" + kind), label=getattr(F, "LABEL_" + label))
    if default:
        field.default_value = default
source = b"bytes://" + descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
def decode(data, names, types, message_type="pk.M", source=source, **more):
    try:
        out = tf.io.decode_proto(data, message_type, names, types, source, **more)
        with tf.Session() as s:
            sizes, values = s.run([out.sizes, list(out.values)])
        show(out.sizes, sizes)
        show(out.values, values)
    except (ValueError, tf.errors.OpError) as e:
        print(type(e).__name__, str(getattr(e, "message", e)).splitlines()[0].split("\t")[0])
names, types = ["a", "b", "c", "d", "e", "f"], [tf.int32, tf.string, tf.bool, tf.float32, tf.string, tf.float64]
decode([b"", b"\x08\x05"], names, types)
decode(b"\x08\x05\x08\x06", names, types)
decode([[b"\x08\x05"], [b"\x2a\x01x\x2a\x00"]], names, types)
decode([b"\x3b\x08\x01\x3c\x08\x07"], names, types)
decode([b"\x22\x08\x00\x00\x80\x3f\x00\x00\x00\x40\x25\x00\x00\x40\x40"], ["d"], [tf.float32])
decode([b"a: 7 d: 1 d: 2 e: 'x'"], names, types, message_format="text")
decode([b"a: seven"], names, types, message_format="text")
decode([b"\x08\x05"], names, types, message_format="json")
decode([b"\x08\x05"], ["a"], [tf.int64], sanitize=True)
decode([b"\xff"], ["a"], [tf.int64], sanitize=True)
decode([b"\x2a\x05ab"], ["e"], [tf.string])
decode([b"\x2a\x05ab"], ["a"], [tf.int32])
decode([b"\x3b" * 500], ["a"], [tf.int32])
decode([b"\x08"], ["b"], [tf.string])
decode([b"\x08\x05"], ["a"], [tf.float16])
decode([b"\x08\x05"], ["a", "b"], [tf.int32])
decode([b"\x08\x05"], ["z"], [tf.int32])
decode([b"\x08\x05"], ["a"], [tf.int32], message_type="pk.None")
decode([b"\x08\x05"], ["a"], [tf.int32], source="bytes://xx")
decode([b"\x08\x05"], ["a"], [tf.int32], source="/no/such/file")
decode(np.zeros([0], "S1"), ["a"], [tf.int32])
# case: messages of tensorflow, and files
import os, tempfile
example = tf.train.Example()
example.features.feature["a"].int64_list.value.append(3)
graph = tf.GraphDef()
graph.node.add(name="n", op="NoOp")
graph.versions.producer = 9
with tf.Session() as s:
    out = tf.io.decode_proto([example.SerializeToString()], "tensorflow.Example", ["features"], [tf.string])
    show(out.sizes, s.run(out.sizes), s.run(list(out.values)))
    out = tf.io.decode_proto([graph.SerializeToString(), b""], "tensorflow.GraphDef", ["node", "version", "versions"], [tf.string, tf.int32, tf.string])
    show(out.sizes, s.run(out.sizes), s.run(list(out.values)))
    out = tf.io.decode_proto([b""], "google.protobuf.FileDescriptorProto", ["name"], [tf.string])
    show(out.sizes, s.run(out.sizes), s.run(list(out.values)))
from google.protobuf import descriptor_pb2
file = descriptor_pb2.FileDescriptorProto(name="f.proto", package="pk", syntax="proto3")
file.message_type.add(name="M").field.add(name="a", number=1, type=5, label=3)
path = os.path.join(tempfile.mkdtemp(), "files")
with open(path, "wb") as out:
    out.write(descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString())
with tf.Session() as s:
    out = tf.io.encode_proto([[3]], [[[1, 2, 300]]], ["a"], "pk.M", path)
    show(out, s.run(out))
# case: sizes
def encode(sizes, values, names):
    try:
        out = tf.io.encode_proto(sizes, values, names, "tensorflow.Int64List" if names[0] == "value" else "tensorflow.TensorShapeProto.Dim")
        with tf.Session() as s:
            show(out, s.run(out))
    except (ValueError, tf.errors.OpError) as e:
        print(type(e).__name__, str(getattr(e, "message", e)).splitlines()[0].split("\t")[0])
one = np.array([[4]], np.int64)
encode([[1]], [one], ["value"])
encode([[0]], [one], ["value"])
encode([[2]], [one], ["value"])
encode([1], [one], ["value"])
encode([[1], [1]], [one], ["value"])
encode([[1, 1]], [one], ["value"])
encode([[1]], [one[0]], ["value"])
encode([[1]], [[["x"]]], ["value"])
encode([[1]], [one.astype(np.float64)], ["value"])
encode([[[1]], [[1]]], [np.array([[[4]], [[5]]], np.int64)], ["value"])
encode([[1, 1]], [[["n"]], one], ["name", "size"])
encode([[1, 1]], [one, [["n"]]], ["size", "name"])
encode([[1, 1]], [one, one], ["size", "none"])
encode([[1, 1]], [one], ["size"])
encode(tf.placeholder_with_default([[1]], None), [one], ["value"])

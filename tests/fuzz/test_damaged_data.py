"""Damaged files, protos and graphs end in TensorFlow's errors: no crash, no hang, no huge array."""

from __future__ import annotations

import base64
import gzip
import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PIL import Image

import headwater as tf

BOUNDED = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
SIZES = [0, 1, 2, 65536, 2**24, 2**31 - 1, 2**31, 2**32 - 1]


@st.composite
def damages(draw):
    """A function that damages bytes in one to six places."""
    steps = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["flip", "set", "cut out", "put in", "cut off", "size", "copy"]),
                st.floats(0, 1, exclude_max=True),
                st.integers(0, 255),
                st.sampled_from(SIZES),
                st.sampled_from("<>"),
            ),
            min_size=1,
            max_size=6,
        )
    )

    def damaged(data):
        data = bytearray(data)
        for kind, where, number, size, order in steps:
            at = int(where * len(data)) if number % 2 else int(where * min(len(data), 64))
            if kind == "put in":
                data[at:at] = bytes([number]) * (1 + number % 4)
            elif not data:
                continue
            elif kind == "flip":
                data[at] ^= 1 << number % 8
            elif kind == "set":
                data[at] = number
            elif kind == "cut out":
                del data[at : at + 1 + number % 20]
            elif kind == "cut off":
                del data[at:]
            elif kind == "size":
                data[at : at + 4] = struct.pack(f"{order}I", size)
            else:
                data[at : at + 8] = data[number : number + 8]
        return bytes(data)

    return damaged


PIXELS = np.random.RandomState(0).randint(0, 255, (9, 7, 3)).astype(np.uint8)


def image(kind, pixels=PIXELS, mode=None, **options):
    picture = Image.fromarray(pixels)
    file = io.BytesIO()
    (picture.convert(mode) if mode else picture).save(file, kind, **options)
    return file.getvalue()


def animation():
    pictures = [Image.fromarray(PIXELS[:: 1 - 2 * i]).convert("P") for i in range(2)]
    file = io.BytesIO()
    pictures[0].save(file, "GIF", save_all=True, append_images=pictures[1:])
    return file.getvalue()


JPEG = [image("JPEG"), image("JPEG", progressive=True), image("JPEG", mode="L")]
JPEG += [image("JPEG", mode="CMYK"), image("JPEG", keep_rgb=True)]
PNG = [image("PNG"), image("PNG", mode="L"), image("PNG", mode="P"), image("PNG", mode="RGBA")]
PNG.append(image("PNG", pixels=PIXELS[:, :, 0].astype(np.uint16) * 257))
GIF = [image("GIF"), animation()]
BMP = [image("BMP"), image("BMP", mode="L")]
WAV = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 76, b"WAVE", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16,
                  b"data", 40) + bytes(range(40))  # fmt: skip


def an_example():
    message = tf.train.Example()
    features = message.features.feature
    features["a"].float_list.value.extend([1.0, 2.0])
    features["b"].int64_list.value.append(300)
    features["c"].bytes_list.value.append(b"xyz")
    return message.SerializeToString()


def a_sequence():
    message = tf.train.SequenceExample()
    message.context.feature["a"].int64_list.value.append(5)
    for step in range(3):
        entry = message.feature_lists.feature_list["t"].feature.add()
        entry.float_list.value.append(step)
    return message.SerializeToString()


def a_tensor(*values):
    return tf.make_tensor_proto(np.array(values)).SerializeToString()


FEATURES = {
    "a": tf.FixedLenFeature([2], tf.float32),
    "b": tf.FixedLenFeature([], tf.int64, 0),
    "c": tf.VarLenFeature(tf.string),
}
STEPS = {"t": tf.FixedLenSequenceFeature([1], tf.float32)}
CONTEXT = {"a": tf.FixedLenFeature([], tf.int64)}
JSON = b'{"features":{"feature":{"a":{"floatList":{"value":[1.5,2]}}}}}'
SPARSE = [a_tensor([0], [2]), a_tensor(1.0, 2.0), a_tensor(5)]

# One text each: the function takes a scalar.
SCALARS = {
    "decode_jpeg": (tf.image.decode_jpeg, JPEG),
    "decode_small_jpeg": (lambda x: tf.image.decode_jpeg(x, channels=3, ratio=2), JPEG),
    "decode_cut_jpeg": (lambda x: tf.image.decode_jpeg(x, try_recover_truncated=True), JPEG),
    "extract_jpeg_shape": (tf.image.extract_jpeg_shape, JPEG),
    "decode_and_crop_jpeg": (lambda x: tf.image.decode_and_crop_jpeg(x, [1, 1, 3, 3]), JPEG),
    "decode_png": (tf.image.decode_png, PNG),
    "decode_wide_png": (lambda x: tf.image.decode_png(x, channels=4, dtype=tf.uint16), PNG),
    "decode_gif": (tf.image.decode_gif, GIF),
    "decode_bmp": (tf.image.decode_bmp, BMP),
    "decode_image": (tf.image.decode_image, [*JPEG, *PNG, *GIF, *BMP]),
    "decode_wav": (lambda x: tf.audio.decode_wav(x).audio, [WAV]),
    "parse_single_example": (lambda x: tf.parse_single_example(x, FEATURES), [an_example()]),
    "parse_single_sequence_example": (
        lambda x: tf.parse_single_sequence_example(x, CONTEXT, STEPS),
        [a_sequence()],
    ),
    "parse_tensor": (lambda x: tf.parse_tensor(x, tf.float64), [a_tensor(1.0, 2.0)]),
    "parse_string_tensor": (lambda x: tf.parse_tensor(x, tf.string), [a_tensor(b"a", b"bc")]),
}
# Several texts, one of which is damaged: the function takes a vector.
VECTORS = {
    "parse_example": (lambda x: tf.parse_example(x, FEATURES), [an_example()] * 3),
    "parse_many_examples": (lambda x: tf.parse_example(x, FEATURES), [an_example()] * 40),
    "parse_sequence_example": (
        lambda x: tf.io.parse_sequence_example(x, CONTEXT, STEPS),
        [a_sequence()] * 3,
    ),
    "decode_json_example": (tf.decode_json_example, [JSON] * 2),
    "decode_csv": (
        lambda x: tf.decode_csv(x, [[0.0], [1], ["x"], tf.constant([], tf.int64)]),
        [b'1.5,2,"a,""b",17', b",,,5"],
    ),
    "decode_raw": (lambda x: tf.decode_raw(x, tf.int32), [b"abcdefgh", b"12345678"]),
    "string_to_number": (tf.string_to_number, [b"1.5", b"-2e3"]),
    "string_to_integer": (lambda x: tf.string_to_number(x, tf.int64), [b"15", b"-2"]),
    "decode_zlib": (lambda x: tf.io.decode_compressed(x, "ZLIB"), [zlib.compress(b"hello" * 9)]),
    "decode_gzip": (lambda x: tf.io.decode_compressed(x, "GZIP"), [gzip.compress(b"hello" * 9)]),
    "decode_base64": (tf.decode_base64, [base64.urlsafe_b64encode(b"hello")]),
    "deserialize_many_sparse": (
        lambda x: tf.io.deserialize_many_sparse(tf.reshape(x, [1, 3]), tf.float64),
        SPARSE,
    ),
}
REFUSED = (tf.errors.InvalidArgumentError, tf.errors.DataLossError)


def texts(values):
    array = np.empty(len(values), object)
    array[:] = values
    return array


def run(build, shape, value):
    with tf.Graph().as_default():
        data = tf.placeholder(tf.string, shape)
        result = build(data)
        with tf.Session() as session:
            session.run(result, {data: value})


@pytest.mark.parametrize("name", SCALARS)
@BOUNDED
@given(damaged=damages(), choice=st.integers(0, 100))
def test_a_damaged_text_is_refused_or_read(name, damaged, choice):
    build, seeds = SCALARS[name]
    try:
        run(build, [], damaged(seeds[choice % len(seeds)]))
    except REFUSED as error:
        assert error.message


@pytest.mark.parametrize("name", VECTORS)
@BOUNDED
@given(damaged=damages(), choice=st.integers(0, 100))
def test_one_damaged_text_of_several_is_refused_or_read(name, damaged, choice):
    build, seeds = VECTORS[name]
    values = list(seeds)
    values[choice % len(values)] = damaged(values[choice % len(values)])
    try:
        run(build, [None], texts(values))
    except REFUSED as error:
        assert error.message


@pytest.mark.parametrize("name", [*SCALARS, *VECTORS])
def test_whole_texts_are_read(name):
    for build, seeds in [SCALARS[name]] if name in SCALARS else []:
        for seed in seeds:
            run(build, [], seed)
    for build, seeds in [VECTORS[name]] if name in VECTORS else []:
        run(build, [None], texts(seeds))


@pytest.mark.parametrize(
    ("build", "data"),
    [
        (tf.image.decode_png, PNG[0][:16] + struct.pack(">II", 2**16, 2**16) + PNG[0][24:]),
        (tf.image.decode_gif, GIF[0][:6] + struct.pack("<HH", 60000, 60000) + GIF[0][10:]),
        (tf.image.decode_bmp, BMP[0][:18] + struct.pack("<ii", 2**30, 2**30) + BMP[0][26:]),
        (SCALARS["decode_wav"][0], WAV[:40] + struct.pack("<I", 2**31 - 2) + WAV[44:]),
    ],
)  # fmt: skip
def test_sizes_in_headers_are_checked_first(build, data):
    try:
        run(build, [], data)
    except REFUSED as error:
        assert error.message


def graph_def():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        weights = tf.Variable(tf.ones([3, 2]), name="w")
        y = tf.nn.relu(tf.matmul(x, weights) + [1.0, 2.0])
        tf.reduce_sum(tf.concat([y, y], 1), [0])
        tf.strided_slice(y, [0, 0], [2, 2])
        tf.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)])
        tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2))
        tf.nn.conv2d(tf.zeros([1, 4, 4, 1]), tf.zeros([2, 2, 1, 3]), [1, 1, 1, 1], "SAME")
        tf.constant(["a", "b"])
        return graph.as_graph_def()


NODES = graph_def()
COUNT = len(NODES.node)
IMPORT_ERRORS = (tf.errors.OpError, ValueError, TypeError)


def imported(proto):
    with tf.Graph().as_default():
        tf.import_graph_def(proto, name="")


@settings(BOUNDED, max_examples=150)
@given(damaged=damages())
def test_damaged_graph_defs_are_refused_or_imported(damaged):
    try:
        proto = tf.GraphDef.FromString(damaged(NODES.SerializeToString()))
    except Exception:  # the DecodeError of the protocol buffers comes before the import
        return
    try:
        imported(proto)
    except IMPORT_ERRORS as error:
        assert str(error)


def changed(proto, kind, at, other, number):
    """Changes one field of a node."""
    node, source = proto.node[at % COUNT], proto.node[other % COUNT]
    names = sorted(node.attr)
    if kind == "op":
        node.op = source.op
    elif kind == "input" and node.input:
        inputs = ("", "^", "x:", "x:99", "^x:0", "no such node", source.name, f"{source.name}:1",
                  f"^{source.name}", "x:-1", "x:99999999999999999999")  # fmt: skip
        node.input[number % len(node.input)] = inputs[number % len(inputs)]
    elif kind == "fewer inputs" and node.input:
        del node.input[-1]
    elif kind == "more inputs":
        node.input.append(source.name)
    elif kind == "name":
        node.name = ("", "a/b", "x", "/x", "x:0", "é", "^x", " ")[number % 8]
    elif kind == "device":
        node.device = ("/foo", "/job:a/task:b", "/gpu:999999")[number % 3]
    elif kind == "no attr" and names:
        del node.attr[names[number % len(names)]]
    elif kind == "attr" and names:
        attr = node.attr[names[number % len(names)]]
        if number % 6 == 0:
            attr.type = (0, 1, 99, 101, 200, -1)[number % 5]
        elif number % 6 == 1:
            attr.shape.dim.add().size = (-2, -1, 2**40, 0)[number % 4]
        elif number % 6 == 2:
            attr.s = b"\xff\xfe"
        elif number % 6 == 3:
            attr.i = (-1, 2**62, 0)[number % 3]
        elif number % 6 == 4:
            attr.tensor.dtype = (0, 1, 7, 99)[number % 4]
            attr.tensor.tensor_shape.dim.add().size = (-1, 2**40, 3)[number % 3]
        else:
            attr.func.name = "no such function"


CHANGES = st.tuples(
    st.sampled_from(
        ["op", "input", "fewer inputs", "more inputs", "name", "device", "no attr", "attr"]
    ),
    st.integers(0, COUNT - 1),
    st.integers(0, COUNT - 1),
    st.integers(0, 1000),
)


@settings(BOUNDED, max_examples=200)
@given(changes=st.lists(CHANGES, min_size=1, max_size=4))
def test_changed_nodes_are_refused_or_imported(changes):
    proto = tf.GraphDef()
    proto.CopyFrom(NODES)
    for change in changes:
        changed(proto, *change)
    try:
        imported(proto)
    except IMPORT_ERRORS as error:
        assert str(error)


def test_constants_of_impossible_size_are_refused():
    proto = tf.GraphDef()
    for kind in (tf.float32, tf.string):
        node = proto.node.add(name=f"c{kind.as_datatype_enum}", op="Const")
        node.attr["dtype"].type = kind.as_datatype_enum
        node.attr["value"].tensor.dtype = kind.as_datatype_enum
        node.attr["value"].tensor.tensor_shape.dim.add().size = 2**40
        with pytest.raises(ValueError, match="too large"):
            imported(proto)
        del proto.node[:]


@BOUNDED
@example(damaged=lambda data: b"")
@given(damaged=damages())
@pytest.mark.parametrize("compression", ["", "ZLIB", "GZIP"])
def test_damaged_record_files_are_refused_or_read(tmp_path, compression, damaged):
    kinds = tf.python_io.TFRecordCompressionType
    kind = {"": kinds.NONE, "ZLIB": kinds.ZLIB, "GZIP": kinds.GZIP}[compression]
    options = tf.python_io.TFRecordOptions(kind)
    path = tmp_path / "records"
    with tf.python_io.TFRecordWriter(str(path), options) as writer:
        for i in range(4):
            writer.write(b"record %d" % i * 5)
    path.write_bytes(damaged(path.read_bytes()))
    try:
        list(tf.python_io.tf_record_iterator(str(path), options))
    except tf.errors.DataLossError as error:
        assert error.message


@settings(BOUNDED, max_examples=30)
@given(damaged=damages(), choice=st.integers(0, 5))
@pytest.mark.parametrize("version", [tf.train.SaverDef.V1, tf.train.SaverDef.V2])
def test_damaged_checkpoints_are_refused_or_read(tmp_path, version, damaged, choice):
    with tf.Graph().as_default():
        variables = [tf.Variable(np.arange(6.0).reshape(2, 3), name="a"), tf.Variable([1, 2])]
        saver = tf.train.Saver(variables, write_version=version)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            prefix = saver.save(session, str(tmp_path / "model"), write_meta_graph=False)
            files = sorted(tmp_path.glob("model*"))
            file = files[choice % len(files)]
            file.write_bytes(damaged(file.read_bytes()))
            try:
                reader = tf.train.NewCheckpointReader(prefix)
                for name in reader.get_variable_to_shape_map():
                    reader.get_tensor(name)
                saver.restore(session, prefix)
            except (tf.errors.OpError, ValueError) as error:
                assert str(error)

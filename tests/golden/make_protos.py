"""Makes protos.json.gz: descriptors and serialized messages of a real TensorFlow 1.15.

Run it with the Python of that TensorFlow: python tests/golden/make_protos.py
"""

import base64
import gzip
import importlib
import json
import re
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool, symbol_database
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow.python.framework import function

FOLDER = Path(__file__).resolve().parent
PROTOS = FOLDER.parent.parent / "headwater" / "protos"

# Where compiled descriptors are.
LIBRARIES = (
    "python/_pywrap_tensorflow_internal.so",
    "contrib/boosted_trees/python/ops/_boosted_trees_ops.so",
)

# Repeated and nested fields are filled down to this depth.
DEPTH = 3


def embedded_descriptor(path):
    """Returns the serialized descriptor of a .proto file that has no Python module."""
    begin = b"\n" + bytes([len(path)]) + path.encode()
    end = b"b\x06proto3"  # the last field, `syntax`
    for library in LIBRARIES:
        data = (Path(tf.sysconfig.get_lib()) / library).read_bytes()
        start = data.find(begin)
        if start >= 0:
            return data[start : data.index(end, start) + len(end)]
    raise LookupError(path)


def original_files():
    """Returns {our file name: TensorFlow's descriptor}, by the first lines of our files."""
    files, without_module = {}, {}
    for path in sorted(PROTOS.glob("*.proto")):
        original = re.match(r"// Wire-compatible with (\S+)\.proto ", path.read_text()).group(1)
        try:
            module = importlib.import_module(original.replace("/", ".") + "_pb2")
        except ImportError:
            without_module[path.name] = original + ".proto"
        else:
            files[path.name] = module.DESCRIPTOR
    pool = descriptor_pool.Default()
    # Files that others import come first.
    order = sorted(without_module.items(), key=lambda item: item[0] != "tree_config.proto")
    for name, original in order:
        pool.AddSerializedFile(embedded_descriptor(original))
        files[name] = pool.FindFileByName(original)
    return files


def sample_value(field, seed):
    kinds = type(field)
    if field.type in (kinds.TYPE_DOUBLE, kinds.TYPE_FLOAT):
        return seed + 0.5
    if field.type == kinds.TYPE_BOOL:
        return True
    if field.type == kinds.TYPE_ENUM:
        numbers = [value.number for value in field.enum_type.values]
        return numbers[seed % len(numbers)]
    if field.type == kinds.TYPE_STRING:
        return f"{field.name} {seed}"
    if field.type == kinds.TYPE_BYTES:
        return b"\0\xff" + field.name.encode() + bytes([seed % 256])
    if field.type in (kinds.TYPE_UINT32, kinds.TYPE_UINT64, kinds.TYPE_FIXED32, kinds.TYPE_FIXED64):
        return 3 * seed + (2**63 if field.type == kinds.TYPE_UINT64 else 0)
    return -seed if field.cpp_type == kinds.CPPTYPE_INT32 else -seed * 2**33


def fill(message, depth, skip_oneof):
    """Sets the fields of a message; in a oneof only the field at place `skip_oneof`."""
    for field in message.DESCRIPTOR.fields:
        oneof = field.containing_oneof
        if oneof is not None and oneof.fields[skip_oneof % len(oneof.fields)] is not field:
            continue
        is_message = field.type == field.TYPE_MESSAGE
        is_map = is_message and field.message_type.GetOptions().map_entry
        if is_message and depth == 0:
            continue
        if is_map:
            key, value = field.message_type.fields
            target = getattr(message, field.name)
            for seed in (1, 2):
                place = f"key {seed}" if key.type == key.TYPE_STRING else seed
                if value.type == value.TYPE_MESSAGE:
                    fill(target[place], depth - 1, skip_oneof)
                else:
                    target[place] = sample_value(value, seed)
        elif field.label == field.LABEL_REPEATED:
            target = getattr(message, field.name)
            for seed in (1, 2):
                if is_message:
                    fill(target.add(), depth - 1, skip_oneof)
                else:
                    target.append(sample_value(field, field.number + seed))
        elif is_message:
            getattr(message, field.name).SetInParent()
            fill(getattr(message, field.name), depth - 1, skip_oneof)
        else:
            setattr(message, field.name, sample_value(field, field.number))


def filled_messages(files):
    """Yields every message with every field set, one variant per member of its oneofs."""
    for file in files.values():
        for _, descriptor in sorted(file.message_types_by_name.items()):
            cls = symbol_database.Default().GetPrototype(descriptor)
            seen = set()
            for choice in range(max([1] + [len(o.fields) for o in cls.DESCRIPTOR.oneofs])):
                message = cls()
                fill(message, DEPTH, choice)
                data = message.SerializeToString(deterministic=True)
                if data not in seen and len(data) < 20000:
                    seen.add(data)
                    yield message


def graph_messages():
    """Yields what a program writes: graphs with functions, loops and queues, and a SavedModel."""

    @function.Defun(tf.float32, tf.float32)
    def scaled(x, y):
        return x * y + 1.0

    with tf.Graph().as_default() as graph:
        images = tf.placeholder(tf.float32, [None, 8, 8, 3], "images")
        kernel = tf.get_variable("kernel", [3, 3, 3, 4])
        hidden = tf.nn.conv2d(images, kernel, [1, 2, 2, 1], "SAME", data_format="NHWC")
        pooled = tf.reduce_mean(tf.nn.relu(hidden), [1, 2])
        logits = tf.layers.dense(pooled, 5, name="dense")
        tf.identity(scaled(logits, 2.0), name="scaled")
        tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t + 1.0), [0, 0.5])
        tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2))
        names = tf.train.string_input_producer(["a", "b\xff"], shuffle=False)
        _, record = tf.TFRecordReader().read(names)
        features = {"x": tf.FixedLenFeature([2], tf.float32), "y": tf.VarLenFeature(tf.int64)}
        tf.parse_single_example(record, features)
        loss = tf.losses.sparse_softmax_cross_entropy(tf.constant([1, 2]), logits[:2])
        tf.train.AdamOptimizer().minimize(loss, tf.train.create_global_step())
        tf.summary.scalar("loss", loss)
        with tf.device("/device:GPU:0"), tf.control_dependencies([loss]):
            tf.constant(np.arange(6).reshape(2, 3), name="placed")
        tf.train.Saver(max_to_keep=7)
        yield graph.as_graph_def(add_shapes=True)
        yield tf.train.export_meta_graph()
        soft = tf.ConfigProto(allow_soft_placement=True)
        with tf.Session(config=soft) as session, tempfile.TemporaryDirectory() as folder:
            session.run(tf.global_variables_initializer())
            export = Path(folder) / "model"
            tf.saved_model.simple_save(session, str(export), {"x": images}, {"y": logits})
            saved = saved_model_pb2.SavedModel()
            saved.ParseFromString((export / "saved_model.pb").read_bytes())
            yield saved


def other_messages():
    config = tf.ConfigProto(allow_soft_placement=True, device_count={"GPU": 0, "CPU": 2})
    config.gpu_options.per_process_gpu_memory_fraction = 0.333
    config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    config.graph_options.rewrite_options.optimizers.append("layout")
    config.cluster_def.job.add(name="ps").tasks[1] = "host:2222"
    yield config

    example = tf.train.Example()
    example.features.feature["bytes"].bytes_list.value.extend([b"\0a", b""])
    example.features.feature["floats"].float_list.value.extend([1.5, float("nan"), -0.0])
    example.features.feature["ints"].int64_list.value.extend([-1, 2**62])
    example.features.feature["none"].SetInParent()
    yield example
    sequence = tf.train.SequenceExample(context=example.features)
    words = sequence.feature_lists.feature_list["words"]
    words.feature.add().int64_list.value.append(3)
    yield sequence

    summary = tf.Summary()
    summary.value.add(tag="loss", simple_value=0.25)
    histogram = tf.HistogramProto(min=-1, max=2, num=3, sum=1, sum_squares=5)
    histogram.bucket_limit.extend([0.0, 1.0])
    histogram.bucket.extend([1.0, 2.0])
    summary.value.add(tag="weights", histo=histogram)
    image = tf.Summary.Image(height=1, width=1, colorspace=3, encoded_image_string=b"\x89PNG")
    summary.value.add(tag="picture", image=image)
    yield tf.Event(wall_time=1.5e9, step=7, summary=summary)
    yield tf.Event(wall_time=1.5e9, file_version="brain.Event:2")
    yield tf.Event(step=8, session_log=tf.SessionLog(status=tf.SessionLog.STOP))

    for values, dtype in (
        ([1.5, -2.0], tf.float16),
        ([1.5, -2.0], tf.bfloat16),
        ([1 + 2j], tf.complex64),
        (["a", b"\xff"], tf.string),
        ([[True], [False]], tf.bool),
        ([(1,), (-2,)], tf.qint8),
        (7, tf.uint64),
    ):
        yield tf.make_tensor_proto(values, dtype)


def encoded(data):
    return base64.b64encode(data).decode()


def main():
    files = original_files()
    descriptors = {}
    for name, file in files.items():
        descriptor = descriptor_pb2.FileDescriptorProto()
        file.CopyToProto(descriptor)
        descriptors[name] = encoded(descriptor.SerializeToString(deterministic=True))
    messages = [
        [message.DESCRIPTOR.full_name, encoded(message.SerializeToString(deterministic=True))]
        for source in (filled_messages(files), graph_messages(), other_messages())
        for message in source
    ]
    data = json.dumps({"descriptors": descriptors, "messages": messages}, sort_keys=True)
    packed = gzip.compress(data.encode())
    # Bytes 4 to 7 of a gzip file are the time it was made.
    (FOLDER / "protos.json.gz").write_bytes(packed[:4] + bytes(4) + packed[8:])
    print(len(descriptors), "files,", len(messages), "messages,", len(packed), "bytes")


if __name__ == "__main__":
    main()

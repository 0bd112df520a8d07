"""Writes profiles/profile.gz, a ProfileProto, and views.txt, its views.

Run it with the Python of TensorFlow 1.15.5.
"""

import gzip
import tempfile
from pathlib import Path

import tensorflow as tf
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.python import pywrap_tensorflow
from tensorflow.python.profiler import model_analyzer

FOLDER = Path(__file__).resolve().parent / "profiles"
BUILDER = tf.profiler.ProfileOptionBuilder
COLUMNS = (
    ["micros", "bytes", "params", "float_ops", "occurrence", "input_shapes", "device", "op_types"],
    ["peak_bytes", "residual_bytes", "output_bytes"],
)


def model():
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    w = tf.get_variable("w", [3, 4], initializer=tf.ones_initializer())
    loss = tf.reduce_sum(tf.nn.relu(tf.matmul(x, w, name="y")))
    return x, tf.gradients(loss, [w])


def serialized():
    x, gradients = model()
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(
            gradients, {x: [[1.0] * 3] * 2}, tf.RunOptions(trace_level=3), run_metadata=metadata
        )
    profiler = tf.profiler.Profiler()
    profiler.add_step(3, metadata)
    proto = tfprof_log_pb2.ProfileProto.FromString(profiler.serialize_to_string())
    for number, text in proto.id_to_string.items():
        if Path(text).is_absolute():
            proto.id_to_string[number] = Path(text).name
    return proto.SerializeToString()


def main():
    data = serialized()
    (FOLDER / "profile.gz").write_bytes(gzip.compress(data))
    folder = Path(tempfile.mkdtemp())
    profile, report = folder / "profile", folder / "report"
    profile.write_bytes(data)
    pywrap_tensorflow.ProfilerFromFile(str(profile).encode())
    profiler = model_analyzer.Profiler.__new__(model_analyzer.Profiler)
    views = []
    for view, run in (
        ("scope", profiler.profile_name_scope),
        ("graph", profiler.profile_graph),
        ("op", profiler.profile_operations),
        ("code", profiler.profile_python),
    ):
        for columns in COLUMNS:
            options = BUILDER(BUILDER.time_and_memory(0, 0)).with_file_output(str(report))
            options = options.select(columns).order_by("name").build()
            options["account_displayed_op_only"] = False
            if view == "code":
                options["show_name_regexes"] = [".*make_profile.py.*"]
            run(options)
            views.append(f"## {view}\n" + report.read_text().split("Profile:\n")[1])
    (FOLDER / "views.txt").write_text("".join(views))


if __name__ == "__main__":
    main()

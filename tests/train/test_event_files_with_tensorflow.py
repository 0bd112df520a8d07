"""Event files of ours read by TensorFlow, and the reverse."""

from __future__ import annotations

import pytest

import headwater as tf

# Writes all kinds of events to the folder that is its first argument.
WRITE = """
import sys
tf.set_random_seed(1)
logdir = sys.argv[1]
x = tf.constant([[1.0, -2.0, 0.5, 1e-14]], name="x")
merged = tf.summary.merge([
    tf.summary.scalar("loss", tf.reduce_sum(x)),
    tf.summary.histogram("values", x),
    tf.summary.image("picture", tf.reshape(x, [1, 2, 2, 1])),
    tf.summary.audio("sound", x, 44100.0),
    tf.summary.text("note", tf.constant("a **b**")),
    tf.summary.tensor_summary("tensor", x, summary_description="d"),
])
contrib = tf.contrib.summary
resource_writer = contrib.create_file_writer(logdir, filename_suffix=".v2")
with resource_writer.as_default(), contrib.always_record_summaries():
    recorded = [
        contrib.scalar("loss", tf.reduce_sum(x), step=3),
        contrib.generic("tensor", x, step=3, metadata=tf.SummaryMetadata(display_name="n")),
    ]
with tf.Session() as session:
    with tf.summary.FileWriter(logdir, session.graph, filename_suffix=".v1") as writer:
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 1)
        for step in (2, 3):
            writer.add_summary(session.run(merged), step)
        writer.add_run_metadata(tf.RunMetadata(), "tag", 4)
    session.run(resource_writer.init())
    for op in recorded:
        session.run(op)
    session.run(resource_writer.close())
"""
# Prints what is in the files of the folder that is its first argument.
READ = """
import sys
def described(event):
    kind = event.WhichOneof("what")
    if kind == "graph_def":
        return sorted(node.name for node in tf.GraphDef.FromString(event.graph_def).node)
    if kind == "meta_graph_def":
        proto = tf.MetaGraphDef.FromString(event.meta_graph_def)
        return sorted(op.name for op in proto.meta_info_def.stripped_op_list.op)
    if kind != "summary":
        return str(getattr(event, kind)).split()
    return [(value.tag, value.WhichOneof("value"), content(value)) for value in event.summary.value]

def content(value):
    if value.HasField("image"):  # encoders of PNG differ
        return value.image.height, value.image.width, value.image.colorspace
    found = value.SerializeToString()
    return [byte if isinstance(byte, int) else ord(byte) for byte in found]

for suffix in (".v1", ".v2"):
    (path,) = tf.gfile.Glob(sys.argv[1] + "/events.out.tfevents.*" + suffix)
    for event in tf.train.summary_iterator(path):
        print(event.step, event.WhichOneof("what"), described(event))
"""
IMPORT = "import tensorflow as tf\n"


@pytest.fixture
def ours(monkeypatch, capsys):
    def run(source: str, folder: str) -> str:
        monkeypatch.setattr("sys.argv", ["program", folder])
        exec(source, {"tf": tf})
        return capsys.readouterr().out

    return run


@pytest.mark.oracle
def test_tensorflow_reads_our_events(oracle, ours, tmp_path):
    ours(WRITE, str(tmp_path))
    found = oracle(IMPORT + READ, str(tmp_path))
    assert found == ours(READ, str(tmp_path))
    assert found.count("\n") == 10


@pytest.mark.oracle
def test_our_events_are_those_of_tensorflow(oracle, ours, tmp_path):
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    oracle(IMPORT + WRITE, str(theirs))
    ours(WRITE, str(mine))
    assert ours(READ, str(theirs)) == ours(READ, str(mine))

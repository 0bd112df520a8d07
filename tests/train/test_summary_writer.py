from __future__ import annotations

from pathlib import Path

import pytest

import headwater as tf


def events(folder):
    (path,) = Path(folder).iterdir()
    assert path.name.startswith("events.out.tfevents.")
    return list(tf.train.summary_iterator(str(path)))


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "made" / "by the writer")


def test_events_of_a_run(folder, session):
    x = tf.placeholder(tf.float32, [], name="x")
    summary = tf.summary.scalar("loss", x)
    with tf.summary.FileWriter(folder, session.graph) as writer:
        for step in range(3):
            writer.add_summary(session.run(summary, {x: step / 2}), step)
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 7)
        writer.add_run_metadata(tf.RunMetadata(), "tag", 8)
        with pytest.raises(ValueError, match="provided tag was already used"):
            writer.add_run_metadata(tf.RunMetadata(), "tag")
    version, graph, meta_graph, *steps, log, metadata = events(folder)
    assert version.file_version == "brain.Event:2"
    names = [node.name for node in tf.GraphDef.FromString(graph.graph_def).node]
    assert names == ["x", "loss/tags", "loss"]
    parsed = tf.MetaGraphDef.FromString(meta_graph.meta_graph_def)
    assert [node.name for node in parsed.graph_def.node] == names
    assert [op.name for op in parsed.meta_info_def.stripped_op_list.op] == [
        *("Const", "Placeholder", "ScalarSummary")
    ]
    assert [(e.step, e.summary.value[0].simple_value) for e in steps] == [(0, 0), (1, 0.5), (2, 1)]
    assert (log.step, log.session_log.status) == (7, tf.SessionLog.START)
    assert (metadata.step, metadata.tagged_run_metadata.tag) == (8, "tag")
    times = [e.wall_time for e in steps]
    assert times == sorted(times)


def test_flushed_events_are_readable(folder):
    writer = tf.train.SummaryWriter(folder)
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=3)]), 1)
    writer.flush()
    assert [e.step for e in events(folder)] == [0, 1]
    writer.close()


def test_metadata_are_written_once(folder):
    metadata = tf.SummaryMetadata(display_name="shown")
    value = tf.Summary.Value(tag="a", simple_value=1, metadata=metadata)
    with tf.summary.FileWriter(folder) as writer:
        writer.add_summary(tf.Summary(value=[value]).SerializeToString(), 1)
        writer.add_summary(tf.Summary(value=[value]), 2)
    _, first, second = events(folder)
    assert first.summary.value[0].metadata == metadata
    assert not second.summary.value[0].HasField("metadata")


def test_closed_writer_drops_events_until_it_is_reopened(folder):
    writer = tf.summary.FileWriter(folder, filename_suffix=".end")
    for step in (1, 2, 3):
        writer.add_summary(tf.Summary(), step)
        if step == 1:
            writer.close()
        elif step == 2:
            writer.reopen()
    writer.close()
    found = []
    for path in sorted(Path(folder).iterdir()):
        assert path.name.endswith(".end")
        found += [e.step for e in tf.train.summary_iterator(str(path)) if e.step]
    assert found == [1, 3]


def test_one_writer_for_a_folder(folder):
    cache = tf.summary.FileWriterCache
    try:
        assert cache.get(folder) is cache.get(folder)
    finally:
        cache.clear()


def test_graph_must_be_a_graph(folder):
    with (
        tf.summary.FileWriter(folder) as writer,
        pytest.raises(TypeError, match="must be an instance of `Graph`"),
    ):
        writer.add_graph(3)

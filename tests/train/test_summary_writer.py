from __future__ import annotations

import errno
import gc
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import headwater as tf
from headwater.base import errors
from headwater.io.event_file import EventFile, EventsWriter
from headwater.io.files import open_file


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
    writer.add_summary(tf.Summary(), 1)
    writer.close()
    with pytest.warns(UserWarning, match="Attempting to use a closed FileWriter"):
        writer.add_summary(tf.Summary(), 2)
    writer.reopen()
    writer.add_summary(tf.Summary(), 3)
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


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "EventFileWriter"]


def steps_in(folder):
    paths = sorted(map(str, Path(folder).glob("events.out.tfevents.*")))
    return [e.step for path in paths for e in tf.train.summary_iterator(path) if e.step]


def wait_until(condition):
    for _ in range(500):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("not within five seconds")


def test_no_thread_is_left(folder):
    before = threads()
    for _ in range(3):
        writer = tf.summary.FileWriter(folder)
        writer.add_summary(tf.Summary(), 1)
        writer.close()
        writer.close()
    assert threads() == before


def test_a_forgotten_writer_is_finished(folder):
    before = threads()
    writer = tf.summary.FileWriter(folder)
    writer.add_summary(tf.Summary(), 7)
    del writer
    gc.collect()
    assert threads() == before
    assert steps_in(folder) == [7]


def test_events_are_flushed_in_time(folder):
    writer = tf.summary.FileWriter(folder, flush_secs=0.05)
    for step in (1, 2, 3):
        writer.add_summary(tf.Summary(), step)
    wait_until(lambda: steps_in(folder) == [1, 2, 3])
    writer.close()


def test_events_of_many_threads_all_arrive(folder):
    writer = tf.summary.FileWriter(folder, max_queue=2)

    def work(first):
        for step in range(first, first + 100):
            writer.add_summary(tf.Summary(), step)

    workers = [threading.Thread(target=work, args=(first,)) for first in (1, 101, 201)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    writer.close()
    assert sorted(steps_in(folder)) == list(range(1, 301))


def test_add_event_waits_for_a_place_in_the_queue(folder, monkeypatch):
    writer = tf.summary.FileWriter(folder, max_queue=2)
    proceed = threading.Event()
    write = EventFile.write
    monkeypatch.setattr(EventFile, "write", lambda *args: (proceed.wait(), write(*args)))
    worker = threading.Thread(
        target=lambda: [writer.add_summary(tf.Summary(), step) for step in range(1, 6)]
    )
    worker.start()
    worker.join(0.2)
    assert worker.is_alive()  # one event is being written, two are in the queue
    proceed.set()
    worker.join()
    writer.close()
    assert steps_in(folder) == [1, 2, 3, 4, 5]


def failing(number):
    def write(file, event):
        raise errors.make_error(errors.RESOURCE_EXHAUSTED, os.strerror(number))

    return write


@pytest.mark.parametrize("call", ["flush", "close", "add_event"])
def test_failures_of_the_thread_are_raised(folder, monkeypatch, call):
    writer = tf.summary.FileWriter(folder)
    with monkeypatch.context() as patch:
        patch.setattr(EventFile, "write", failing(errno.ENOSPC))
        writer.add_event(tf.Event(step=1))
        wait_until(lambda: writer.event_writer._thread._failure is not None)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device"):
        writer.add_event(tf.Event(step=2)) if call == "add_event" else getattr(writer, call)()
    if call != "close":  # the writer goes on when there is space again
        writer.add_event(tf.Event(step=3))
        writer.close()
        assert steps_in(folder) == [3]


def test_failures_of_a_forgotten_writer_are_logged(folder, monkeypatch, caplog):
    writer = tf.summary.FileWriter(folder)
    monkeypatch.setattr(EventFile, "write", failing(errno.ENOSPC))
    writer.add_event(tf.Event(step=1))
    del writer
    gc.collect()
    assert "No space left on device" in caplog.text


def test_what_follows_a_failure_goes_to_a_new_file(folder):
    Path(folder).mkdir(parents=True)
    file = EventFile(f"{folder}/events")
    file.write(tf.Event(step=1))
    file.flush()
    written, file._file = file._file, open_file("/dev/full", "ab")
    file.write(tf.Event(step=2))
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device"):
        file.flush()
    written.close()
    file.write(tf.Event(step=3))
    file.close()
    assert len(list(Path(folder).iterdir())) == 2
    assert steps_in(folder) == [1, 3]


def test_a_removed_folder_is_made_again(folder, caplog):
    writer = tf.summary.FileWriter(folder)
    writer.add_summary(tf.Summary(), 1)
    writer.flush()
    shutil.rmtree(folder)
    with caplog.at_level(logging.ERROR):
        writer.add_summary(tf.Summary(), 2)
        writer.flush()
    assert "has disappeared" in caplog.text
    writer.add_summary(tf.Summary(), 3)
    writer.close()
    assert steps_in(folder) == [3]


PROGRAM_THAT_NEVER_CLOSES = """
import sys
import headwater as tf

writer = tf.summary.FileWriter(sys.argv[1])
for step in range(1, 101):
    writer.add_summary(tf.Summary(), step)
"""


def test_a_writer_that_is_open_at_the_end_of_the_program(folder):
    # Not by `fork`, which ends a process without what Python does at its exit.
    command = [sys.executable, "-c", PROGRAM_THAT_NEVER_CLOSES, folder]
    subprocess.run(command, check=True, timeout=100)
    assert steps_in(folder) == list(range(1, 101))


PROGRAM_THAT_FORKS = """
import os
import sys
import headwater as tf

writer = tf.summary.FileWriter(sys.argv[1])
writer.add_summary(tf.Summary(), 1)
child = os.fork()
if not child:
    for step in range(100, 120):
        writer.add_summary(tf.Summary(), step)
    writer.flush()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
writer.add_summary(tf.Summary(), 2)
writer.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
def test_a_child_writes_a_file_of_its_own(fork, folder):
    fork(PROGRAM_THAT_FORKS, folder)
    assert sorted(steps_in(folder)) == [1, 2, *range(100, 120)]


def test_files_at_urls():
    folder = "memory://logs/run"
    with tf.summary.FileWriter(folder) as writer:
        writer.add_summary(tf.Summary(), 4)
    (path,) = tf.gfile.Glob(f"{folder}/events.out.tfevents.*")
    assert [e.step for e in tf.train.summary_iterator(path)] == [0, 4]
    tf.gfile.DeleteRecursively("memory://logs")


def test_events_writer(tmp_path):
    writer = EventsWriter(bytes(tmp_path / "e"))
    writer.InitWithSuffix(b".end")
    assert writer.FileName().startswith(bytes(tmp_path / "e.out.tfevents."))
    assert writer.FileName().endswith(b".end")
    writer.WriteEvent(tf.Event(step=1))
    with pytest.raises(
        TypeError, match=r"Expected an event_pb2.Event proto,  but got <class 'int'>"
    ):
        writer.WriteEvent(3)
    assert writer.Flush()
    (path,) = tmp_path.iterdir()
    assert [e.step for e in tf.train.summary_iterator(path)] == [0, 1]
    assert writer.Close() and writer.Close()
    with pytest.raises(TypeError, match="expected bytes, str found"):
        EventsWriter("text")
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        EventsWriter(b"/no/such/folder/e").WriteEvent(tf.Event())


def test_session_that_ends_closes_the_file(tmp_path):
    writer = tf.contrib.summary.create_file_writer(str(tmp_path))
    with writer.as_default(), tf.contrib.summary.always_record_summaries():
        summary = tf.contrib.summary.scalar("a", 1.0, step=3)
    with tf.Session() as session:
        session.run(writer.init())
        session.run(summary)
        assert steps_in(tmp_path) == []
    assert steps_in(tmp_path) == [3]


def test_writer_of_a_session_makes_its_ops_in_the_graph_of_the_session(tmp_path):
    with tf.Session(graph=tf.Graph()) as session, tf.Graph().as_default() as other:
        writer = tf.summary.FileWriter(str(tmp_path), session=session)
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=1.0)]), 3)
        writer.close()
        assert not other.get_operations()
        assert "CreateSummaryFileWriter" in {op.type for op in session.graph.get_operations()}
    assert steps_in(tmp_path) == [3]


@pytest.mark.parametrize("full", ["max_queue", "flush_millis"])
def test_when_a_resource_writer_writes(tmp_path, full):
    limits = {"max_queue": 1} if full == "max_queue" else {"flush_millis": 0, "max_queue": 99}
    writer = tf.contrib.summary.create_file_writer(str(tmp_path), **limits)
    step = tf.placeholder(tf.int64, [])
    with writer.as_default(), tf.contrib.summary.always_record_summaries():
        summary = tf.contrib.summary.scalar("a", 1.0, step=step)
    with tf.Session() as session:
        session.run(writer.init())
        session.run(summary, {step: 1})
        assert steps_in(tmp_path) == ([] if full == "max_queue" else [1])
        session.run(summary, {step: 2})
        assert steps_in(tmp_path) == [1, 2]


def test_arguments_of_a_resource_writer(session, tmp_path):
    writer = tf.contrib.summary.create_file_writer(str(tmp_path), flush_millis=[1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="flush_millis must be scalar"):
        session.run(writer.init())


def test_the_meta_graph_has_the_collections_of_the_default_graph(tmp_path: Path) -> None:
    def collections(name: str, graph: tf.Graph) -> list[str]:
        with tf.summary.FileWriter(str(tmp_path / name), graph):
            pass
        file = next((tmp_path / name).iterdir())
        events = [e for e in tf.train.summary_iterator(str(file)) if e.meta_graph_def]
        return sorted(tf.MetaGraphDef.FromString(events[0].meta_graph_def).collection_def)

    with tf.Graph().as_default() as graph:
        tf.get_variable("v", [])
        assert collections("own", graph) == ["trainable_variables", "variables"]
    with tf.Graph().as_default():
        tf.add_to_collection("other", 1)
        assert collections("other", graph) == ["other"]


def _collections_in(folder: Path) -> list[list[str]]:
    (file,) = folder.glob("events*")
    events = [e for e in tf.train.summary_iterator(str(file)) if e.meta_graph_def]
    protos = [tf.MetaGraphDef.FromString(e.meta_graph_def) for e in events]
    return [sorted(proto.collection_def) for proto in protos]


def test_services_write_meta_graphs_with_collections(tmp_path: Path) -> None:
    step = tf.train.get_or_create_global_step()
    with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path / "hooks")) as session:
        session.run(step)
    tf.summary.FileWriterCache.clear()
    first, last = _collections_in(tmp_path / "hooks")
    assert first == ["global_step", "variables"]
    assert set(first) | {"init_op", "ready_op", "local_init_op"} < set(last)
    with tf.train.Supervisor(logdir=str(tmp_path / "supervisor")).managed_session():
        pass
    (only,) = _collections_in(tmp_path / "supervisor")
    assert {"global_step", "variables", "init_op", "ready_op"} < set(only)


def test_the_file_is_made_with_the_first_event(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.flush()
    writer.close()
    writer.reopen()
    assert not list(tmp_path.iterdir())
    writer.add_summary(tf.Summary(), 1)
    writer.close()
    writer.reopen()
    writer.close()
    (path,) = tmp_path.iterdir()
    kinds = [event.WhichOneof("what") for event in tf.train.summary_iterator(str(path))]
    assert kinds == ["file_version", "summary"]

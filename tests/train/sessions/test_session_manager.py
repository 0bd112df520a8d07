"""SessionManager and Scaffold; names, texts and logs are those of TensorFlow 1.15.5."""

from __future__ import annotations

import time
from typing import Any

import pytest

import headwater as tf


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that a manager makes, which take no time."""
    found: list[float] = []
    monkeypatch.setattr(time, "sleep", found.append)
    return found


def names_of(items: Any) -> list[str]:
    return [getattr(item, "name", type(item).__name__) for item in items]


def test_prepare_initializes_in_order():
    fed = tf.placeholder(tf.float32, [])
    v = tf.Variable(fed, name="v")
    local = tf.Variable(1.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    ready = tf.report_uninitialized_variables()
    seen = []
    manager = tf.train.SessionManager(
        local_init_op=local.assign(v + 1.0),
        ready_op=ready,
        ready_for_local_init_op=tf.report_uninitialized_variables(tf.global_variables()),
    )
    sess = manager.prepare_session(
        "",
        init_op=tf.global_variables_initializer(),
        init_feed_dict={fed: 2.0},
        init_fn=lambda sess: seen.append((sess.run(v), list(sess.run(ready)))),
    )
    assert seen == [(2.0, [b"Variable"])] and sess.run(local) == 3.0
    sess.close()


@pytest.mark.parametrize("by_path", [False, True])
def test_prepare_restores_instead(tmp_path, by_path):
    v = tf.Variable(1.0, name="v")
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(v.assign(5.0))
        path = saver.save(sess, str(tmp_path / "model"), global_step=3)
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    where = {"checkpoint_filename_with_path": path} if by_path else {"checkpoint_dir": tmp_path}
    again = tf.train.Saver()

    def fail(sess: Any) -> None:
        raise AssertionError("init_fn was called")

    with manager.prepare_session("", v.initializer, again, init_fn=fail, **where) as sess:
        assert sess.run(v) == 5.0
    # A saver that knows earlier checkpoints deletes them in time.
    assert again.last_checkpoints == ([] if by_path else [path])


def test_prepare_without_anything():
    tf.Variable(1.0, name="v")
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    with pytest.raises(RuntimeError, match="Model is not initialized and no init_op or init_fn or"):
        manager.prepare_session("")
    with pytest.raises(
        RuntimeError,
        match=r"Init operations did not make model ready\.  Init op: noop, init fn: None, "
        "local_init_op: None, error: Variables not initialized: v",
    ):
        manager.prepare_session("", init_op=tf.no_op("noop"))


def test_prepare_that_is_not_ready_for_the_local_ops():
    tf.Variable(1.0, name="v")
    manager = tf.train.SessionManager(
        local_init_op=tf.no_op(), ready_for_local_init_op=tf.report_uninitialized_variables()
    )
    with pytest.raises(
        RuntimeError,
        match=r"Init operations did not make model ready for local_init\.  Init op: None, init fn: "
        "<function .*>, error: Variables not initialized: v",
    ):
        manager.prepare_session("", init_fn=lambda sess: None)
    with pytest.raises(ValueError, match="If you pass a ready_for_local_init_op you must also"):
        tf.train.SessionManager(ready_for_local_init_op=tf.no_op())


def test_a_failed_session_is_closed(monkeypatch):
    closed = []
    monkeypatch.setattr(tf.Session, "close", lambda self: closed.append(self))
    tf.Variable(1.0)
    with pytest.raises(RuntimeError):
        tf.train.SessionManager().prepare_session("")
    assert len(closed) == 1


def test_wait_for_a_checkpoint(tmp_path, naps):
    v = tf.Variable(1.0)
    saver = tf.train.Saver()
    manager = tf.train.SessionManager(recovery_wait_secs=2)
    arguments = {"saver": saver, "checkpoint_dir": str(tmp_path), "wait_for_checkpoint": True}
    with manager.prepare_session("", v.initializer, max_wait_secs=5, **arguments) as sess:
        assert sess.run(v) == 1.0
    assert naps == [2, 2, 2]


def test_recover(tmp_path):
    v = tf.Variable(1.0, name="v")
    w = tf.Variable(2.0, name="w")
    saver = tf.train.Saver([v])
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables([v]))
    sess, initialized = manager.recover_session("", saver, str(tmp_path))
    assert not initialized and isinstance(sess, tf.Session)
    sess.run(v.initializer)
    saver.save(sess, str(tmp_path / "model"))
    sess, initialized = manager.recover_session("", saver, str(tmp_path))
    assert initialized and sess.run(v) == 1.0
    # With a variable that the checkpoint does not have, the model is not ready.
    for arguments in (
        {"ready_op": tf.report_uninitialized_variables([v, w])},
        {
            "ready_for_local_init_op": tf.report_uninitialized_variables([w]),
            "local_init_op": w.initializer,
        },
    ):
        manager = tf.train.SessionManager(**arguments)
        sess, initialized = manager.recover_session("", saver, str(tmp_path))
        assert not initialized and sess.run(v) == 1.0
        sess.close()


def test_wait_for_session(naps):
    v = tf.Variable(1.0, name="v")
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    with pytest.raises(
        tf.errors.DeadlineExceededError, match="Session was not ready after waiting 3 secs"
    ):
        manager.wait_for_session("", max_wait_secs=3.7)
    # A ready_op that fails for want of initialization is not ready either.
    manager = tf.train.SessionManager(ready_op=tf.assert_variables_initialized([v]))
    with pytest.raises(tf.errors.DeadlineExceededError):
        manager.wait_for_session("", max_wait_secs=3.7)
    # Without a ready_op, every model is ready.
    with tf.train.SessionManager().wait_for_session("") as sess:
        sess.run(v.initializer)
    assert naps == []


def test_other_failures_of_ready_op_are_raised():
    manager = tf.train.SessionManager(ready_op=tf.check_numerics(tf.constant(float("nan")), "bad"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad : Tensor had NaN values"):
        manager.wait_for_session("")


def test_scaffold_makes_nothing_before_finalize():
    tf.Variable(1, name="my_var")
    scaffold = tf.train.Scaffold()
    for name in ("init_op", "init_feed_dict", "init_fn", "ready_op", "ready_for_local_init_op",
                 "local_init_op", "summary_op", "saver"):  # fmt: skip
        assert getattr(scaffold, name) is None
    assert scaffold.finalize() is scaffold and tf.get_default_graph().finalized
    with tf.Session() as sess:
        assert list(sess.run(scaffold.ready_op)) == [b"my_var"]
        assert list(sess.run(scaffold.ready_for_local_init_op)) == [b"my_var"]
        sess.run([scaffold.init_op, scaffold.local_init_op])
        assert sess.run(scaffold.ready_op).size == 0
    assert isinstance(scaffold.saver, tf.train.Saver) and scaffold.summary_op is None


def test_scaffold_uses_collections_and_names_of_the_original():
    tf.Variable(1.0, name="w")
    tf.summary.scalar("s", 1.0)
    first, second = tf.train.Scaffold().finalize(), tf.train.Scaffold().finalize()
    for name in ("init_op", "ready_op", "ready_for_local_init_op", "local_init_op", "summary_op",
                 "saver"):  # fmt: skip
        assert getattr(first, name) is getattr(second, name)
    assert {key: names_of(tf.get_collection(key)) for key in ("init_op", "ready_op", "savers")} == {
        "init_op": ["group_deps"],
        "ready_op": ["concat:0"],
        "savers": ["Saver"],
    }
    assert first.ready_for_local_init_op.name == "concat_1:0"
    assert (first.local_init_op.name, first.summary_op.name) == (
        "group_deps_1",
        "Merge/MergeSummary:0",
    )


def test_scaffold_takes_one_item_of_a_collection():
    tf.Variable(1.0)
    for _ in range(2):
        tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver())
        tf.add_to_collection(tf.GraphKeys.SUMMARY_OP, tf.constant(""))
    with pytest.raises(RuntimeError, match='More than one item in the collection "summary_op"'):
        tf.train.Scaffold().finalize()
    with pytest.raises(RuntimeError, match="More than one item in collection savers"):
        tf.train.Scaffold(summary_op="none").finalize()
    assert tf.train.Scaffold.get_or_default("x", "mine", lambda: 5) == 5
    assert tf.get_collection("mine") == [5]


def test_scaffold_copies_another():
    calls = []
    saver = tf.train.Saver(allow_empty=True)
    first = tf.train.Scaffold(
        init_op=1, init_feed_dict=2, init_fn=lambda scaffold, sess: calls.append((scaffold, sess)),
        ready_op=3, ready_for_local_init_op=4, local_init_op=5, summary_op=6, saver=saver,
    )  # fmt: skip
    second = tf.train.Scaffold(ready_op=7, copy_from_scaffold=first)
    found = [second.init_op, second.init_feed_dict, second.ready_op,
             second.ready_for_local_init_op, second.local_init_op, second.summary_op]  # fmt: skip
    assert found == [1, 2, 7, 4, 5, 6] and second.saver is saver
    second.init_fn("session")
    assert calls == [(second, "session")]
    with pytest.raises(TypeError, match="copy_from_scaffold is not a Scaffold instance"):
        tf.train.Scaffold(copy_from_scaffold=5)


def test_tables_and_local_variables_are_initialized():
    table = tf.contrib.lookup.HashTable(tf.contrib.lookup.KeyValueTensorInitializer(["a"], [7]), -1)
    found = table.lookup(tf.constant("a"))
    local = tf.Variable(2, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    with tf.train.MonitoredSession() as sess:
        assert list(sess.run([found, local])) == [7, 2]


def test_the_saver_of_a_scaffold_travels_in_a_meta_graph(tmp_path):
    v = tf.Variable(3.0, name="v")
    scaffold = tf.train.Scaffold().finalize()
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold)) as sess:
        assert sess.run(v) == 3.0
        path = scaffold.saver.save(sess._tf_sess(), str(tmp_path / "model"))
    with tf.Graph().as_default():
        tf.train.import_meta_graph(f"{path}.meta")
        (saver,) = tf.get_collection(tf.GraphKeys.SAVERS)
        assert saver.saver_def == scaffold.saver.saver_def
        # A new Scaffold uses it, and the other ops of the collections.
        again = tf.train.Scaffold().finalize()
        assert again.saver is saver and again.init_op.name == scaffold.init_op.name
        with tf.train.SingularMonitoredSession(
            scaffold=again, checkpoint_filename_with_path=path
        ) as sess:
            assert sess.run("v:0") == 3.0

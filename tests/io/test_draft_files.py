"""Temporary files of killed writers are removed by the next save, those of others are not."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import headwater as tf
from headwater.io import atomic_file, checkpoint_files, draft_files
from headwater.io.atomic_file import AtomicFile, write_atomically

fcntl = pytest.importorskip("fcntl")

FOLDER = "m-1_temp_" + "0f" * 16


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def save(folder, version=tf.train.SaverDef.V2, sharded=False, path="m-2"):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=np.zeros(10, np.float32))
        session.run(v.initializer)
        saver = tf.train.Saver(write_version=version, sharded=sharded)
        saver.save(session, str(folder / path), write_meta_graph=False, write_state=False)


def abandoned(path):
    """The temporary file of a writer that was killed."""
    draft = draft_files.draft_path(str(path))
    Path(draft).touch()
    return draft


@pytest.mark.parametrize("version", [tf.train.SaverDef.V1, tf.train.SaverDef.V2])
@pytest.mark.parametrize("sharded", [False, True])
def test_what_a_killed_writer_has_left_is_removed(tmp_path, version, sharded):
    drafts = [abandoned(tmp_path / name) for name in ("m-1.index", "m-1.meta", "checkpoint")]
    save(tmp_path, version, sharded)
    assert not any(map(os.path.exists, drafts))


def test_files_of_living_writers_and_of_others_stay(tmp_path):
    alive = AtomicFile(tmp_path / "m-1.index")
    others = {
        "m-1.meta.tmp" + "0f" * 16,  # of TensorFlow
        "m-1.meta.tmp" + "0f" * 12,  # of another machine
        "m-1.tempstate12345678",
        "notes.tmp",
    }
    for name in others:
        (tmp_path / name).write_bytes(b"")
    write_atomically(tmp_path / "graph", b"")
    alive.commit()
    assert set(names(tmp_path)) == others | {"graph", "m-1.index"}


def test_folders_of_shards(tmp_path):
    folder = tmp_path / FOLDER
    folder.mkdir()
    (folder / "part-00000-of-00002.index").write_bytes(b"")
    save(tmp_path)
    assert folder.exists()  # without the mark of our writers, it may be one of TensorFlow
    draft_files.hold_shard_folder(str(folder))
    save(tmp_path)
    assert folder.exists()
    _, lock = draft_files._folder_locks.pop("0f" * 16)
    os.close(lock)  # as when the writer is killed
    (folder / "writer-01234567.lock").write_bytes(b"")
    save(tmp_path)
    assert folder.exists()  # a writer on another machine may be alive
    (folder / "writer-01234567.lock").unlink()
    save(tmp_path)
    assert not folder.exists()


def test_a_sharded_save_leaves_no_locks(tmp_path):
    save(tmp_path, sharded=True)
    assert names(tmp_path) == ["m-2.data-00000-of-00001", "m-2.index"]
    assert draft_files._folder_locks == {}


@pytest.mark.parametrize("sharded", [False, True])
def test_a_replaced_checkpoint_is_whole_at_every_step(tmp_path, monkeypatch, sharded):
    prefix = str(tmp_path / "m")
    seen = []

    def step_of_checkpoint():
        reader = tf.train.load_checkpoint(prefix)
        found = {float(x) for i in range(2) for x in reader.get_tensor(f"v{i}")}
        assert len(found) == 1
        return found.pop()

    def watch(module, name):
        function = getattr(module, name)

        def watched(*arguments, **options):
            function(*arguments, **options)
            seen.append(step_of_checkpoint())

        monkeypatch.setattr(module, name, watched)

    variables = []
    for i in range(2):
        with tf.device(f"/cpu:{i if sharded else 0}"):
            variables.append(tf.get_variable(f"v{i}", initializer=np.zeros(100, np.float32)))
    raised = [v.assign_add(np.ones(100, np.float32)) for v in variables]
    saver = tf.train.Saver(sharded=sharded)
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        session.run(tf.global_variables_initializer())
        saver.save(session, prefix, write_meta_graph=False, write_state=False)
        before = names(tmp_path)
        watch(atomic_file, "rename_file")
        for name in ("link_file", "remove_file"):
            watch(checkpoint_files, name)
        for _ in range(2):
            session.run(raised)
            saver.save(session, prefix, write_meta_graph=False, write_state=False)
    assert seen == sorted(seen) and set(seen) == {0, 1, 2}
    assert names(tmp_path) == before


def test_a_file_system_without_links(tmp_path, monkeypatch):
    def link_file(old, new):
        raise tf.errors.UnimplementedError(None, None, "no links")

    monkeypatch.setattr(checkpoint_files, "link_file", link_file)
    for _ in range(2):
        save(tmp_path)
        assert tf.train.list_variables(str(tmp_path / "m-2")) == [("v", [10])]
    assert names(tmp_path) == ["m-2.data-00000-of-00001", "m-2.index"]


def test_a_writer_that_is_killed_between_the_last_names(tmp_path, fork):
    save(tmp_path)
    fork(f"""
    import os
    import headwater as tf
    from headwater.io import checkpoint_files

    checkpoint_files.link_file = lambda old, new: os._exit(0)
    v = tf.get_variable("v", initializer=[1.0] * 10)
    with tf.Session() as session:
        session.run(v.initializer)
        saver = tf.train.Saver()
        saver.save(session, {str(tmp_path / "m-2")!r}, write_meta_graph=False, write_state=False)
    """)
    data, *others = names(tmp_path)
    assert data.startswith("m-2.data-00000-of-9") and others[0] == "m-2.index"
    assert tf.train.load_variable(str(tmp_path / "m-2"), "v").tolist() == [1.0] * 10
    save(tmp_path)
    assert names(tmp_path) == ["m-2.data-00000-of-00001", "m-2.index"]
    assert tf.train.load_variable(str(tmp_path / "m-2"), "v").tolist() == [0.0] * 10

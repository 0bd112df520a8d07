"""Files that are written by several processes at the same time."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import headwater as tf
from headwater.io.atomic_file import AtomicFile, write_atomically


def names(folder):
    return [path.name for path in folder.iterdir()]


# Each process saves repeatedly under names that the others use too.
SAVES = """
import sys
import headwater as tf
folder, count, version = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
variable = tf.Variable(float(sys.argv[4]))
saver = tf.train.Saver(max_to_keep=2, write_version=version)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(count):
        saver.save(session, folder + "/m", global_step=step % 5)
        tf.train.write_graph(session.graph, folder, "g.pb", as_text=bool(step % 2))
"""


@pytest.mark.parametrize("version", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_savers_of_three_processes(tmp_path, version):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SAVES, str(tmp_path), "60", str(version), str(number)],
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    for process in processes:
        _, text = process.communicate(timeout=100)
        assert process.returncode == 0, text
    assert [name for name in names(tmp_path) if ".tmp" in name] == []
    assert tf.train.get_checkpoint_state(str(tmp_path)).model_checkpoint_path
    tf.train.import_meta_graph(str(tmp_path / "m-4.meta"))


def test_threads_write_one_file(tmp_path):
    path = tmp_path / "file"
    texts = [bytes([65 + i]) * 100_000 for i in range(4)]

    def work(text):
        for _ in range(50):
            write_atomically(path, text)

    threads = [threading.Thread(target=work, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if path.exists():
            assert path.read_bytes() in texts
    assert names(tmp_path) == ["file"]


def test_nothing_is_seen_before_the_end(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    file = AtomicFile(path)
    file.write(b"new")
    assert path.read_bytes() == b"old"
    file.abandon()
    assert (path.read_bytes(), names(tmp_path)) == (b"old", ["file"])
    file = AtomicFile(path)
    file.write(b"new")
    file.commit()
    assert (path.read_bytes(), names(tmp_path)) == (b"new", ["file"])


@pytest.mark.parametrize("written", [0, 1000, 5_000_000])
def test_a_file_keeps_none_of_the_space_that_it_did_not_need(tmp_path, written):
    path = tmp_path / "file"
    file = AtomicFile(path)
    file.reserve(4_000_000)
    file.write(bytes(written))
    file.commit()
    assert path.stat().st_size == written
    assert path.stat().st_blocks * 512 < written + 100_000


def test_space_that_cannot_be_had_is_no_error(tmp_path):
    file = AtomicFile(tmp_path / "file")
    file.reserve(10**17)
    file.write(b"text")
    file.commit()
    assert (tmp_path / "file").read_bytes() == b"text"


def test_removal_leaves_the_temporary_files_of_others(tmp_path):
    for name in ("m-1.index", "m-1.data-00000-of-00001", "m-1.meta"):
        (tmp_path / name).write_bytes(b"")
    other = AtomicFile(tmp_path / "m-1.data-00000-of-00001")
    tf.train.remove_checkpoint(str(tmp_path / "m-1"))
    other.commit()
    assert names(tmp_path) == ["m-1.data-00000-of-00001"]


def test_failed_save_leaves_nothing(tmp_path):
    with tf.Session() as session:
        save = tf.raw_ops.SaveV2(
            prefix=str(tmp_path / "m"),
            tensor_names=["a", "a"],
            shape_and_slices=["", ""],
            tensors=[np.float32(1), np.float32(2)],
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="Adding duplicate key: a"):
            session.run(save)
    assert names(tmp_path) == []

import os
import pickle

import pytest

from headwater.engine import program_folder
from headwater.engine.program_folder import ProgramFolder

_SETUP = """
import headwater, jax
jax.config.update("jax_enable_compilation_cache", False)
"""
_PROGRAM = """
import warnings
warnings.simplefilter("error")
import numpy as np, headwater as tf
x = tf.placeholder(tf.float32, [None, 20])
y = tf.reduce_sum(tf.tanh(tf.matmul(x, tf.ones([20, 8]) * 0.01)))
with tf.Session() as session:
    for _ in range(3):
        print(session.run(y, {x: np.ones([4, 20])}))
"""


@pytest.fixture(scope="module")
def run_with_cache(fork):
    """A function that runs the program with a folder for compiled programs."""

    def run(folder, program=_PROGRAM, **others):
        environment = {"HEADWATER_CACHE_DIR": str(folder), "HEADWATER_JIT": "always", **others}
        done = fork(program, environment=environment, setup=_SETUP)
        assert done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture(scope="module")
def compiled(run_with_cache, tmp_path_factory):
    """A folder with the compiled programs of a run, and what the run has printed."""
    folder = tmp_path_factory.mktemp("compiled") / "a" / "programs"
    return folder, run_with_cache(folder).stdout


_ON_TWO_DEVICES = """
import numpy as np, headwater as tf
with tf.device("/cpu:1"):
    x = tf.placeholder(tf.float32, [None, 20])
    w = tf.get_variable("w", [20, 8], initializer=tf.zeros_initializer())
    y = tf.reduce_sum(tf.tanh(tf.matmul(x, w) - 0.5))
with tf.device("/cpu:0"):
    z = tf.exp(y * tf.ones([300])) + 1
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(y)
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        print(session.run([z, train], {x: np.ones([4, 20])})[0][0])
"""


class _Harmful:
    def __reduce__(self):
        return os._exit, (77,)


@pytest.mark.parametrize("damage", ["cut", "emptied", "overwritten", "a pickle", "other contents"])
def test_damaged_programs_on_disk_are_replaced_without_a_word(damage, compiled, run_with_cache):
    folder, expected = compiled
    files = sorted(folder.iterdir())
    assert files
    before = {}
    for file in files:
        data = file.read_bytes()
        if damage == "other contents":
            ProgramFolder(folder).write(file.stem, pickle.dumps("no program at all"))
        else:
            changed = {
                "cut": data[: len(data) // 2],
                "emptied": b"",
                "overwritten": data[:100] + bytes(100) + data[200:],
                "a pickle": pickle.dumps(_Harmful()),
            }[damage]
            file.write_bytes(changed)
        before[file] = file.read_bytes()
    done = run_with_cache(folder)
    assert done.stdout == expected
    assert done.stderr == ""
    assert sorted(folder.iterdir()) == files
    assert all(file.read_bytes() != before[file] for file in files)


def test_a_second_process_writes_nothing(compiled, run_with_cache):
    folder, expected = compiled
    before = {file: file.read_bytes() for file in folder.iterdir()}
    assert run_with_cache(folder).stdout == expected
    assert {file: file.read_bytes() for file in folder.iterdir()} == before


def test_programs_of_several_devices_are_loaded_for_their_devices(tmp_path, run_with_cache):
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    first = run_with_cache(tmp_path, _ON_TWO_DEVICES, **flags)
    kept = {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert len(kept) >= 2
    assert run_with_cache(tmp_path, _ON_TWO_DEVICES, **flags).stdout == first.stdout
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == kept
    # With one device only, the programs are others.
    run_with_cache(tmp_path, _PROGRAM)
    assert len(list(tmp_path.iterdir())) > len(kept)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="has no permissions of this kind")
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_can_write_is_refused_with_a_warning(tmp_path, mode, run_with_cache):
    tmp_path.chmod(mode)
    done = run_with_cache(tmp_path)
    assert "other users can write into it" in done.stderr
    assert done.stderr.count("Compiled programs are neither kept in") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="has no permissions of this kind")
def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert program_folder._other_writers(tmp_path) == "it belongs to another user"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="has no permissions of this kind")
def test_a_new_folder_is_for_its_user_only(compiled):
    assert compiled[0].stat().st_mode & 0o777 == 0o700


def test_a_path_that_is_no_folder_is_refused_with_a_warning(tmp_path, run_with_cache):
    file = tmp_path / "file"
    file.write_text("not a folder")
    assert run_with_cache(file).stderr.count("Compiled programs are not kept on disk") == 1


def test_what_is_written_is_read(tmp_path):
    folder = ProgramFolder(tmp_path)
    assert folder.read("a") is None
    folder.write("a", b"first")
    folder.write("a", b"second")
    assert ProgramFolder(tmp_path).read("a") == b"second"
    folder.remove("a")
    assert folder.read("a") is None
    assert not list(tmp_path.iterdir())


def test_programs_that_were_not_used_for_longest_make_room(tmp_path, monkeypatch):
    monkeypatch.setattr(program_folder, "_MOST_BYTES", 5000)
    (tmp_path / "letter.txt").write_bytes(bytes(9000))
    folder = ProgramFolder(tmp_path)
    contents = [os.urandom(1000) for _ in range(8)]
    for place, data in enumerate(contents):
        folder.write(str(place), data)
        os.utime(tmp_path / f"{place}.program", (place, place))
        # The first one is used again and again.
        assert folder.read("0") == contents[0]
    left = {file.stem for file in tmp_path.glob("*.program")}
    assert {"0", "7"} <= left
    assert not left & {"1", "2"}
    assert sum(file.stat().st_size for file in tmp_path.glob("*.program")) <= 5000
    assert (tmp_path / "letter.txt").exists()


def test_a_folder_that_is_gone_ends_the_keeping_with_one_warning(tmp_path, monkeypatch):
    warnings = []
    monkeypatch.setattr(program_folder.logging, "warning", lambda *values: warnings.append(values))
    folder = ProgramFolder(tmp_path / "gone")
    for key in "ab":
        folder.write(key, b"data")
        assert folder.read(key) is None
    assert len(warnings) == 1

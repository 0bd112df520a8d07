import os
import subprocess
import sys
import zlib

import numpy as np
import pytest

from headwater.base.lazy import jax, jnp, lax
from headwater.engine.compiling import compiler


def _options(function, *shapes):
    arguments = [np.ones(shape, np.float32) for shape in shapes]
    return compiler._compiler_options(jax.jit(function).lower(*arguments))


def _looped(step):
    return lambda x, y: lax.fori_loop(0, 4, lambda _, v: step(v, y), x)


@pytest.mark.skipif("jax.default_backend() != 'cpu'")
def test_small_products_in_loops_are_not_handed_to_the_library():
    loop = _looped(lambda x, y: jnp.tanh(x @ y))
    assert list(_options(loop, (20, 40), (40, 40)).values()) == [""]
    assert _options(loop, (200, 40), (40, 40)) is None
    assert _options(lambda x, y: x @ y, (20, 40), (40, 40)) is None
    wide = _looped(lambda x, y: x + jnp.sum(x @ y))
    assert _options(wide, (20, 40), (40, 9000)) is None
    assert _options(_looped(lambda x, y: x + y), (20, 40), (20, 40)) is None


_RUNS = """
import numpy as np, headwater as tf
x = tf.placeholder(tf.float32, [None, 20])
h = x
for width in range(8, 24):
    h = tf.tanh(tf.matmul(h, tf.ones([h.shape[1], width]) * 0.01)) + tf.sin(tf.reduce_sum(h))
with tf.Session() as session:
    for _ in range(3):
        print(session.run(tf.reduce_sum(h), {x: np.ones([4, 20])}))
"""


def _run_with_cache(folder):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _RUNS],
        env={**os.environ, "HEADWATER_CACHE_DIR": str(folder), "HEADWATER_JIT": "always"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("damage", ["cut", "emptied", "overwritten", "other contents"])
def test_damaged_programs_on_disk_are_replaced_without_a_word(tmp_path, damage):
    folder = tmp_path / "programs"
    expected = _run_with_cache(folder).stdout
    files = sorted(folder.glob("*-cache"))
    assert files
    for file in files:
        data = file.read_bytes()
        changed = {
            "cut": data[: len(data) // 2],
            "emptied": b"",
            "overwritten": data[:100] + bytes(100) + data[200:],
            "other contents": zlib.compress(b"no program at all"),
        }[damage]
        file.write_bytes(changed)
        before = {f: f.read_bytes() for f in files}
    done = _run_with_cache(folder)
    assert done.stdout == expected
    assert done.stderr == ""
    assert sorted(folder.glob("*-cache")) == files
    assert all(f.read_bytes() != before[f] for f in files)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="has no permissions of this kind")
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_can_write_is_refused_with_a_warning(tmp_path, mode):
    tmp_path.chmod(mode)
    done = _run_with_cache(tmp_path)
    assert "other users can write into it" in done.stderr
    assert done.stderr.count("Compiled programs are neither kept in") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="has no permissions of this kind")
def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert compiler._other_writers(tmp_path) == "it belongs to another user"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="has no permissions of this kind")
def test_a_new_folder_is_for_its_user_only(tmp_path):
    _run_with_cache(tmp_path / "a" / "programs")
    assert (tmp_path / "a" / "programs").stat().st_mode & 0o777 == 0o700

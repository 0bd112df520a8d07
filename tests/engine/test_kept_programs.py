import threading
import time

import numpy as np
import pytest
from jax.experimental.compilation_cache import compilation_cache

import headwater as tf
from headwater.base.lazy import jax, jnp
from headwater.engine import kept_programs, program_keys
from headwater.engine.compiling import sequence
from headwater.engine.nodes import heavy_kernels


@pytest.fixture(scope="module", autouse=True)
def _without_cache_of_jax():
    before = jax.config.jax_enable_compilation_cache
    jax.config.update("jax_enable_compilation_cache", False)
    compilation_cache.reset_cache()
    yield
    jax.config.update("jax_enable_compilation_cache", before)
    compilation_cache.reset_cache()


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The keys of the programs that are kept, in order; the folder is empty at first."""
    monkeypatch.setenv("HEADWATER_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HEADWATER_JIT", "always")
    keys = []

    def keep(key, outcome):
        assert key is not None
        keys.append(key)
        keep_really(key, outcome)

    # As in another process.
    monkeypatch.setattr(kept_programs, "_MOST_SHARED", 0)
    keep_really = kept_programs.keep
    monkeypatch.setattr(kept_programs, "keep", keep)
    return keys


def _run(build, feed=None, times=2):
    """What a new graph gives, run by run; `build` returns a placeholder and fetches."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        x, fetches = build()
        session.run(tf.global_variables_initializer())
        feed = np.arange(12.0).reshape(4, 3) if feed is None else feed
        return [session.run(fetches, {x: feed}) for _ in range(times)]


def _assert_loaded(build, kept):
    """Asserts that a second graph gives the same, from programs on disk."""
    first = _run(build)
    count = len(kept)
    assert count
    second = _run(build)
    assert len(kept) == count
    for a, b in zip(_flat(first), _flat(second)):
        np.testing.assert_array_equal(a, b)


def _flat(values):
    return tf.contrib.framework.nest.flatten(values)


def _placeholder():
    return tf.placeholder(tf.float32, [None, 3])


def _dense():
    x = _placeholder()
    return x, tf.nn.softmax(tf.matmul(x, tf.get_variable("w", [3, 5])) + 1)


def _training():
    x = _placeholder()
    loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 2) - 1))
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.1).minimize(loss, step)
    with tf.control_dependencies([train]):
        return x, [loss, step.read_value(), *tf.trainable_variables()]


def _random():
    x = _placeholder()
    return x, x + tf.random_normal(tf.shape(x), seed=5)


def _rows():
    """Updates of rows: a program in two phases."""
    x = _placeholder()
    table = tf.get_variable("table", [20, 3])
    numbers = tf.cast(x[:, 0], tf.int32)
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, numbers) * x)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.control_dependencies([train]):
        return x, [loss, table.read_value()]


def _unrolled():
    """Many equal steps: a sequence of programs."""
    x = _placeholder()
    cell = tf.nn.rnn_cell.BasicLSTMCell(3)
    outputs, _ = tf.nn.static_rnn(cell, [x] * 30, dtype=tf.float32)
    loss = tf.reduce_sum(outputs[-1])
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    with tf.control_dependencies([train]):
        return x, [loss, *(v.read_value() for v in tf.trainable_variables())]


def _branches():
    x = _placeholder()
    y = tf.cond(tf.reduce_sum(x) > 1, lambda: tf.exp(-x) * 3, lambda: tf.tanh(x) + 2)
    return x, y * 2


def _needs_value():
    x = _placeholder()
    count = tf.cast(x[0, 1], tf.int32) + 1
    return x, tf.tile(tf.tanh(x), tf.stack([count, 1])) + 1


def _loop():
    x = _placeholder()
    states = tf.while_loop(lambda i, _: i < 7, lambda i, v: (i + 1, tf.tanh(v * 2)), [0, x])
    return x, states[1]


def _dynamic_rnn():
    x = _placeholder()
    outputs, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), x[:, :, None], dtype=tf.float32)
    loss = tf.reduce_sum(outputs)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.control_dependencies([train]):
        return x, [loss, *(v.read_value() for v in tf.trainable_variables())]


def _nested_loops():
    x = _placeholder()

    def outer(i, v):
        inner = tf.while_loop(lambda j, _: j < i, lambda j, u: (j + 1, tf.sin(u) + 1), [0, v])
        return i + 1, inner[1]

    return x, tf.while_loop(lambda i, _: i < 4, outer, [0, x])[1]


def _large_constant():
    x = _placeholder()
    constant = tf.constant(np.arange(9000.0).reshape(3, 3000), tf.float32)
    return x, tf.reduce_sum(tf.matmul(x, constant), 1)


@pytest.mark.parametrize(
    "build",
    [
        _dense,
        _training,
        _random,
        _rows,
        _unrolled,
        _branches,
        _needs_value,
        _loop,
        _dynamic_rnn,
        _nested_loops,
        _large_constant,
    ],
)
def test_programs_on_disk_give_what_compiled_ones_have_given(build, kept):
    _assert_loaded(build, kept)


def test_constant_results_of_sequences_are_kept(kept):
    def function(x):
        total = x
        for _ in range(120):
            total = jnp.tanh(total @ total) * 2 + x
        return total, jnp.float32(3), x

    x = np.eye(3, dtype=np.float32)
    compiled = sequence.call_sequence(function, (x,))
    kept_programs.keep("key", compiled)
    loaded = kept_programs.load("key", None)
    assert loaded is not compiled
    for a, b in zip(compiled(x), loaded(x)):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_array_equal(a, b)
    assert jax.jit(jnp.add)(loaded(x)[1], 1) == 4


def test_equal_parts_of_a_graph_share_a_program(kept, monkeypatch):
    def build():
        x = _placeholder()
        parts = []
        for part in (x, -x):
            with tf.control_dependencies([tf.py_func(lambda: 1, [], tf.int64)]):
                parts.append(tf.nn.softmax(tf.exp(tf.identity(part) * 2) + 1))
        return x, parts

    monkeypatch.setattr(kept_programs, "_MOST_SHARED", 64)
    reads = []
    monkeypatch.setattr(kept_programs, "_read", lambda *a: reads.append(a))
    first = _run(build)
    assert len(reads) == len(kept) > 0
    second = _run(build)
    assert len(reads) == len(kept)
    for a, b in zip(_flat(first), _flat(second)):
        np.testing.assert_array_equal(a, b)


def test_heavy_kernels_are_on_disk_too(kept, monkeypatch):
    def build():
        x = _placeholder()
        return x, tf.gradients(tf.igamma(x + 1, 2.0), x)

    monkeypatch.setenv("HEADWATER_JIT", "never")
    first = []
    for _ in range(2):
        monkeypatch.setattr(heavy_kernels, "_programs", {})
        found = _flat(_run(build))
        assert len(kept) == 1
        for value, before in zip(found, first):
            np.testing.assert_array_equal(value, before)
        first = found


def test_names_and_the_rest_of_the_graph_do_not_matter(kept):
    def renamed():
        tf.get_variable("other", [7])
        with tf.name_scope("elsewhere"):
            x = _placeholder()
            tf.exp(x)
            weights = tf.get_variable("weights", [3, 5])
            return x, tf.nn.softmax(tf.matmul(x, weights, name="product") + 1, name="end")

    assert _run(_dense)[0].shape == (4, 5)
    count = len(kept)
    _run(renamed)
    # Only the initializer of the other variable is new.
    assert len(kept) == count + 1, kept


def _expression(function):
    def build():
        x = _placeholder()
        return x, function(x)

    return build


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: tf.exp(x) - tf.sin(x), lambda x: tf.sin(x) - tf.exp(x)),
        (lambda x: tf.exp(x) * 2, lambda x: tf.exp(x) * 3),
        (lambda x: tf.exp(x) * 0.0, lambda x: tf.exp(x) * -0.0),
        (lambda x: tf.matmul(x, x, transpose_a=True), lambda x: tf.matmul(x, x, transpose_b=True)),
        (lambda x: tf.reduce_sum(tf.exp(x), 0), lambda x: tf.reduce_sum(tf.exp(x), 1)),
        (lambda x: tf.cast(tf.exp(x), tf.int32), lambda x: tf.cast(tf.exp(x), tf.int64)),
        (lambda x: tf.exp(x)[1:3], lambda x: tf.exp(x)[0:2]),
        (lambda x: tf.exp(x) + 1, lambda x: [tf.exp(x), tf.exp(x) + 1]),
        (lambda x: tf.exp(tf.sin(x) + x), lambda x: tf.exp(tf.sin(x) + tf.sin(x))),
    ],
)
def test_programs_that_differ_have_different_keys(one, other, kept, tmp_path):
    alone = _run(_expression(other))
    kept.clear()
    for file in tmp_path.iterdir():
        file.unlink()
    _run(_expression(one))
    first = set(kept)
    kept.clear()
    for a, b in zip(_flat(_run(_expression(other))), _flat(alone)):
        np.testing.assert_array_equal(a, b)
    assert not first & set(kept)
    assert kept


def test_shapes_and_types_of_inputs_are_part_of_the_key(kept):
    build = _expression(lambda x: tf.exp(x) * tf.sin(x) + x)
    _run(build)
    count = len(kept)
    _run(build, np.ones((5, 3)))
    assert len(kept) == count + 1
    _run(lambda: (x := tf.placeholder(tf.float64, [None, 3]), tf.exp(x) * tf.sin(x) + x))
    assert len(kept) == count + 2


@pytest.mark.parametrize("what", ["_process", "_settings"])
def test_sources_versions_and_settings_are_part_of_the_key(what, kept, monkeypatch):
    _run(_dense)
    first = set(kept)
    monkeypatch.setattr(program_keys, what, lambda: ("another",))
    _run(_dense)
    assert len(kept) == 2 * len(first)
    assert len(set(kept)) == len(kept)


def test_a_changed_source_file_is_noticed(tmp_path):
    digests = []
    file = tmp_path / "inner" / "kernel.py"
    file.parent.mkdir()
    for text in ("one", "other", "longer than the others"):
        file.write_text(text)
        hashed = program_keys.hashlib.blake2b()
        program_keys._add_sources(hashed, str(tmp_path))
        digests.append(hashed.hexdigest())
    assert len(set(digests)) == 3


@pytest.mark.parametrize("name", ["first", "second"])
def test_errors_of_loaded_programs_name_the_op_of_this_graph(name, kept):
    def build():
        x = _placeholder()
        table = tf.get_variable("table", [4, 2])
        return x, tf.gather(table, tf.cast(x[:, 0], tf.int32), name=name) * 2

    _run(build, np.zeros((2, 3)))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=rf"= 9 is not in \[0, 4\)(.|\n)*{name}"
    ):
        _run(build, np.full((2, 3), 9.0))


def test_programs_for_variables_of_another_shape_are_loaded(kept):
    def build():
        x = _placeholder()
        v = tf.Variable(tf.zeros([2, 3]), validate_shape=False)
        grown = tf.assign(v, tf.concat([v, x], 0), validate_shape=False)
        return x, tf.tanh(grown) * 2

    _assert_loaded(build, kept)


def test_python_functions_are_not_part_of_programs_on_disk(kept):
    def build():
        x = _placeholder()
        return x, tf.py_func(lambda v: v + 1, [tf.exp(x)], tf.float32) * 2

    _assert_loaded(build, kept)


@pytest.mark.parametrize("mode", ["auto", "never"])
def test_the_number_of_runs_decides_even_if_there_is_a_program(mode, kept, monkeypatch):
    _run(_training)
    monkeypatch.setenv("HEADWATER_JIT", mode)
    loads = []
    load = kept_programs.load
    monkeypatch.setattr(kept_programs, "load", lambda *a: loads.append(a) or load(*a))
    _run(_training, times=1)
    assert not loads


def test_a_program_is_made_by_one_thread_at_a_time(kept):
    active, most = [], []

    def make():
        with kept_programs.making("key"):
            active.append(None)
            most.append(len(active))
            # A program that is made meanwhile, of whatever key, does not wait.
            with kept_programs.making("key"):
                time.sleep(0.001)
            active.pop()

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert most == [1] * 8


_SOLVE = """
import numpy as np
import headwater as tf

x = tf.placeholder(tf.float32, [3, 3])
solved = tf.matrix_solve(x, tf.cholesky(x))
with tf.Session() as session:
    for scale in (2.0, 4.0):
        value = session.run(solved, {x: scale * np.eye(3)})
print(value[0, 0])
"""


def test_linear_algebra_is_found_by_programs_that_another_process_has_kept(fork, tmp_path):
    # Without the cache of JAX, which would keep programs instead.
    environment = {
        "HEADWATER_CACHE_DIR": str(tmp_path),
        "HEADWATER_JIT": "always",
        "JAX_ENABLE_COMPILATION_CACHE": "0",
        "JAX_COMPILATION_CACHE_DIR": "",
    }
    for _ in range(2):
        done = fork(_SOLVE, environment=environment)
        assert (done.returncode, done.stdout) == (0, "0.5\n"), done.stderr
        assert any(tmp_path.iterdir())

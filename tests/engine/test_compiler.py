import gc

import numpy as np
import pytest

import headwater as tf
from headwater.base.lazy import jax, jnp, lax
from headwater.engine.compiling import compiler, program
from headwater.engine.loops import program as loop_program


def _options(function, *shapes):
    arguments = [np.ones(shape, np.float32) for shape in shapes]
    return compiler._library_options(jax.jit(function).lower(*arguments).as_text())


def _looped(step):
    return lambda x, y: lax.fori_loop(0, 4, lambda _, v: step(v, y), x)


@pytest.mark.skipif("jax.default_backend() != 'cpu'")
def test_small_products_in_loops_are_not_handed_to_the_library():
    loop = _looped(lambda x, y: jnp.tanh(x @ y))
    assert list(_options(loop, (20, 40), (40, 40)).values()) == [""]
    assert _options(loop, (200, 40), (40, 40)) == {}
    assert _options(lambda x, y: x @ y, (20, 40), (40, 40)) == {}
    wide = _looped(lambda x, y: x + jnp.sum(x @ y))
    assert _options(wide, (20, 40), (40, 9000)) == {}
    assert _options(_looped(lambda x, y: x + y), (20, 40), (20, 40)) == {}


def _chain(length, size):
    def chain(x):
        for _ in range(length):
            x = jnp.tanh(x * 2)
        return x

    return jax.jit(chain).lower(np.ones(size, np.float32))


def test_programs_are_compiled_the_more_cheaply_the_less_they_compute():
    kernels = compiler._CHEAP_KERNELS
    fewest, cheap = compiler._FEWEST_PASSES, compiler._CHEAP_PASSES
    options = compiler._cheap_options
    for size in (100, 1 << 13):
        assert options(_chain(20, size).as_text()) == {**cheap, **kernels}
    assert options(_chain(20, 1 << 20).as_text()) == {}
    assert options(_chain(200, 100).as_text()) == {**fewest, **kernels}
    assert options(_chain(200, 1 << 13).as_text()) == {**cheap, **kernels}
    assert options(_chain(200, 1 << 20).as_text()) == cheap
    # Equal ops that are not fused share a kernel.
    assert options(_chain(200, 100).as_text(), fuses=False) == fewest
    assert options(_chain(200, 1 << 13).as_text(), fuses=False) == cheap
    for size, passes in ((4, fewest), (1 << 10, cheap)):
        loop = jax.jit(_looped(lambda x, y: x + y)).lower(*(np.ones((2, size), np.float32),) * 2)
        assert options(loop.as_text()) == {**passes, **kernels}


def test_short_programs_that_update_rows_are_compiled_with_all_passes():
    rows = np.ones((8, 4), np.float32), np.zeros(3, np.int32), np.ones((3, 4), np.float32)
    lowered = jax.jit(lambda table, i, new: table.at[i].add(new)).lower(*rows)
    assert compiler._cheap_options(lowered.as_text()) == {}


def test_large_products_and_sums_are_much_work_though_their_results_are_small():
    for function in (jnp.dot, lambda x, y: jnp.sum(x) + jnp.sum(y)):
        lowered = [jax.jit(function).lower(*[np.ones((n, n))] * 2) for n in (8, 1000)]
        work = [sum(map(compiler._work, compiler._OP.finditer(x.as_text()))) for x in lowered]
        assert work[0] < 1000 < 1_000_000 < work[1]


def test_a_row_that_is_written_is_little_work_though_the_array_is_large():
    rows = np.ones((1000, 4)), np.ones((1, 4))
    lowered = jax.jit(lambda x, y: jax.lax.dynamic_update_slice(x, y, (3, 0))).lower(*rows)
    (op,) = [op for op in compiler._OP.finditer(lowered.as_text()) if "update" in op[1]]
    assert compiler._work(op) == 4


@pytest.mark.skipif("jax.default_backend() != 'cpu'")
def test_options_that_xla_does_not_have_are_left_out(monkeypatch):
    monkeypatch.setattr(compiler, "_unknown_options", set())
    monkeypatch.setattr(compiler, "_MANY_RESULTS", 0)
    monkeypatch.setattr(compiler, "_FEWEST_PASSES", {"xla_no_option": 1, **compiler._CHEAP_PASSES})
    program = compiler.compile_program(jax.jit(lambda x: x + 1).lower(np.ones(3)))
    np.testing.assert_array_equal(program(np.ones(3)), [2, 2, 2])
    # Newer versions of XLA have lost one of the others.
    assert "xla_no_option" in compiler._unknown_options
    assert not compiler._unknown_options & {"xla_backend_optimization_level"}


@pytest.mark.skipif("jax.default_backend() != 'cpu'")
def test_other_errors_of_the_compiler_are_raised(monkeypatch):
    monkeypatch.setattr(compiler, "_MANY_RESULTS", 0)
    monkeypatch.setattr(compiler, "_FEWEST_PASSES", {"xla_backend_optimization_level": "high"})
    with pytest.raises(RuntimeError, match="high"):
        compiler.compile_program(jax.jit(lambda x: x + 1).lower(np.ones(3)))


@pytest.mark.parametrize("module", [program, loop_program])
def test_the_garbage_collector_is_paused_while_programs_are_made(monkeypatch, module):
    seen = []

    def compile_program(*arguments):
        seen.append(gc.isenabled())
        return compiler.compile_program(*arguments)

    monkeypatch.setenv("HEADWATER_JIT", "always")
    monkeypatch.setattr(module, "compile_program", compile_program)
    x = tf.placeholder(tf.float32, [3])
    y = tf.while_loop(lambda i, _: i < 4, lambda i, v: (i + 1, tf.tanh(v)), [0, x])[1]
    with tf.Session() as session:
        session.run(tf.exp(y), {x: [1, 2, 3]})
    assert seen and not any(seen)
    assert gc.isenabled()


def test_equal_parts_of_programs_share_an_executable():
    def lowered(factor, size):
        shape = jax.ShapeDtypeStruct((size,), np.float32)
        return jax.jit(lambda x, _: [x * factor], keep_unused=True).lower(shape, shape)

    parts = [(lowered(factor, size), True) for factor, size in ((2, 3), (2, 3), (3, 3), (2, 4))]
    found = compiler.compile_parts(parts)
    assert found[0] is found[1]
    assert len(set(map(id, found))) == 3
    assert compiler.compile_parts(parts[2:]) == found[2:]
    assert compiler.compile_parts([(parts[0][0], False)])[0] is not found[0]
    np.testing.assert_array_equal(found[2](*[np.ones(3, np.float32)] * 2)[0], [3, 3, 3])

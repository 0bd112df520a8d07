"""Programs that concatenate thousands of small pieces: few operands, few kernels, equal values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headwater as tf
from headwater.base.lazy import jax, jnp
from headwater.engine.compiling import sequence
from headwater.engine.compiling.equation_order import groups_of
from headwater.ops.array.concatenation import concatenated, stacked

COUNT = 300


def groups(function, *values):
    closed = jax.make_jaxpr(function)(*values)
    equations, results = closed.jaxpr.eqns, closed.jaxpr.outvars
    return closed, groups_of(equations, results, sequence._weights(equations))


def pieces(x, count):
    kinds = [jnp.sin, jnp.cos, jnp.tanh]
    return [kinds[i % 3](x * float(i + 1)) for i in range(count)]


@pytest.mark.parametrize(
    ("join", "expected"),
    [
        (lambda parts: concatenated(jnp, parts, 0), lambda parts: np.concatenate(parts, 0)),
        (lambda parts: concatenated(jnp, parts, -1), lambda parts: np.concatenate(parts, -1)),
        (lambda parts: stacked(jnp, parts, 0), lambda parts: np.stack(parts, 0)),
        (lambda parts: stacked(jnp, parts, 1), lambda parts: np.stack(parts, 1)),
        (lambda parts: stacked(jnp, parts, -1), lambda parts: np.stack(parts, -1)),
    ],
)
@pytest.mark.parametrize("count", [1, 128, 129, 700])
def test_no_op_has_hundreds_of_operands(join, expected, count):
    parts = [np.full((2, 3), i, np.float32) for i in range(count)]
    equations = jax.make_jaxpr(join)(parts).jaxpr.eqns
    assert all(len(equation.invars) <= 128 for equation in equations)
    np.testing.assert_array_equal(jax.jit(join)(parts), expected(parts))


def test_small_pieces_are_not_fused():
    def function(x):
        return jnp.sum(concatenated(jnp, pieces(x, COUNT), 0)) * 2.0

    _, found = groups(function, np.ones(3, np.float32))
    assert [group.fuses for group in found] == [False, True]
    assert [e.primitive.name for e in found[1].equations] == ["reduce_sum", "mul"]
    # Each tree of concatenations stands after its pieces.
    names = [e.primitive.name for e in found[0].equations]
    assert names.count("concatenate") == 4
    assert names.index("concatenate") == 2 * 128


def test_what_few_or_large_pieces_need_is_fused():
    small, large = np.ones(3, np.float32), np.ones(2000, np.float32)
    for x, count in ((small, 60), (large, COUNT)):
        _, found = groups(lambda x, n=count: jnp.concatenate(pieces(x, n)), x)
        assert [group.fuses for group in found] == [True]


def test_long_pieces_and_steps_that_depend_on_each_other_are_fused():
    def long(x):
        parts = pieces(x, COUNT)
        for _ in range(10):
            parts = [jnp.sin(p) + 0.5 for p in parts]
        return concatenated(jnp, parts, 0)

    def steps(x):
        seen = []
        for _ in range(COUNT):
            x = jnp.sin(x) + 0.5
            seen.append(x)
        return stacked(jnp, seen, 0)

    for function in (long, steps):
        _, found = groups(function, np.ones(3, np.float32))
        assert [group.fuses for group in found] == [True]


def test_a_large_piece_among_small_ones_stands_before_them():
    def function(x, y):
        parts = pieces(x, COUNT)
        parts[150] = jnp.sum(jnp.sin(y) @ y, 0)
        return concatenated(jnp, parts, 0)

    _, found = groups(function, np.ones(3, np.float32), np.ones((600, 600), np.float32))
    assert [group.fuses for group in found] == [True, False]
    assert [e.primitive.name for e in found[0].equations][-1] == "reduce_sum"


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30), st.integers(0, 30)), max_size=60))
def test_the_order_can_be_executed(steps):
    def function(x):
        values = [x]
        for kind, i, j in steps:
            a, b = values[-1 - i % len(values)], values[-1 - j % len(values)]
            joined = [jnp.sum(v) * jnp.ones(3) for v in [a, b, *pieces(a[:3], 80)]]
            made = [a + 1.0, jnp.sin(b), a[:3] * b[:3], jnp.concatenate([a[:1], b[:2]])]
            values.append(jnp.concatenate(joined) if kind == 4 else made[kind])
        return values[-1], values[len(values) // 2]

    closed, found = groups(function, np.ones(3, np.float32))
    every = [e for group in found for e in group.equations]
    assert sorted(map(id, every)) == sorted(map(id, closed.jaxpr.eqns))
    made = {*closed.jaxpr.invars, *closed.jaxpr.constvars}
    for equation in every:
        assert made.issuperset(v for v in equation.invars if not hasattr(v, "val"))
        made.update(equation.outvars)


@pytest.fixture
def compiled(monkeypatch):
    """Notes the numbers of inputs and equations of the parts that are compiled, and `fuses`."""
    found = []
    lower_part = sequence._Part.lowered

    def noted(part, *arguments):
        found.append((len(part.inputs), len(part.equations), part.fuses))
        return lower_part(part, *arguments)

    monkeypatch.setattr(sequence._Part, "lowered", noted)
    return found


@pytest.mark.slow  # hundreds of producers take seconds to compile
@pytest.mark.parametrize(("join", "count"), [(tf.concat, 500), (tf.stack, COUNT)])
def test_values_of_many_producers(compiled, join, count, monkeypatch):
    def values(mode):
        monkeypatch.setenv("HEADWATER_JIT", mode)
        tf.reset_default_graph()
        x = tf.placeholder(tf.float32, [3])
        kinds = [tf.sin, tf.cos, tf.tanh, tf.square]
        parts = [kinds[i % 4](x * (i / 100)) + float(i) for i in range(count)]
        y = join(parts, 0)
        with tf.Session() as session:
            return [session.run(y, {x: [0.1, 0.2, float(i)]}) for i in range(2)]

    expected = values("never")
    assert not compiled
    np.testing.assert_allclose(values("always"), expected, rtol=1e-5)
    assert compiled
    assert not any(fuses for _, _, fuses in compiled)
    # The parts pass on what their trees have joined, and the pieces of one tree.
    assert all(inputs <= 150 for inputs, _, _ in compiled)

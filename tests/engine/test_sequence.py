"""Programs with repeats: detection, and equal results of the sequence of calls."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf
from headwater.base.lazy import jax, jnp
from headwater.engine.compiling import sequence
from headwater.engine.compiling.repeats import find_repeats
from headwater.engine.compiling.segment import Segment
from headwater.engine.compiling.sequence import CallSequence, call_sequence

STEPS = 60


def chain(x, weights, biases):
    """Steps of six equations, with one equation of another kind between them."""
    seen = []
    for i in range(STEPS):
        x = jnp.tanh(x @ weights[i % 2] + biases) * x - jnp.sin(biases)
        seen.append(jnp.sum(x[i % 4 :]))
    return x, jnp.stack(seen)


def arguments():
    random = np.random.default_rng(0)
    weights = [random.standard_normal((8, 8)).astype(np.float32) for _ in range(2)]
    return np.ones((8, 8), np.float32), weights, np.full((8, 8), 0.1, np.float32)


def equations(function, *values):
    return jax.make_jaxpr(function)(*values).jaxpr.eqns


def test_steps_are_found_once():
    found = find_repeats(equations(chain, *arguments()))
    covered = [p for r in found for s in r.starts for p in range(s, s + r.length)]
    assert len(covered) == len(set(covered))
    assert len(covered) >= 0.7 * len(equations(chain, *arguments()))
    assert all(len(r.starts) >= 3 for r in found)


def test_steps_that_are_wired_otherwise_are_not_the_same():
    def function(x, y):
        for i in range(30):
            sum_, product = x + y, x * y
            a, b = (sum_, product) if i % 2 else (product, sum_)
            x = jnp.tanh(jnp.sin(a) - jnp.cos(b))
            y = jnp.exp(x) / jnp.sqrt(y)
        return x

    every = equations(function, np.float32(1), np.float32(2))
    for repeat in find_repeats(every):
        texts = set()
        for start in repeat.starts:
            run = every[start : start + repeat.length]
            names: dict = {}
            texts.add(
                str(
                    [
                        (e.primitive.name, [names.setdefault(v, len(names)) for v in e.invars])
                        for e in run
                        if [names.setdefault(v, len(names)) for v in e.outvars]
                    ]
                )
            )
        assert len(texts) == 1


def test_a_sequence_of_calls_gives_what_one_program_gives():
    calls = call_sequence(chain, arguments())
    assert isinstance(calls, CallSequence)
    for found, expected in zip(calls(*arguments()), chain(*arguments())):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_what_does_not_repeat_is_no_sequence():
    def function(x):
        for i in range(400):
            x = jnp.sin(x) if (i * i) % 7 < 3 else jnp.concatenate([x, x[:1]])
        return x

    assert call_sequence(function, (np.ones(3, np.float32),)) is None
    assert call_sequence(jnp.sin, (np.ones(3, np.float32),)) is None


def updates(old, changes):
    return [
        jnp.sqrt(o * 0.9 + c * 2.0) - jnp.tanh(c) * jnp.abs(c - o) for o, c in zip(old, changes)
    ]


def test_arguments_are_taken_over_only_if_the_shapes_fit():
    def values():
        return [jnp.full((4, 4), i, jnp.float32) for i in range(1, 61)]

    old, changes = values(), values()
    calls = call_sequence(updates, (old, changes), donated=(0,))
    assert calls is not None
    with pytest.raises(TypeError, match="the program is for other shapes"):
        calls([*old[:-1], jnp.ones(3, jnp.float32)], changes)
    assert not any(v.is_deleted() for v in old)
    expected = updates(values(), values())
    for found, wanted in zip(calls(old, changes), expected):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert all(v.is_deleted() for v in old)
    assert not any(v.is_deleted() for v in changes)


def train(mode, monkeypatch):
    """Losses and weights of an unrolled network; how its training step was compiled."""
    monkeypatch.setenv("HEADWATER_JIT", mode)
    tf.reset_default_graph()
    rows = tf.placeholder(tf.int32, [5])
    table = tf.Variable(np.linspace(-1, 1, 40, dtype=np.float32).reshape(10, 4))
    weight = tf.Variable(np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4))
    state = tf.zeros([5, 4])
    for step in range(40):
        taken = tf.gather(table, (rows + step) % 10)
        state = tf.tanh(tf.matmul(tf.concat([taken, state], 1), weight)) * 0.5 + 0.5 * state
    loss = tf.reduce_mean(tf.square(state - 0.3))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    fed = {rows: [1, 5, 3, 9, 1]}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, step], fed)[0] for _ in range(4)]
        failed = tf.gather(table, rows + 100)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"indices\[0\] = 101 is not in \[0, 10\)"
        ):
            session.run([step, failed], fed)
        (plan,) = [p for key, p in session._plans.items() if step in key and loss in key]
        steps = [s for s in plan.schedule.steps if isinstance(s, Segment)]
        kinds = {type(p._first) for s in steps for p in s._programs.values()}
        return losses, session.run([table, weight]), kinds


def test_an_unrolled_network_is_trained_by_a_sequence(monkeypatch):
    expected = train("never", monkeypatch)
    found = train("always", monkeypatch)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-4)
    for a, b in zip(found[1], expected[1]):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)
    assert found[2] == {CallSequence}


def irregular(count):
    """A chain of `count` equations without repeats."""
    kinds = np.random.default_rng(0).integers(0, 5, count)
    choices = [
        lambda x, y: jnp.sin(y),
        lambda x, y: y + x,
        lambda x, y: y * x,
        lambda x, y: y - 1.0,
        lambda x, y: y / 2,
    ]

    def function(x, y):
        first = y
        for kind in kinds:
            y = choices[kind](x, y)
        return y, first + y, first

    return function


@pytest.fixture
def compiled(monkeypatch):
    """The numbers of equations of the programs that are compiled, as they are compiled."""
    monkeypatch.setattr(sequence, "_MOST_EQUATIONS", 100)
    monkeypatch.setattr(sequence, "_CHUNK_EQUATIONS", 50)
    sizes: list[int] = []
    whole = sequence._Part.lowered

    def noted(part, *arguments):
        sizes.append(sum(sequence._weights(part.equations)))
        return whole(part, *arguments)

    monkeypatch.setattr(sequence._Part, "lowered", noted)
    return sizes


@pytest.mark.parametrize("donated", [(), (1,)])
def test_what_does_not_repeat_is_cut_if_it_is_large(compiled, donated):
    function = irregular(700)

    def values():
        return jnp.full(3, 0.5, jnp.float32), jnp.full(3, 0.25, jnp.float32)

    cut = call_sequence(function, values(), donated)
    assert len(compiled) > 5
    assert max(compiled) <= 50
    taken = values()
    for found, wanted in zip(cut(*taken), function(*values())):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    assert not taken[0].is_deleted()


def test_equations_of_inner_functions_count():
    inner = jax.jit(irregular(30))

    def function(x):
        return jax.lax.cond(x > 0, lambda: inner(x, x)[0], lambda: inner(x, inner(x, x)[0])[0])

    (weight,) = sequence._weights(
        [e for e in equations(function, np.float32(1)) if e.primitive.name == "cond"]
    )
    assert 90 <= weight <= 120


@pytest.mark.parametrize("mode", ["auto", "always"])
def test_a_long_chain_with_gradient_and_updates_is_cut(compiled, mode, monkeypatch):
    def losses(mode):
        monkeypatch.setenv("HEADWATER_JIT", mode)
        tf.reset_default_graph()
        variable = tf.Variable([0.1, 0.2, 0.3])
        kinds = np.random.default_rng(1).integers(0, 5, 200)
        y = x = variable * 1.0
        for kind in kinds:
            y = [tf.sin, tf.tanh, lambda y: y + x, lambda y: y * 0.9, lambda y: tf.maximum(y, x)][
                kind
            ](y)
        loss = tf.reduce_sum(y)
        step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            found = [session.run([loss, step])[0] for _ in range(4)]
            return [*found, *session.run(variable)]

    expected = losses("never")
    assert not compiled
    np.testing.assert_allclose(losses(mode), expected, rtol=1e-4)
    assert len(compiled) > 10
    assert max(compiled) <= 100


def test_memory_of_a_sequence_is_that_of_what_lives_at_the_same_time():
    def function(x, steps):
        for _ in range(60):
            x = jnp.tanh(x @ steps + x) * jnp.cos(x) - jnp.sin(x) * 0.5
        return x

    size = 256 * 256 * 4
    values = [np.ones((256, 256), np.float32) for _ in range(2)]
    use = call_sequence(function, tuple(values)).memory_analysis()
    assert use.output_size_in_bytes == size
    assert size <= use.temp_size_in_bytes + use.output_size_in_bytes <= 12 * size

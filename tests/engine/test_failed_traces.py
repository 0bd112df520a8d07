"""A trace that an exception ends is freed."""

import gc
import weakref

import numpy as np
import pytest

import headwater as tf
from headwater.base.lazy import jax, jnp
from headwater.engine.compiling.lowering import NeedsValue
from headwater.engine.compiling.tracing import trace_to_end


def test_a_failed_trace_with_a_constant_is_freed() -> None:
    constant, tracers = jnp.arange(8.0), []

    def fails(x):
        tracers.append(weakref.ref(x + constant))
        raise ValueError("no")

    for stage in (lambda f: jax.jit(f).trace(1.0), lambda f: jax.make_jaxpr(f)(1.0)):
        with pytest.raises(ValueError, match="no"):
            trace_to_end(stage, fails)
    gc.collect()
    assert [reference() for reference in tracers] == [None, None]


def test_a_trace_returns_what_its_stage_returns() -> None:
    def double(x):
        return 2 * x

    assert trace_to_end(lambda f: jax.eval_shape(f, 1.0), double).shape == ()
    assert trace_to_end(lambda f: jax.jit(f).trace(1.0), double).lower().as_text().count("@main")


def test_a_program_that_needs_a_value_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_JIT", "auto")
    failed = []
    initialize = NeedsValue.__init__

    def noting(self, *args):
        failed.append(1)
        initialize(self, *args)

    monkeypatch.setattr(NeedsValue, "__init__", noting)

    def tracers():
        gc.collect()
        return sum(type(o).__name__ == "DynamicJaxprTracer" for o in gc.get_objects())

    def run():
        with tf.Graph().as_default(), tf.Session() as session:
            step = tf.Variable(0)
            x = tf.placeholder(tf.float32, [None])
            scaled = tf.reduce_sum(x * np.arange(8, dtype=np.float32))
            counted = tf.cond(step > 1, lambda: scaled, lambda: scaled + 1)
            both = tf.group(counted, tf.assign_add(step, 1))
            session.run(step.initializer)
            for _ in range(3):
                session.run([counted, both], {x: np.ones(8)})

    run()
    before, failures = tracers(), len(failed)
    run()
    assert len(failed) > failures
    assert tracers() <= before

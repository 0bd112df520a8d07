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

"""Every argument that uniform numbers lead to, against the C library."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest

from headwater.base.lazy import jax, jnp
from headwater.ops.random import float32_libm

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "float32_libm.json").read_text())


def checksums(xp, call):
    uniform = np.arange(2**23, dtype=np.float32) * np.float32(2.0**-23)
    angle = (uniform.astype(np.float64) * (2.0 * np.pi)).astype(np.float32)
    log = call(lambda x: float32_libm.log(xp, x))(np.maximum(uniform, np.float32(1e-7)))
    sin, cos = call(lambda x: float32_libm.sincos(xp, x))(angle)
    values = {"log": log, "sin": sin, "cos": cos}
    assert all(value.dtype == np.float32 for value in values.values())
    return {name: zlib.crc32(np.asarray(value).tobytes()) for name, value in values.items()}


def by_pieces(function):
    def call(x):
        parts = [np.asarray(function(part)) for part in np.split(x, 512)]
        return np.concatenate(parts, axis=-1)

    return call


def test_numpy_gives_the_bits_of_the_c_library():
    assert checksums(np, by_pieces) == GOLDEN


def test_xla_gives_the_bits_of_the_c_library():
    assert checksums(jnp, jax.jit) == GOLDEN


@pytest.mark.parametrize("call", ["log", "sincos"])
def test_pieces_of_any_length_give_the_same(call, rng):
    x = rng.uniform(0.1, 6.0, 37).astype(np.float32)
    whole = np.asarray(getattr(float32_libm, call)(np, x))
    parts = [np.asarray(getattr(float32_libm, call)(np, part)) for part in np.split(x, [1, 9])]
    np.testing.assert_array_equal(np.concatenate(parts, axis=-1), whole)

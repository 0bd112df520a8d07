"""Logarithm, sine and cosine of float32 with the very bits that the C library returns.

TensorFlow's normal numbers go through `logf` and `sincosf`. glibc (2.28 and later) evaluates them
in double precision with the tables and polynomials of Arm Optimized Routines; correct rounding
would differ in about 1 % of the results. Functions take `xp`, which is numpy or jax.numpy.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from headwater.base.typing import Array

_hex = float.fromhex

# 1/c and log(c) for a c near the middle of each of 16 intervals of [0.7, 1.4).
_LOG_INVERSE = np.array(
    [
        _hex("0x1.661ec79f8f3bep+0"),
        _hex("0x1.571ed4aaf883dp+0"),
        _hex("0x1.49539f0f010bp+0"),
        _hex("0x1.3c995b0b80385p+0"),
        _hex("0x1.30d190c8864a5p+0"),
        _hex("0x1.25e227b0b8eap+0"),
        _hex("0x1.1bb4a4a1a343fp+0"),
        _hex("0x1.12358f08ae5bap+0"),
        _hex("0x1.0953f419900a7p+0"),
        _hex("0x1p+0"),
        _hex("0x1.e608cfd9a47acp-1"),
        _hex("0x1.ca4b31f026aap-1"),
        _hex("0x1.b2036576afce6p-1"),
        _hex("0x1.9c2d163a1aa2dp-1"),
        _hex("0x1.886e6037841edp-1"),
        _hex("0x1.767dcf5534862p-1"),
    ]
)
_LOG_CENTRE = np.array(
    [
        _hex("-0x1.57bf7808caadep-2"),
        _hex("-0x1.2bef0a7c06ddbp-2"),
        _hex("-0x1.01eae7f513a67p-2"),
        _hex("-0x1.b31d8a68224e9p-3"),
        _hex("-0x1.6574f0ac07758p-3"),
        _hex("-0x1.1aa2bc79c81p-3"),
        _hex("-0x1.a4e76ce8c0e5ep-4"),
        _hex("-0x1.1973c5a611cccp-4"),
        _hex("-0x1.252f438e10c1ep-5"),
        _hex("0x0p+0"),
        _hex("0x1.aa5aa5df25984p-5"),
        _hex("0x1.c5e53aa362eb4p-4"),
        _hex("0x1.526e57720db08p-3"),
        _hex("0x1.bc2860d22477p-3"),
        _hex("0x1.1058bc8a07ee1p-2"),
        _hex("0x1.4043057b6ee09p-2"),
    ]
)
_LOG_2 = _hex("0x1.62e42fefa39efp-1")
_LOG_SQUARE = _hex("-0x1.ffffef20a4123p-2")
_LOG_CUBE = _hex("0x1.5575b0be00b6ap-2")
_LOG_FOURTH = _hex("-0x1.00ea348b88334p-2")
_LOG_LOWEST = 0x3F330000  # the bits of the left end of the first interval

_HALF_PI = _hex("0x1.921fb54442d18p+0")
_SIN = (
    _hex("-0x1.555545995a603p-3"),
    _hex("0x1.1107605230bc4p-7"),
    _hex("-0x1.994eb3774cf24p-13"),
)
_COS = (
    _hex("-0x1.ffffffd0c621cp-2"),
    _hex("0x1.55553e1068f19p-5"),
    _hex("-0x1.6c087e89a359dp-10"),
    _hex("0x1.99343027bf8c3p-16"),
)


def log(xp: ModuleType, x: Array) -> Array:
    """Returns log(x) of float32[n]; x must be positive, finite and not subnormal."""
    bits = x.view(xp.int32)
    above = bits - _LOG_LOWEST
    exponent = above >> 23
    interval = (above >> 19) & 15
    # x = 2**exponent * z
    z = (bits - (exponent << 23)).view(xp.float32).astype(xp.float64)
    inverse, centre = xp.asarray(_LOG_INVERSE)[interval], xp.asarray(_LOG_CENTRE)[interval]
    r = z * inverse - 1.0
    start = centre + exponent.astype(xp.float64) * _LOG_2
    square = r * r
    tail = _LOG_FOURTH * square + (_LOG_CUBE * r + _LOG_SQUARE)
    return (tail * square + (start + r)).astype(xp.float32)


def sincos(xp: ModuleType, angle: Array) -> tuple[Any, Any]:
    """Returns (sin, cos) of float32 angles in [0, 2 pi]."""
    angle = angle.astype(xp.float64)
    turns = xp.floor(angle * (1.0 / _HALF_PI) + 0.5)
    quadrant = turns.astype(xp.int32)
    x = angle - turns * _HALF_PI
    x2 = x * x
    x3, x4 = x2 * x, x2 * x2
    sine = (x + x3 * _SIN[0]) + (x3 * x2) * (_SIN[1] + x2 * _SIN[2])
    cosine = ((1.0 + x2 * _COS[0]) + x4 * _COS[1]) + (x4 * x2) * (_COS[2] + x2 * _COS[3])
    odd = (quadrant & 1) != 0
    sin = xp.where(odd, cosine, sine)
    cos = xp.where(odd, sine, cosine)
    sin = xp.where((quadrant & 2) != 0, -sin, sin)
    cos = xp.where(((quadrant + 1) & 2) != 0, -cos, cos)
    return sin.astype(xp.float32), cos.astype(xp.float32)

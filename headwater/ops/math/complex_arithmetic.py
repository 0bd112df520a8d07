"""Products and quotients of complex numbers with infinities and NaN in their parts.

Source: ISO C99, annex G.5.1: a product or quotient of which one part is infinite is an infinity,
even if the other part is NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule


def joined(xp: ArrayModule, real: Array, imag: Array) -> Array:
    """Complex numbers from their parts, with no arithmetic on either."""
    if xp is not np:
        return lax.complex(*xp.broadcast_arrays(real, imag))
    real, imag = np.broadcast_arrays(real, imag)
    result = np.empty(real.shape, np.result_type(real.dtype, np.complex64))
    result.real, result.imag = real, imag
    return result


def flushed(xp: ArrayModule, z: Array) -> Array:
    """Complex numbers with 0 for parts below the smallest normal number."""
    tiny = np.finfo(z.dtype).tiny
    real, imag = xp.real(z), xp.imag(z)
    zero = real.dtype.type(0)
    real = xp.where(xp.abs(real) < tiny, zero, real)
    return joined(xp, real, xp.where(xp.abs(imag) < tiny, zero, imag))


def _signs(xp: ArrayModule, *parts: Any) -> list[Any]:
    """1 for infinities and 0 for numbers, with their signs."""
    return [xp.copysign(xp.isinf(p).astype(p.dtype), p) for p in parts]


def _numbers(xp: ArrayModule, chosen: Array, *parts: Any) -> list[Any]:
    """The parts with 0 for NaN where it is chosen."""
    return [xp.where(chosen & xp.isnan(p), xp.copysign(p.dtype.type(0), p), p) for p in parts]


def _either(xp: ArrayModule, test: Callable[..., Any], *parts: Any) -> Array:
    return test(parts[0]) | test(parts[1])


def multiplied(xp: ArrayModule, a: Array, b: Array) -> Array:
    """The products of complex numbers of one type."""
    ar, ai, br, bi = xp.real(a), xp.imag(a), xp.real(b), xp.imag(b)
    products = (ar * br, ai * bi, ar * bi, ai * br)
    x, y = products[0] - products[1], products[2] + products[3]
    lost = xp.isnan(x) & xp.isnan(y)
    a_infinite, b_infinite = (_either(xp, xp.isinf, *p) for p in ((ar, ai), (br, bi)))
    too_large = _either(xp, xp.isinf, *products[:2]) | _either(xp, xp.isinf, *products[2:])
    known = a_infinite | b_infinite | too_large
    a_parts = [xp.where(a_infinite, s, p) for s, p in zip(_signs(xp, ar, ai), (ar, ai))]
    b_parts = [xp.where(b_infinite, s, p) for s, p in zip(_signs(xp, br, bi), (br, bi))]
    ar, ai, br, bi = _numbers(xp, known, *a_parts, *b_parts)
    infinity = ar.dtype.type(np.inf)
    return joined(
        xp,
        xp.where(lost & known, infinity * (ar * br - ai * bi), x),
        xp.where(lost & known, infinity * (ar * bi + ai * br), y),
    )


def divided(xp: ArrayModule, a: Array, b: Array) -> Array:
    """The quotients of complex numbers of one type."""
    ar, ai, br, bi = xp.real(a), xp.imag(a), xp.real(b), xp.imag(b)
    one, infinity = br.dtype.type(1), br.dtype.type(np.inf)
    # Squares of large and small numbers overflow or underflow.
    scale = xp.maximum(xp.abs(br), xp.abs(bi))
    scale = xp.where(xp.isfinite(scale) & (scale > 0), scale, one)
    sr, si = br / scale, bi / scale
    size = sr * sr + si * si
    x, y = (ar * sr + ai * si) / size / scale, (ai * sr - ar * si) / size / scale
    lost = xp.isnan(x) & xp.isnan(y)
    by_zero = lost & (size == 0) & ~(xp.isnan(ar) & xp.isnan(ai))
    signed = xp.copysign(infinity, br)
    of_infinite = _either(xp, xp.isinf, ar, ai) & xp.isfinite(br) & xp.isfinite(bi)
    by_infinite = _either(xp, xp.isinf, br, bi) & xp.isfinite(ar) & xp.isfinite(ai)
    ir, ii = _signs(xp, ar, ai)
    jr, ji = _signs(xp, br, bi)
    x = xp.where(lost & of_infinite, infinity * (ir * br + ii * bi), x)
    y = xp.where(lost & of_infinite, infinity * (ii * br - ir * bi), y)
    zero = br.dtype.type(0)
    x = xp.where(lost & by_infinite, zero * (ar * jr + ai * ji), x)
    y = xp.where(lost & by_infinite, zero * (ai * jr - ar * ji), y)
    return joined(xp, xp.where(by_zero, signed * ar, x), xp.where(by_zero, signed * ai, y))

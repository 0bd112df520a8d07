"""tensorflow.python.ops.distributions.special_math."""

from __future__ import annotations

from headwater.model.distributions.special_math import (
    LOGNDTR_FLOAT32_LOWER,
    LOGNDTR_FLOAT32_UPPER,
    LOGNDTR_FLOAT64_LOWER,
    LOGNDTR_FLOAT64_UPPER,
    _double_factorial,
    _log_ndtr_asymptotic_series,
    _log_ndtr_lower,
    _ndtr,
    _ndtri,
    erfinv,
    log_cdf_laplace,
    log_ndtr,
    ndtr,
    ndtri,
)

__all__ = [
    "LOGNDTR_FLOAT32_LOWER",
    "LOGNDTR_FLOAT32_UPPER",
    "LOGNDTR_FLOAT64_LOWER",
    "LOGNDTR_FLOAT64_UPPER",
    "_double_factorial",
    "_log_ndtr_asymptotic_series",
    "_log_ndtr_lower",
    "_ndtr",
    "_ndtri",
    "erfinv",
    "log_cdf_laplace",
    "log_ndtr",
    "ndtr",
    "ndtri",
]

"""Debug ops that inspect tensors: Copy, DebugIdentity, DebugNumericSummary, ..."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule
from headwater.graph import RunsOn, Sample, register_op, shapes

_NAMES = (
    "T: type, device_name: string = '', tensor_name: string = '', debug_urls: list(string) = []"
)


def kernel_identity(xp: ArrayModule, x: Array) -> Array:
    return x


def kernel_nan_count(xp: ArrayModule, x: Array) -> Array:
    if x.dtype.kind in "iub":
        return np.int64(0)
    return xp.sum(xp.isnan(x), dtype=np.int64)


def kernel_numeric_summary(
    xp: ArrayModule,
    x: np.ndarray,
    *,
    T: DType,
    lower_bound: float,
    upper_bound: float,
) -> np.ndarray:
    """Counts the kinds of numbers and measures the finite ones."""
    numbers = np.asarray(x).astype(np.float64).ravel()
    nan = np.isnan(numbers)
    with np.errstate(invalid="ignore"):
        low = (numbers <= lower_bound) & ~nan if lower_bound != -np.inf else numbers == -np.inf
        high = (numbers >= upper_bound) & ~nan if upper_bound != np.inf else numbers == np.inf
    rest = numbers[~nan & ~low & ~high]
    counts = [np.sum(nan), np.sum(low), *(np.sum(f(rest, 0)) for f in _SIGNS), np.sum(high)]
    finite = numbers[np.isfinite(numbers)]
    measured = (
        [finite.min(), finite.max(), finite.mean(), finite.var()]
        if finite.size
        else [np.inf, -np.inf, np.nan, np.nan]
    )
    return np.array(
        [1.0, numbers.size, *counts, *measured, T.as_datatype_enum, np.ndim(x), *np.shape(x)],
        np.float64,
    )


_SIGNS = (np.less, np.equal, np.greater)


def samples_identity() -> Iterator[Sample]:
    yield Sample(np.arange(6, dtype=np.float32).reshape(2, 3), tensor_name="n:0")


def samples_summary() -> Iterator[Sample]:
    yield Sample(np.array([[1, np.nan, -np.inf], [0, -3, 2.5]], np.float32), tensor_name="n:0")


def _register_copy(name: str) -> None:
    register_op(
        name,
        inputs="input: T",
        outputs="output: T",
        attrs="T: type, tensor_name: string = '', debug_ops_spec: list(string) = []",
        shape=shapes.like_first,
        kernel=kernel_identity,
        samples=samples_identity,
        allows_uninitialized=True,
    )


_register_copy("Copy")
_register_copy("CopyHost")
register_op(
    "DebugIdentity",
    inputs="input: T",
    outputs="output: T",
    attrs=f"{_NAMES}, gated_grpc: bool = false",
    shape=shapes.like_first,
    kernel=kernel_identity,
    samples=samples_identity,
    allows_uninitialized=True,
)
register_op(
    "DebugNanCount",
    inputs="input: T",
    outputs="output: int64",
    attrs=f"{_NAMES}, gated_grpc: bool = false",
    shape=shapes.scalar,
    kernel=kernel_nan_count,
    samples=samples_summary,
    allows_uninitialized=True,
)
register_op(
    "DebugNumericSummary",
    inputs="input: T",
    outputs="output: double",
    attrs=f"{_NAMES}, lower_bound: float = -inf, upper_bound: float = inf, "
    "mute_if_healthy: bool = false, gated_grpc: bool = false",
    shape=shapes.unknown,
    kernel=kernel_numeric_summary,
    samples=samples_summary,
    allows_uninitialized=True,
    dynamic_shape=True,
    runs_on=RunsOn.HOST,
)
register_op(
    "DebugGradientIdentity",
    inputs="input: T",
    outputs="output: T",
    attrs="T: type",
    shape=shapes.like_first,
    kernel=kernel_identity,
    samples=lambda: [Sample(np.arange(3, dtype=np.float32))],
    allows_uninitialized=True,
)
register_op(
    "DebugGradientRefIdentity",
    inputs="input: Ref(T)",
    outputs="output: Ref(T)",
    attrs="T: type",
    shape=shapes.like_first,
    kernel=kernel_identity,
    allows_uninitialized=True,
)

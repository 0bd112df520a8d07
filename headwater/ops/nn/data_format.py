"""Conversion of axes and sizes from one image layout to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base.typing import Array, ArrayModule
from headwater.graph import Sample, register_op, shapes
from headwater.ops.nn.window_arguments import invalid

_ATTRS = "T: {int32, int64} = int32, src_format: string = 'NHWC', dst_format: string = 'NCHW'"


def _check(src_format: str, dst_format: str) -> None:
    for name, text in (("Source", src_format), ("Destination", dst_format)):
        if len(text) not in (4, 5):
            what = "src" if name == "Source" else "dst"
            invalid(f"{name} format must be of length 4 or 5, received {what}_format = {text}")
    if sorted(src_format) != sorted(dst_format) or len(set(src_format)) != len(src_format):
        invalid(
            "Destination and source format must determine a permutation, got "
            f"{src_format} and {dst_format}"
        )


def kernel_dim_map(xp: ArrayModule, x: Array, *, src_format: str, dst_format: str) -> Array:
    _check(src_format, dst_format)
    places = np.array([dst_format.index(letter) for letter in src_format], x.dtype)
    return xp.take(xp.asarray(places), x % x.dtype.type(len(places)))


def kernel_vec_permute(xp: ArrayModule, x: Array, *, src_format: str, dst_format: str) -> Array:
    if x.ndim not in (1, 2):
        invalid(f"input must be a vector or 2D tensor, but got shape {_show(x)}")
    if x.shape[0] != 4:
        which = "1D input" if x.ndim == 1 else "First dimension of 2D input"
        invalid(f"{which} must be of size 4, but got shape {_show(x)}")
    if x.ndim == 2 and x.shape[1] != 2:
        invalid(f"Second dimension of 2D input must be of size 2, but got shape {_show(x)}")
    _check(src_format, dst_format)
    return x[np.array([src_format.index(letter) for letter in dst_format])]


def _show(x: Array) -> str:
    return f"[{','.join(map(str, x.shape))}]"


def reference_dim_map(x: np.ndarray, *, src_format: str, dst_format: str) -> np.ndarray:
    return np.array([dst_format.index(src_format[i]) for i in x.flat], x.dtype).reshape(x.shape)


def reference_vec_permute(x: np.ndarray, *, src_format: str, dst_format: str) -> np.ndarray:
    return np.stack([x[src_format.index(letter)] for letter in dst_format])


def samples_dim_map() -> Iterator[Sample]:
    yield Sample(np.array([0, 1, -2, 3, -4], np.int32))
    yield Sample(np.array([[0, 1], [-2, 3]]), src_format="NHWC", dst_format="HWNC")


def samples_vec_permute() -> Iterator[Sample]:
    yield Sample(np.array([7, 4, 9, 3], np.int32))
    yield Sample(np.arange(8).reshape(4, 2), src_format="NCHW", dst_format="HWNC")


def _register_data_format(
    name: str,
    kernel: Callable[..., Any],
    reference: Callable[..., Any],
    samples: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="x: T",
        outputs="y: T",
        attrs=_ATTRS,
        shape=shapes.like_first,
        kernel=kernel,
        reference=reference,
        samples=samples,
    )


_register_data_format("DataFormatDimMap", kernel_dim_map, reference_dim_map, samples_dim_map)
_register_data_format(
    "DataFormatVecPermute", kernel_vec_permute, reference_vec_permute, samples_vec_permute
)

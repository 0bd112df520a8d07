"""`tf.Print`: an identity that writes values to standard error."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from headwater.base.summarize import summarize as summary_of
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import Operation, RunsOn, Tensor, build, export, register_op, shapes

_lock = threading.Lock()


def kernel_print(
    xp: ArrayModule,
    x: Array,
    data: list[Any],
    *,
    message: str,
    first_n: int,
    summarize: int,
    op: Operation,
) -> Array:
    with _lock:
        count = op.__dict__["_times_printed"] = op.__dict__.get("_times_printed", 0) + 1
    if first_n < 0 or count <= first_n:
        text = "".join(summary_of(np.asarray(item), summarize) for item in data)
        sys.stderr.write(f"{message}{text}\n")
        sys.stderr.flush()
    return x


register_op(
    "Print",
    inputs="input: T, data: U",
    outputs="output: T",
    attrs=(
        "T: type, U: list(type) >= 0, message: string = '', first_n: int = -1, summarize: int = 3"
    ),
    shape=shapes.like_first,
    kernel=kernel_print,
    runs_on=RunsOn.HOST,
    stateful=True,
    gradient=lambda op, *grads: [*grads, *[None] * (len(op.inputs) - 1)],
)


@export("Print")
def print_(
    input_: TensorLike,
    data: Sequence[TensorLike],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns a tensor with the same value and writes values to standard error when it runs.

    Args:
        input_: a tensor that is passed on.
        data: tensors whose values are written.
        message: a text before the values.
        first_n: how many times something is written; None or negative for always.
        summarize: how many elements of each tensor are written; 3 by default, negative for all.
        name: the name of the op.

    Returns:
        A tensor of the type and shape of `input_`.
    """
    return build.Print(
        input_,
        data,
        message=message or "",
        first_n=-1 if first_n is None else first_n,
        summarize=3 if summarize is None else summarize,
        name=name,
    )

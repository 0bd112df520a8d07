"""`tf.print`, an op that writes a text with values to a stream or file; `tf.timestamp`."""

from __future__ import annotations

import pprint
import secrets
import sys
import time
from typing import Any

import numpy as np

from headwater.base import logging, nest
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    RunsOn,
    Sample,
    Tensor,
    build,
    export,
    is_sparse,
    register_op,
    shapes,
)
from headwater.io.files import open_file

_LOGS = {
    "log(info)": logging.info,
    "log(warning)": logging.warning,
    "log(error)": logging.error,
}
_STREAMS = (
    "Supported streams are sys.stdout, sys.stderr, tf.logging.info, tf.logging.warning, "
    "tf.logging.error. File needs to be in the form of 'file://<filepath>'."
)


def kernel_print_v2(xp: ArrayModule, text: np.ndarray, *, output_stream: str, end: str) -> None:
    written = text.item().decode("utf-8", "backslashreplace")
    if output_stream in _LOGS:
        _LOGS[output_stream](written)
    elif output_stream.startswith("file://"):
        with open_file(output_stream.removeprefix("file://"), "ab") as file:
            file.write((written + end).encode())
    else:
        stream = sys.stdout if output_stream == "stdout" else sys.stderr
        stream.write(written + end)
        stream.flush()


def kernel_timestamp(xp: ArrayModule) -> Array:
    return np.float64(time.time())


def shape_print(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("input", 0)
    return []


register_op(
    "PrintV2",
    inputs="input: string",
    attrs="output_stream: string = 'stderr', end: string = '\\n'",
    shape=shape_print,
    kernel=kernel_print_v2,
    runs_on=RunsOn.HOST,
    stateful=True,
)
register_op(
    "Timestamp",
    outputs="ts: double",
    shape=shapes.scalar,
    kernel=kernel_timestamp,
    gradient=NOT_DIFFERENTIABLE,
    samples=lambda: [Sample()],
    runs_on=RunsOn.HOST,
    stateful=True,
)


@export("timestamp")
def timestamp(name: str | None = None) -> Tensor:
    """The time at which it runs.

    Args:
        name: the name of the node.

    Returns:
        Seconds since 1970, a float64 scalar.
    """
    return build.Timestamp(name=name)


def _stream_of(output_stream: Any) -> str:
    # Compares by identity first: the `==` of a stream may raise.
    known = [
        (sys.stdout, "stdout"),
        (sys.stderr, "stderr"),
        (sys.__stdout__, "stdout"),
        (sys.__stderr__, "stderr"),
        (logging.info, "log(info)"),
        (logging.warning, "log(warning)"),
        (logging.warn, "log(warning)"),
        (logging.error, "log(error)"),
    ]
    for stream, text in known:
        if output_stream is stream:
            return text
    if isinstance(output_stream, str) and output_stream.startswith("file://"):
        return output_stream
    for stream, text in known:
        if output_stream in (text, stream):
            return text
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{output_stream}. {_STREAMS}"
    )


def _text_and_tensors(inputs: tuple[Any, ...], sep: str) -> tuple[str, str, list[Tensor]]:
    """The text with a placeholder for each tensor, the placeholder, and the tensors."""
    placeholder = "{}"
    while any(isinstance(x, str) and placeholder in x for x in nest.flatten(list(inputs))):
        placeholder = f"{{{secrets.token_hex(15)}}}"
    tensors: list[Tensor] = []

    def shown(x: TensorLike) -> Any:
        if isinstance(x, Tensor):
            tensors.append(x)
            return placeholder
        if is_sparse(x):
            parts = (x.indices, x.values, x.dense_shape)
            tensors.extend(parts)
            return f"SparseTensor(indices={placeholder}, values={placeholder}, shape={placeholder})"
        return x

    texts = []
    for item in inputs:
        if isinstance(item, str):
            texts.append(item)
            continue
        flat = [shown(x) for x in nest.flatten(item)]
        text = pprint.pformat(nest.pack_sequence_as(item, flat))
        texts.append(text.replace(f"'{placeholder}'", placeholder))
    return sep.join(texts), placeholder, tensors


@export("print")
def print_v2(*inputs: Any, **kwargs: Any) -> Operation:
    """Makes an op that writes values when it runs.

    Args:
        *inputs: tensors, sparse tensors, Python objects and structures of them.
        **kwargs: ``output_stream`` (sys.stderr by default, sys.stdout, a function of tf.logging,
            or a text ``"file://path"``), ``summarize`` (how many elements are written of each end
            of a dimension, 3 by default, -1 for all), ``sep`` (between the inputs, a space),
            ``end`` (a newline) and ``name``.

    Returns:
        An Operation.

    Raises:
        ValueError: if there is another keyword or the stream is not one of these.
    """
    output_stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep = kwargs.pop("sep", " ")
    end = kwargs.pop("end", "\n")
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    stream = _stream_of(output_stream)
    only = inputs[0] if len(inputs) == 1 else None
    if isinstance(only, Tensor) and only.dtype.base_dtype.name == "string" and only._shape == ():
        text = only
    else:
        template, placeholder, tensors = _text_and_tensors(inputs, sep)
        text = build.StringFormat(
            tensors,
            template=template,
            placeholder=placeholder,
            summarize=summarize,
            name=f"{name}_format" if name else None,
        )
    return build.PrintV2(text, output_stream=stream, end=end, name=name)

"""Web-safe base64: EncodeBase64, DecodeBase64."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator

import numpy as np

from headwater.base.typing import ArrayModule, TensorLike
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    RunsOn,
    Sample,
    Tensor,
    build,
    export,
    register_op,
    shapes,
)
from headwater.ops.strings.elements import each, invalid

_LETTERS = re.compile(rb"[A-Za-z0-9_-]*")


def kernel_encode_base64(xp: ArrayModule, x: np.ndarray, *, pad: bool) -> np.ndarray:
    if pad:
        return each(urlsafe_b64encode, x)
    return each(lambda value: urlsafe_b64encode(value).rstrip(b"="), x)


def _decoded(text: bytes) -> bytes:
    if len(text) % 4 == 1:
        invalid("Base64 string length cannot be 1 modulo 4.")
    letters = text
    if len(text) % 4 == 0:
        letters = text[:-2] if text.endswith(b"==") else text.removesuffix(b"=")
    if not _LETTERS.fullmatch(letters) or len(letters) % 4 == 1:
        invalid("Invalid character found in base64.")
    return urlsafe_b64decode(letters + b"=" * (-len(letters) % 4))


def kernel_decode_base64(xp: ArrayModule, x: np.ndarray) -> np.ndarray:
    return each(_decoded, x)


def samples_encode_base64() -> Iterator[Sample]:
    x = np.array([b"", b"a", b"ab", b"abc", b"\xff\xfe\xfb"], object)
    yield Sample(x)
    yield Sample(x.reshape(5, 1), pad=True)


def samples_decode_base64() -> Iterator[Sample]:
    yield Sample(np.array([b"", b"YQ", b"YWI=", b"YWJj", b"__77"], object))


register_op(
    "EncodeBase64",
    inputs="input: string",
    outputs="output: string",
    attrs="pad: bool = false",
    shape=shapes.like_first,
    kernel=kernel_encode_base64,
    samples=samples_encode_base64,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
register_op(
    "DecodeBase64",
    inputs="input: string",
    outputs="output: string",
    shape=shapes.like_first,
    kernel=kernel_decode_base64,
    samples=samples_decode_base64,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


@export("encode_base64", "io.encode_base64")
def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Writes strings in web-safe base64.

    Args:
        input: a string tensor.
        pad: whether the results are filled up with "=" to a multiple of four letters.
        name: the name of the node.

    Returns:
        A string tensor of the same shape.
    """
    return build.EncodeBase64(input, pad=pad, name=name)


@export("decode_base64", "io.decode_base64")
def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """Reads strings in web-safe base64, with or without "=" at their ends.

    Args:
        input: a string tensor.
        name: the name of the node.

    Returns:
        A string tensor of the same shape.
    """
    return build.DecodeBase64(input, name=name)

"""Strings as numbers of buckets, and fingerprints of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from headwater.base import native
from headwater.base.typing import ArrayModule, Shape, TensorLike
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
from headwater.ops.strings.elements import invalid, shape_text, show
from headwater.ops.strings.hashes import fingerprint64, legacy_hash, siphash


class _Buckets(dict[bytes, int]):
    """The buckets of strings: columns of words hold the same ones in every run.

    Args:
        function: the hash function.
        count: the number of buckets.
    """

    # Beyond so many strings, and for longer ones, remembering costs more than it saves.
    _MOST = 32768
    _LONGEST = 64

    def __init__(self, function: Callable[[bytes], int], count: int) -> None:
        super().__init__()
        self._function = function
        self._count = count

    def __missing__(self, value: bytes) -> int:
        bucket = self._function(value) % self._count
        if len(value) <= self._LONGEST:
            if len(self) >= self._MOST:
                self.clear()
            self[value] = bucket
        return bucket

    def of(self, x: np.ndarray) -> np.ndarray:
        """The buckets of the strings of an array."""
        words = x.ravel().tolist()
        found = map(self.__getitem__, words)
        return np.fromiter(found, np.int64, len(words)).reshape(x.shape)


_buckets_of = lru_cache(maxsize=16)(_Buckets)


def kernel_string_to_hash_bucket(xp: ArrayModule, x: np.ndarray, *, num_buckets: int) -> np.ndarray:
    return _buckets_of(legacy_hash, num_buckets).of(x)


def kernel_string_to_hash_bucket_fast(
    xp: ArrayModule, x: np.ndarray, *, num_buckets: int
) -> np.ndarray:
    found: np.ndarray | None = native.host().buckets(x, num_buckets)
    return _buckets_of(fingerprint64, num_buckets).of(x) if found is None else found


def kernel_string_to_hash_bucket_strong(
    xp: ArrayModule, x: np.ndarray, *, num_buckets: int, key: list[int]
) -> np.ndarray:
    if len(key) != 2:
        invalid("Key must have 2 elements")
    numbers = [siphash((key[0], key[1]), word) % num_buckets for word in x.ravel().tolist()]
    return np.array(numbers, np.int64).reshape(x.shape)


_STRINGS = np.array([[b"", b"a", b"abcdefgh"], [b"x" * 20, b"y" * 50, b"z" * 200]], object)


def samples_string_to_hash_bucket() -> Iterator[Sample]:
    yield Sample(_STRINGS, num_buckets=1)
    yield Sample(_STRINGS, num_buckets=1000)


def samples_string_to_hash_bucket_strong() -> Iterator[Sample]:
    yield Sample(_STRINGS, num_buckets=1000, key=[98765, 132])


def _register_hash_bucket(name: str, input: str, kernel: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs=f"{input}: string",
        outputs="output: int64",
        attrs="num_buckets: int >= 1",
        shape=shapes.like_first,
        kernel=kernel,
        samples=samples_string_to_hash_bucket,
        runs_on=RunsOn.HOST,
        gradient=NOT_DIFFERENTIABLE,
    )


_register_hash_bucket("StringToHashBucket", "string_tensor", kernel_string_to_hash_bucket)
_register_hash_bucket("StringToHashBucketFast", "input", kernel_string_to_hash_bucket_fast)
register_op(
    "StringToHashBucketStrong",
    inputs="input: string",
    outputs="output: int64",
    attrs="num_buckets: int >= 1, key: list(int)",
    shape=shapes.like_first,
    kernel=kernel_string_to_hash_bucket_strong,
    samples=samples_string_to_hash_bucket_strong,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)


def shape_fingerprint(c: shapes.ShapeContext) -> Shape:
    rows = c.with_rank_at_least("data", 1)
    method_shape, method = c.shape("method"), c.value("method")
    if method_shape:
        c.fail(f"Shape must be rank 0 but is rank {len(method_shape)}")
    size = None
    if method is not None:
        if method.item() != b"farmhash64":
            c.fail(f"Unsupported method: {show(method.item())}")
        size = 8
    return (None if rows is None else rows[0], size)


def kernel_fingerprint(xp: ArrayModule, data: np.ndarray, method: np.ndarray) -> np.ndarray:
    if not data.ndim:
        invalid("`data` should have at least one dimension: " + shape_text(data))
    if method.ndim:
        invalid("`method` should be a scalar string: " + shape_text(method))
    if method.item() != b"farmhash64":
        invalid(f"Unsupported fingerprint method: {show(method.item())}")
    width = data.size // len(data) if len(data) else 0
    rows = np.ascontiguousarray(data).reshape(len(data), width)
    if data.dtype != object:
        return _bytes_of([fingerprint64(row.tobytes()) for row in rows])
    prints = [[fingerprint64(value) for value in row] for row in rows.tolist()]
    if width == 1:
        return _bytes_of([row[0] for row in prints])
    return _bytes_of([fingerprint64(np.array(row, "<u8").tobytes()) for row in prints])


def _bytes_of(numbers: list[int]) -> np.ndarray:
    return np.array(numbers, "<u8").view(np.uint8).reshape(len(numbers), 8)


def samples_fingerprint() -> Iterator[Sample]:
    method = np.array(b"farmhash64", object)
    yield Sample(np.array([[1, 2], [3, 4]], np.int32), method)
    yield Sample(np.array([1.5, 2.5]), method)
    yield Sample(np.array([b"abc", b"d"], object), method)
    yield Sample(_STRINGS, method)


register_op(
    "Fingerprint",
    inputs="data: T, method: string",
    outputs="fingerprint: uint8",
    attrs="T: type",
    shape=shape_fingerprint,
    kernel=kernel_fingerprint,
    samples=samples_fingerprint,
    concrete=("method",),
    runs_on=RunsOn.HOST,
)


@export("string_to_hash_bucket", "strings.to_hash_bucket")
def string_to_hash_bucket(
    string_tensor: TensorLike | None = None,
    num_buckets: int | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Gives each string one of some buckets, by a hash function that may be attacked.

    Args:
        string_tensor: a string tensor.
        num_buckets: the number of buckets.
        name: the name of the node.
        input: the new name of `string_tensor`.

    Returns:
        An int64 tensor of the same shape.

    Raises:
        ValueError: if the input is given under both of its names.
    """
    if input is not None:
        if string_tensor is not None:
            raise ValueError("Cannot specify both 'input' and 'string_tensor'")
        string_tensor = input
    return build.StringToHashBucket(string_tensor, num_buckets=num_buckets, name=name)


@export("string_to_hash_bucket_fast", "strings.to_hash_bucket_fast")
def string_to_hash_bucket_fast(
    input: TensorLike, num_buckets: int, name: str | None = None
) -> Tensor:
    """Gives each string one of some buckets, by FarmHash's Fingerprint64.

    Args:
        input: a string tensor.
        num_buckets: the number of buckets.
        name: the name of the node.

    Returns:
        An int64 tensor of the same shape.
    """
    return build.StringToHashBucketFast(input, num_buckets=num_buckets, name=name)


@export("string_to_hash_bucket_strong", "strings.to_hash_bucket_strong")
def string_to_hash_bucket_strong(
    input: TensorLike, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Tensor:
    """Gives each string one of some buckets, by SipHash with a key.

    Args:
        input: a string tensor.
        num_buckets: the number of buckets.
        key: two integers.
        name: the name of the node.

    Returns:
        An int64 tensor of the same shape.
    """
    return build.StringToHashBucketStrong(input, num_buckets=num_buckets, key=key, name=name)


@export("fingerprint")
def fingerprint(
    data: TensorLike, method: TensorLike = "farmhash64", name: str | None = None
) -> Tensor:
    """Returns fingerprints of the rows of a tensor.

    Args:
        data: a tensor of shape [n, ...].
        method: "farmhash64".
        name: the name of the node.

    Returns:
        A uint8 tensor of shape [n, 8].
    """
    return build.Fingerprint(data, method, name=name)

"""Example protos written in JSON: DecodeJSONExample."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headwater.base.lazy import LazyModule
from headwater.base.typing import ArrayModule, TensorLike
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.parsing.values import fail
from headwater.protos.lazy import example_pb2

json_format = LazyModule("google.protobuf.json_format")


def _binary(text: bytes) -> bytes:
    try:
        message = json_format.Parse(text.decode("utf-8"), example_pb2.Example())
    except (json_format.ParseError, UnicodeDecodeError) as error:
        fail(f"Error while parsing JSON: {error}")
    return message.SerializeToString(deterministic=True)


def kernel_decode_json_example(xp: ArrayModule, json_examples: np.ndarray) -> np.ndarray:
    result = np.empty(json_examples.shape, object)
    result.ravel()[:] = [_binary(text) for text in json_examples.ravel().tolist()]
    return result


def samples_decode_json_example() -> Iterator[Sample]:
    text = b'{"features": {"feature": {"a": {"int64List": {"value": ["1", 2]}}}}}'
    yield Sample(np.array([text, b"{}"], object))


register_op(
    "DecodeJSONExample",
    inputs="json_examples: string",
    outputs="binary_examples: string",
    shape=shapes.like_first,
    kernel=kernel_decode_json_example,
    samples=samples_decode_json_example,
    runs_on=RunsOn.HOST,
)


@export("decode_json_example", "io.decode_json_example")
def decode_json_example(json_examples: TensorLike, name: str | None = None) -> Tensor:
    """Serializes Example protos that are written in JSON.

    Args:
        json_examples: a string tensor.
        name: the name of the node.

    Returns:
        A string tensor of the same shape.
    """
    return build.DecodeJSONExample(json_examples, name=name)

"""Static shapes as protos."""

from __future__ import annotations

from typing import Any

from headwater.base.tensor_shape import proto_makers
from headwater.base.typing import Shape
from headwater.graph.graph import Graph


def _shape_proto(shape: Shape) -> Any:
    # Protos are loaded by the first program that asks for one.
    return Graph._proto_maker("shape")(shape)


proto_makers["shape"] = _shape_proto

"""Rules for ops that parse Example protos, whose sparse results have no stacked form."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.graph.builders import Builder, build
from headwater.graph.operation import Tensor
from headwater.graph.registry import lookup
from headwater.graph.row_functions.row_op import (
    NotRowWise,
    RowOp,
    SparseRows,
    Value,
    row_rule,
)


@row_rule("ParseSingleExample")
def parse_single_example(op: RowOp) -> list[Value]:
    defaults = [op.shared(i) for i in range(1, len(op.inputs))]
    sparse_keys, dense_keys = _keys(op.attr("sparse_keys")), _keys(op.attr("dense_keys"))
    return _parsed(op, op.stacked(0), sparse_keys, dense_keys, defaults)


@row_rule("ParseExample")
def parse_example(op: RowOp) -> list[Value]:
    sparse, dense = op.attr("Nsparse"), op.attr("Ndense")
    # After the protos and their names.
    keys = [op.shared(i) for i in range(2, 2 + sparse + dense)]
    defaults = [op.shared(i) for i in range(2 + sparse + dense, len(op.inputs))]
    if op.shape(1) != (0,):
        raise NotRowWise
    return _parsed(op, op.stacked(0), keys[:sparse], keys[sparse:], defaults)


def _parsed(
    op: RowOp,
    serialized: Tensor,
    sparse_keys: list[Any],
    dense_keys: list[Any],
    defaults: list[Tensor],
) -> list[Value]:
    """The features of all protos of all elements, parsed by one op."""
    if any(None in shape for shape in op.attr("dense_shapes")):
        # Elements are as wide as their longest sequence.
        raise NotRowWise
    leading = build.Shape(serialized)
    flat = serialized
    is_batch = op.rank(0) == 1
    if is_batch:
        flat = build.Reshape(serialized, np.array([-1], np.int32))
    *sparse, dense = build.ParseExample(
        flat,
        np.empty(0, object),
        sparse_keys,
        dense_keys,
        defaults,
        sparse_types=op.attr("sparse_types"),
        dense_shapes=op.attr("dense_shapes"),
    )
    triples = list(zip(*sparse))
    values = [
        Value(tensor, True, SparseRows(triple, leading))
        for tensors in sparse
        for tensor, triple in zip(tensors, triples)
    ]
    for tensor, shape in zip(dense, op.attr("dense_shapes")):
        if is_batch:
            whole = build.ConcatV2([leading, np.array(shape, np.int32)], np.int32(0))
            tensor = build.Reshape(tensor, whole)
        values.append(Value(tensor, True))
    return values


@row_rule("SerializeSparse")
def serialize_sparse(op: RowOp) -> list[Value]:
    sparse = op.inputs[0].sparse
    tensors = tuple(value.tensor for value in op.inputs)
    if sparse is None or tensors != sparse.parts or op.attr("out_type").name != "variant":
        raise NotRowWise
    # Op types with a leading underscore are neither attributes of `build` nor names of nodes.
    serialize = Builder(lookup("_SerializeSparseRows"))
    rows = serialize(*sparse.parts, sparse.leading, name="SerializeSparseRows")
    return [Value(rows, True)]


def _keys(keys: list[str | bytes]) -> list[np.ndarray]:
    scalars = []
    for key in keys:
        scalar = np.empty((), object)
        scalar[()] = key if isinstance(key, bytes) else key.encode()
        scalars.append(scalar)
    return scalars

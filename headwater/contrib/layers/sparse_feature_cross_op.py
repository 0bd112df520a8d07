"""Crossed features: `tf.contrib.layers.sparse_feature_cross`."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.export import export, export_value
from headwater.graph import SparseTensor, Tensor, build, convert_to_tensor_or_sparse_tensor

SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY = 956888297470
for _place in ("contrib.layers", "contrib.slim"):
    export_value(
        f"{_place}.SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY", SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY
    )


@export("contrib.layers.sparse_feature_cross", "contrib.slim.sparse_feature_cross")
def sparse_feature_cross(
    inputs: list[Any],
    hashed_output: bool = False,
    num_buckets: int = 0,
    name: str | None = None,
    hash_key: int | None = None,
) -> SparseTensor:
    """Combines one feature of each input, in all ways of each row.

    Args:
        inputs: a list of matrices, sparse or dense, of integers or strings.
        hashed_output: whether combinations are hashed; otherwise they are joined with ``_X_``.
        num_buckets: the number of hash values; 0 means all integers that are not negative.
        name: the name of the node.
        hash_key: where hashing starts; None means the weaker hash of the first releases.

    Returns:
        A SparseTensor of type int64 or string.

    Raises:
        TypeError: if `inputs` is not a list of tensors.
    """
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(x, (SparseTensor, Tensor)) for x in inputs):
        raise TypeError("All inputs must be SparseTensors")
    found = [convert_to_tensor_or_sparse_tensor(x) for x in inputs]
    sparse = [x for x in found if isinstance(x, SparseTensor)]
    values = [_allowed(x.values) for x in sparse]
    dense = [_allowed(x) for x in found if not isinstance(x, SparseTensor)]
    numbers = any(x.dtype.base_dtype == dtypes.int64 for x in [*values, *dense])
    options: dict[str, Any] = {
        "hashed_output": hashed_output,
        "num_buckets": num_buckets,
        "out_type": dtypes.int64 if hashed_output else dtypes.string,
        "internal_type": dtypes.int64 if numbers else dtypes.string,
        "name": name,
    }
    parts = ([x.indices for x in sparse], values, [x.dense_shape for x in sparse], dense)
    if hash_key:
        return SparseTensor(*build.SparseFeatureCrossV2(*parts, hash_key=hash_key, **options))
    return SparseTensor(*build.SparseFeatureCross(*parts, **options))


def _allowed(x: Tensor) -> Tensor:
    kind = x.dtype.base_dtype
    return x if kind in (dtypes.string, dtypes.int64) else build.Cast(x, DstT=dtypes.int64)

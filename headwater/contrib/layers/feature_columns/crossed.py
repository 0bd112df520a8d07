"""Columns of hashed combinations of features."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Sequence
from typing import Any

from headwater.contrib.layers.feature_columns.base import (
    TransformedByInputs,
    _LinearEmbeddingLookupArguments,
    export_column,
)
from headwater.contrib.layers.feature_columns.real_valued import _BucketizedColumn
from headwater.contrib.layers.feature_columns.sparse import _SparseColumn
from headwater.contrib.layers.sparse_feature_cross_op import sparse_feature_cross
from headwater.graph import SparseTensor, Tensor
from headwater.model.feature_column.base import IdWeightPair, _CategoricalColumn
from headwater.model.feature_column.checks import check_checkpoint
from headwater.model.variables.initializers import Zeros


class _CrossedColumn(
    TransformedByInputs,
    _CategoricalColumn,
    namedtuple(
        "_CrossedColumn",
        "columns hash_bucket_size hash_key combiner ckpt_to_load_from tensor_name_in_ckpt",
    ),
):
    """Combinations of features; see `crossed_column`."""

    @staticmethod
    def _assert_is_crossable(column: Any) -> None:
        if not isinstance(column, (_SparseColumn, _CrossedColumn, _BucketizedColumn)):
            raise TypeError(
                "columns must be a set of _SparseColumn, _CrossedColumn, or _BucketizedColumn "
                f"instances. (column {column} is a {column.__class__.__name__})"
            )

    def __new__(
        cls,
        columns: Iterable[Any],
        hash_bucket_size: int,
        hash_key: int | None,
        combiner: str = "sum",
        ckpt_to_load_from: str | None = None,
        tensor_name_in_ckpt: str | None = None,
    ) -> _CrossedColumn:
        columns = list(columns)
        for column in columns:
            cls._assert_is_crossable(column)
        if len(columns) < 2:
            raise ValueError(f"columns must contain at least 2 elements. columns: {columns}")
        if hash_bucket_size < 2:
            raise ValueError(
                f"hash_bucket_size must be at least 2. hash_bucket_size: {hash_bucket_size}"
            )
        check_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt)
        return super().__new__(
            cls,
            tuple(sorted(columns, key=lambda column: column.name)),
            hash_bucket_size,
            hash_key,
            combiner,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
        )

    @property
    def name(self) -> str:
        return "_X_".join(sorted(column.name for column in self.columns))

    @property
    def config(self) -> dict[str, Any]:
        config: dict[str, Any] = {}
        for column in self.columns:
            config.update(column.config)
        return config

    @property
    def length(self) -> int:
        """The number of ids."""
        return self.hash_bucket_size

    @property
    def key(self) -> str:
        return f"{self}"

    def id_tensor(self, input_tensor: Any) -> Any:
        """The ids of a transformed feature."""
        return input_tensor

    def weight_tensor(self, input_tensor: Any) -> Any:
        """The weights of a transformed feature: none."""
        return None

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        raise ValueError(
            f"CrossedColumn is not supported in DNN. Please use embedding_column. column: {self}"
        )

    def _checkpoint_path(self) -> tuple[str, str] | None:
        if self.ckpt_to_load_from is None:
            return None
        return self.ckpt_to_load_from, self.tensor_name_in_ckpt

    def _wide_embedding_lookup_arguments(
        self, input_tensor: Any
    ) -> _LinearEmbeddingLookupArguments:
        return _LinearEmbeddingLookupArguments(
            input_tensor=input_tensor,
            weight_tensor=None,
            vocab_size=self.length,
            initializer=Zeros(),
            combiner=self.combiner,
        )

    def _leaves(self) -> list[Any]:
        """The columns, those of crossed columns among them included."""
        leaves: list[Any] = []
        for column in self.columns:
            nested = isinstance(column, _CrossedColumn)
            leaves.extend(column._leaves() if nested else [column])
        return leaves

    def _transform_feature(self, inputs: Any) -> SparseTensor:
        crossed = []
        for column in self._leaves():
            if isinstance(column, _SparseColumn):
                # Words are crossed, not their ids.
                crossed.append(inputs.get(column.name))
            else:
                crossed.append(column.to_sparse_tensor(inputs.get(column)))
        return sparse_feature_cross(
            crossed,
            hashed_output=True,
            num_buckets=self.hash_bucket_size,
            hash_key=self.hash_key,
            name="cross",
        )

    @property
    def _num_buckets(self) -> int:
        return self.length

    def _get_sparse_tensors(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        return IdWeightPair(inputs.get(self), None)


@export_column("crossed_column")
def crossed_column(
    columns: Iterable[Any],
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    hash_key: int | None = None,
) -> _CrossedColumn:
    """A column of hashed combinations of features.

    Args:
        columns: at least two columns of ids, of buckets, or crossed ones.
        hash_bucket_size: the number of ids.
        combiner: how the weights of an example's ids are combined: "sum", "mean" or "sqrtn".
        ckpt_to_load_from: a checkpoint that the weights start from.
        tensor_name_in_ckpt: their name in it.
        hash_key: where hashing starts; None means the weaker hash of the first releases.

    Returns:
        A column.

    Raises:
        TypeError: if a column is of another kind.
        ValueError: if there are too few columns or ids.
    """
    return _CrossedColumn(
        columns,
        hash_bucket_size,
        hash_key,
        combiner or "sum",
        ckpt_to_load_from,
        tensor_name_in_ckpt,
    )

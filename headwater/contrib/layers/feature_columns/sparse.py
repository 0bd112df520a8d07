"""Columns of ids: integers, hashed features, and words of a vocabulary."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from headwater.base import dtypes, logging
from headwater.base.dtypes import as_dtype
from headwater.base.typing import DTypeLike
from headwater.contrib.layers.feature_columns.base import (
    TransformedByInputs,
    _LinearEmbeddingLookupArguments,
    export_column,
)
from headwater.contrib.layers.feature_columns.reshaping import reshaped_real_values
from headwater.contrib.layers.sparse_ops import dense_to_sparse_tensor
from headwater.contrib.lookup.lookup_ops import string_to_index_table_from_file
from headwater.graph import SparseTensor, Tensor, build
from headwater.model.feature_column.base import IdWeightPair, _CategoricalColumn
from headwater.model.lookup.index_tables import index_table_from_tensor
from headwater.model.variables.initializers import Zeros
from headwater.ops.parsing.features import VarLenFeature
from headwater.ops.sparse.concat import sparse_concat
from headwater.ops.strings.as_string import as_string
from headwater.ops.strings.hash_bucket import (
    string_to_hash_bucket_fast,
    string_to_hash_bucket_strong,
)


class _SparseIdLookupConfig(
    namedtuple(
        "_SparseIdLookupConfig", "vocabulary_file keys num_oov_buckets vocab_size default_value"
    )
):
    """The vocabulary of a column."""

    def __new__(
        cls,
        vocabulary_file: str | None = None,
        keys: Sequence[Any] | None = None,
        num_oov_buckets: int = 0,
        vocab_size: int | None = None,
        default_value: int = -1,
    ) -> _SparseIdLookupConfig:
        return super().__new__(
            cls, vocabulary_file, keys, num_oov_buckets, vocab_size, default_value
        )


class _SparseColumn(
    TransformedByInputs,
    _CategoricalColumn,
    namedtuple(
        "_SparseColumn",
        "column_name is_integerized bucket_size lookup_config combiner dtype",
    ),
):
    """A column of ids."""

    def __new__(
        cls,
        column_name: str,
        is_integerized: bool = False,
        bucket_size: int | None = None,
        lookup_config: _SparseIdLookupConfig | None = None,
        combiner: str = "sum",
        dtype: DTypeLike = dtypes.string,
        **kwargs: Any,
    ) -> Any:
        dtype = as_dtype(dtype)
        if is_integerized and bucket_size is None:
            raise ValueError(
                f"bucket_size must be set if is_integerized is True. column_name: {column_name}"
            )
        if is_integerized and not dtype.is_integer:
            raise ValueError(
                "dtype must be an integer if is_integerized is True. "
                f"dtype: {dtype}, column_name: {column_name}."
            )
        if dtype != dtypes.string and not dtype.is_integer:
            raise ValueError(
                f"dtype must be string or integer. dtype: {dtype}, column_name: {column_name}"
            )
        _check_ids(column_name, bucket_size, lookup_config)
        return super().__new__(
            cls, column_name, is_integerized, bucket_size, lookup_config, combiner, dtype
        )

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def length(self) -> int:
        """The number of ids."""
        if self.lookup_config is not None:
            return self.lookup_config.vocab_size + self.lookup_config.num_oov_buckets
        return self.bucket_size

    @property
    def config(self) -> dict[str, Any]:
        return {self.column_name: VarLenFeature(self.dtype)}

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
            "SparseColumn is not supported in DNN. Please use embedding_column or one_hot_column. "
            f"column: {self}"
        )

    def _wide_embedding_lookup_arguments(
        self, input_tensor: Any
    ) -> _LinearEmbeddingLookupArguments:
        return _LinearEmbeddingLookupArguments(
            input_tensor=self.id_tensor(input_tensor),
            weight_tensor=self.weight_tensor(input_tensor),
            vocab_size=self.length,
            initializer=Zeros(),
            combiner=self.combiner,
        )

    def _get_input_sparse_tensor(self, input_tensor: Any) -> SparseTensor:
        if isinstance(input_tensor, SparseTensor):
            return input_tensor
        ignored = "" if self.dtype == dtypes.string else -1
        matrix = reshaped_real_values(input_tensor, 2, self.name)
        return dense_to_sparse_tensor(matrix, ignore_value=ignored)

    def is_compatible(self, other_column: Any) -> bool:
        """Whether two columns may share an embedding."""
        if self.lookup_config is not None and other_column.lookup_config is not None:
            return self.lookup_config == other_column.lookup_config
        compatible = (
            self.length == other_column.length
            and self.dtype.is_integer == other_column.dtype.is_integer
        )
        if compatible:
            logging.warning(
                "Column %s and %s may not have the same vocabulary.", self.name, other_column.name
            )
        return compatible

    def _do_transform(self, input_tensor: SparseTensor) -> Any:
        raise NotImplementedError

    def _transform_feature(self, inputs: Any) -> SparseTensor:
        return self._do_transform(self._get_input_sparse_tensor(inputs.get(self.name)))

    @property
    def _num_buckets(self) -> int:
        return self.length

    def _get_sparse_tensors(
        self,
        inputs: Any,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        transformed = inputs.get(self)
        return IdWeightPair(self.id_tensor(transformed), self.weight_tensor(transformed))


def _check_ids(column_name: str, bucket_size: int | None, lookup_config: Any) -> None:
    if bucket_size is None and lookup_config is None:
        raise ValueError(
            f"one of bucket_size or lookup_config must be set. column_name: {column_name}"
        )
    if bucket_size is not None and lookup_config:
        raise ValueError(
            "one and only one of bucket_size or lookup_config must be set. "
            f"column_name: {column_name}"
        )
    if bucket_size is not None and bucket_size < 1:
        raise ValueError(
            "bucket_size must be at least 1. "
            f"bucket_size: {bucket_size}, column_name: {column_name}"
        )
    if lookup_config is None:
        return
    if not isinstance(lookup_config, _SparseIdLookupConfig):
        raise TypeError(
            "lookup_config must be an instance of _SparseIdLookupConfig. Given one is in type "
            f"{type(lookup_config)} for column_name {column_name}"
        )
    if lookup_config.vocabulary_file and lookup_config.vocab_size is None:
        raise ValueError(f"vocab_size must be defined. column_name: {column_name}")


class _SparseColumnIntegerized(_SparseColumn):
    """Integers; see `sparse_column_with_integerized_feature`."""

    def _do_transform(self, input_tensor: SparseTensor) -> Any:
        ids = build.FloorMod(input_tensor.values, self.bucket_size, name="mod")
        return SparseTensor(input_tensor.indices, ids, input_tensor.dense_shape)


class _SparseColumnHashed(_SparseColumn):
    """Hashed features; see `sparse_column_with_hash_bucket`."""

    hash_keys: Sequence[Sequence[int]] | None = None

    def __new__(cls, *args: Any, hash_keys: Any = None, **kwargs: Any) -> Any:
        if hash_keys is not None:
            if not isinstance(hash_keys, list) or not hash_keys:
                raise ValueError("hash_keys must be a non-empty list.")
            if not all(_is_pair(key) for key in hash_keys):
                raise ValueError("Each element of hash_keys must be a pair of integers.")
        column = super().__new__(cls, *args, **kwargs)
        column.hash_keys = hash_keys
        return column

    def _do_transform(self, input_tensor: SparseTensor) -> Any:
        values = input_tensor.values
        if self.dtype.is_integer:
            values = as_string(values)
        if not self.hash_keys:
            ids = string_to_hash_bucket_fast(values, self.bucket_size, name="lookup")
            return SparseTensor(input_tensor.indices, ids, input_tensor.dense_shape)
        hashed = [
            SparseTensor(
                input_tensor.indices,
                string_to_hash_bucket_strong(values, self.bucket_size, key),
                input_tensor.dense_shape,
            )
            for key in self.hash_keys
        ]
        return sparse_concat(axis=1, sp_inputs=hashed, name="lookup")


def _is_pair(key: Any) -> bool:
    return isinstance(key, list) and len(key) == 2 and all(isinstance(k, int) for k in key)


class _SparseColumnKeys(_SparseColumn):
    """Words of a list; see `sparse_column_with_keys`."""

    def _do_transform(self, input_tensor: SparseTensor) -> Any:
        table = index_table_from_tensor(
            mapping=tuple(self.lookup_config.keys),
            default_value=self.lookup_config.default_value,
            dtype=self.dtype,
            name="lookup",
        )
        return table.lookup(input_tensor)


class _SparseColumnVocabulary(_SparseColumn):
    """Words of a file; see `sparse_column_with_vocabulary_file`."""

    def _do_transform(self, input_tensor: SparseTensor) -> Any:
        words = input_tensor
        if self.dtype.is_integer:
            words = SparseTensor(words.indices, as_string(words.values), words.dense_shape)
        table = string_to_index_table_from_file(
            vocabulary_file=self.lookup_config.vocabulary_file,
            num_oov_buckets=self.lookup_config.num_oov_buckets,
            vocab_size=self.lookup_config.vocab_size,
            default_value=self.lookup_config.default_value,
            name=f"{self.name}_lookup",
        )
        return table.lookup(words)


@export_column("sparse_column_with_integerized_feature")
def sparse_column_with_integerized_feature(
    column_name: str,
    bucket_size: int,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.int64,
) -> _SparseColumn:
    """A column of integers that are ids.

    Args:
        column_name: the name of the feature.
        bucket_size: the number of ids; integers are taken modulo it.
        combiner: how the weights of an example's ids are combined: "sum", "mean" or "sqrtn".
        dtype: the type of the feature, an integer.

    Returns:
        A column.

    Raises:
        ValueError: if the number is not positive, or the type is another one.
    """
    return _SparseColumnIntegerized(
        column_name,
        is_integerized=True,
        bucket_size=bucket_size,
        combiner=combiner or "sum",
        dtype=dtype,
    )


@export_column("sparse_column_with_hash_bucket")
def sparse_column_with_hash_bucket(
    column_name: str,
    hash_bucket_size: int,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.string,
    hash_keys: list[list[int]] | None = None,
) -> _SparseColumn:
    """A column of hashed strings or integers.

    Args:
        column_name: the name of the feature.
        hash_bucket_size: the number of ids.
        combiner: how the weights of an example's ids are combined: "sum", "mean" or "sqrtn".
        dtype: the type of the feature, string or an integer.
        hash_keys: pairs of integers; each makes an id of its own by a strong hash.

    Returns:
        A column.

    Raises:
        ValueError: if an argument is invalid.
    """
    return _SparseColumnHashed(
        column_name,
        bucket_size=hash_bucket_size,
        combiner=combiner or "sum",
        dtype=dtype,
        hash_keys=hash_keys,
    )


@export_column("sparse_column_with_keys")
def sparse_column_with_keys(
    column_name: str,
    keys: Sequence[Any],
    default_value: int = -1,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.string,
) -> _SparseColumn:
    """A column of the places of words in a list.

    Args:
        column_name: the name of the feature.
        keys: the words in the order of their ids.
        default_value: the id of unknown words.
        combiner: how the weights of an example's ids are combined: "sum", "mean" or "sqrtn".
        dtype: the type of the feature, string or an integer.

    Returns:
        A column.

    Raises:
        ValueError: if the type is another one.
    """
    words = tuple(keys)
    return _SparseColumnKeys(
        column_name,
        lookup_config=_SparseIdLookupConfig(
            keys=words, vocab_size=len(words), default_value=default_value
        ),
        combiner=combiner or "sum",
        dtype=dtype,
    )


@export_column("sparse_column_with_vocabulary_file")
def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.string,
) -> _SparseColumn:
    """A column of the line numbers of words in a file.

    Args:
        column_name: the name of the feature.
        vocabulary_file: the path of the file, a word per line.
        num_oov_buckets: how many ids behind those of the file unknown words get, by hashing.
        vocab_size: how many lines are used.
        default_value: the id of unknown words if there are no buckets.
        combiner: how the weights of an example's ids are combined: "sum", "mean" or "sqrtn".
        dtype: the type of the feature, string or an integer.

    Returns:
        A column.

    Raises:
        ValueError: if there is no size, or the type is another one.
    """
    if vocab_size is None:
        raise ValueError(f"vocab_size should be defined. column_name: {column_name}")
    return _SparseColumnVocabulary(
        column_name,
        lookup_config=_SparseIdLookupConfig(
            vocabulary_file=vocabulary_file,
            num_oov_buckets=num_oov_buckets,
            vocab_size=vocab_size,
            default_value=default_value,
        ),
        combiner=combiner or "sum",
        dtype=dtype,
    )

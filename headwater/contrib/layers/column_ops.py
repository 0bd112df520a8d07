"""Layers of feature columns of the first era: inputs of networks and weighted sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from headwater.base import dtypes, errors, logging
from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.contrib.framework.variables import model_variable
from headwater.contrib.layers.embedding_ops import safe_embedding_lookup_sparse
from headwater.contrib.layers.feature_columns.base import (
    _FeatureColumn,
    _LinearEmbeddingLookupArguments,
    features_of,
)
from headwater.contrib.layers.feature_columns.crossed import _CrossedColumn
from headwater.contrib.layers.feature_columns.embedding import (
    _EmbeddingColumn,
    _ScatteredEmbeddingColumn,
)
from headwater.contrib.layers.feature_columns.lookups import (
    embedded,
    parts_of_variable,
    restore_from_checkpoint,
)
from headwater.contrib.layers.feature_columns.parsing import (
    create_feature_spec_for_parsing,
    create_sequence_feature_spec,
)
from headwater.contrib.layers.feature_columns.real_valued import (
    _BucketizedColumn,
    _RealValuedColumn,
    _RealValuedVarLenColumn,
    real_valued_column,
)
from headwater.contrib.layers.feature_columns.reshaping import (
    reshaped_real_values,
    sequence_tensor,
)
from headwater.contrib.layers.feature_columns.weighted import (
    _OneHotColumn,
    _WeightedSparseColumn,
)
from headwater.graph import SparseTensor, Tensor, build, convert_to_tensor
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.variable_scope import variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.control.rank_checks import assert_scalar
from headwater.ops.math.add_n import add_n
from headwater.ops.math.matmul import matmul
from headwater.ops.nn.bias import bias_add
from headwater.ops.parsing.example_functions import parse_example
from headwater.ops.parsing.sequence_functions import parse_single_sequence_example
from headwater.ops.sparse.concat import sparse_concat

T = TypeVar("T")

_SUPPORTED_SEQUENCE_COLUMNS = (
    _OneHotColumn,
    _EmbeddingColumn,
    _RealValuedColumn,
    _RealValuedVarLenColumn,
)
_FORBIDDEN_SEQUENCE_COLUMNS = (_ScatteredEmbeddingColumn, _BucketizedColumn, _CrossedColumn)


def _export_op(name: str) -> Callable[[T], T]:
    """A decorator for what `tf.contrib.layers` and `layers.feature_column_ops` both show."""
    return export(
        f"contrib.layers.{name}",
        f"contrib.slim.{name}",
        f"contrib.layers.feature_column_ops.{name}",
        f"contrib.slim.feature_column_ops.{name}",
    )


class _Transformer:
    """Transforms the features of a dict, once per column.

    Args:
        columns_to_tensors: {name: tensor}; it gets the transformed features too.
    """

    def __init__(self, columns_to_tensors: dict[Any, Any]) -> None:
        self._columns_to_tensors = columns_to_tensors

    def transform(self, feature_column: Any) -> Any:
        """What a column makes of the features.

        Args:
            feature_column: the column.

        Returns:
            A tensor, a SparseTensor, or a pair of them.

        Raises:
            ValueError: if the column makes nothing.
        """
        logging.debug("Transforming feature_column %s", feature_column)
        if feature_column in self._columns_to_tensors:
            return self._columns_to_tensors[feature_column]
        feature_column.insert_transformed_feature(self._columns_to_tensors)
        if feature_column not in self._columns_to_tensors:
            raise ValueError(f"Column {feature_column} is not supported.")
        return self._columns_to_tensors[feature_column]


def _in_order(feature_columns: Iterable[Any]) -> list[Any]:
    return sorted(set(feature_columns), key=lambda column: column.key)


def _with_global_variables(weight_collections: Sequence[str] | None) -> list[str] | None:
    if weight_collections:
        return list(dict.fromkeys([*weight_collections, GraphKeys.GLOBAL_VARIABLES]))
    return None


# Inputs of networks


@_export_op("input_from_feature_columns")
def input_from_feature_columns(
    columns_to_tensors: Mapping[Any, Any],
    feature_columns: Iterable[Any],
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: str | None = None,
    cols_to_outs: dict[Any, Tensor] | None = None,
) -> Tensor:
    """Makes a matrix [batch, values of all columns] of features; columns are sorted by key.

    Args:
        columns_to_tensors: {name: tensor or SparseTensor}.
        feature_columns: the columns.
        weight_collections: further collections of the variables.
        trainable: whether optimizers change the variables by default.
        scope: the variable scope.
        cols_to_outs: a dict that gets the part of each column.

    Returns:
        A matrix.

    Raises:
        ValueError: if a column cannot be used so, or two are equal.
    """
    return _inputs(
        columns_to_tensors,
        feature_columns,
        weight_collections,
        trainable,
        scope,
        output_rank=2,
        default_name="input_from_feature_columns",
        cols_to_outs=cols_to_outs,
    )


@_export_op("sequence_input_from_feature_columns")
def sequence_input_from_feature_columns(
    columns_to_tensors: Mapping[Any, Any],
    feature_columns: Iterable[Any],
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: str | None = None,
) -> Tensor:
    """Makes a tensor [batch, steps, values of all columns] of features of sequences.

    Args:
        columns_to_tensors: {name: tensor or SparseTensor, batch first, then steps}.
        feature_columns: columns of numbers, or of vectors.
        weight_collections: further collections of the variables.
        trainable: whether optimizers change the variables by default.
        scope: the variable scope.

    Returns:
        A tensor.

    Raises:
        ValueError: if a column cannot be used for sequences, or a feature has too few dimensions.
    """
    columns = list(feature_columns)
    for column in columns:
        if not isinstance(column, _SUPPORTED_SEQUENCE_COLUMNS):
            raise ValueError(
                f"FeatureColumn type {type(column).__name__} is not currently supported for "
                "sequence data."
            )
    for column in _with_parents(columns):
        if isinstance(column, _FORBIDDEN_SEQUENCE_COLUMNS):
            raise ValueError(
                f"Column {column.name} is of type {type(column).__name__}, which is not currently "
                "supported for sequences."
            )
    return _inputs(
        columns_to_tensors,
        columns,
        weight_collections,
        trainable,
        scope,
        output_rank=3,
        default_name="sequence_input_from_feature_columns",
    )


def _with_parents(columns: Iterable[Any]) -> list[Any]:
    """The columns, and those that they are made from."""
    found: list[Any] = []
    pending = list(columns)
    while pending:
        column = pending.pop()
        found.append(column)
        if isinstance(column, (_WeightedSparseColumn, _OneHotColumn, _EmbeddingColumn)):
            pending.append(column.sparse_id_column)
        elif isinstance(column, _BucketizedColumn):
            pending.append(column.source_column)
        elif isinstance(column, _CrossedColumn):
            pending.extend(column.columns)
    return found


def _inputs(
    columns_to_tensors: Mapping[Any, Any],
    feature_columns: Iterable[Any],
    weight_collections: Sequence[str] | None,
    trainable: bool,
    scope: str | None,
    output_rank: int,
    default_name: str,
    cols_to_outs: dict[Any, Tensor] | None = None,
) -> Tensor:
    features = dict(columns_to_tensors)
    columns = list(feature_columns)
    check_feature_columns(columns)
    if cols_to_outs is not None and not isinstance(cols_to_outs, dict):
        raise ValueError("cols_to_outs must be a dict unless None")
    with variable_scope(scope, default_name=default_name, values=features_of(features)):
        transformer = _Transformer(features)
        collections = _with_global_variables(weight_collections)
        outputs = []
        for column in _in_order(columns):
            with variable_scope(None, default_name=column.name, values=features_of(features)):
                feature = transformer.transform(column)
                if output_rank == 3:
                    reshape = partial(
                        sequence_tensor, column_name=column.name, output_rank=output_rank
                    )
                    feature = _mapped(reshape, feature)
                output = _input_of(column, feature, collections, trainable, output_rank)
                outputs.append(output)
                if cols_to_outs is not None:
                    cols_to_outs[column] = output
        return concat(outputs, output_rank - 1)


def _mapped(function: Callable[[Any], Any], feature: Any) -> Any:
    if isinstance(feature, tuple):
        return tuple(map(function, feature))
    return function(feature)


def _input_of(
    column: Any,
    feature: Any,
    weight_collections: Sequence[str] | None,
    trainable: bool,
    output_rank: int,
) -> Tensor:
    try:
        arguments = column._deep_embedding_lookup_arguments(feature)
        return embedded(column, arguments, weight_collections, trainable, output_rank)
    except NotImplementedError as not_embedded:
        try:
            return column._to_dnn_input_layer(
                feature, weight_collections, trainable, output_rank=output_rank
            )
        except ValueError as error:
            raise ValueError(
                f"Error creating input layer for column: {column.name}.\n{error}, {not_embedded}"
            ) from error


# Weighted sums


def _zero_variable(
    name: str, shape: list[Any], trainable: bool, weight_collections: Sequence[str] | None
) -> Any:
    return model_variable(
        name,
        shape=shape,
        initializer=Zeros(),
        trainable=trainable,
        collections=_with_global_variables(weight_collections),
    )


def _looked_up(
    arguments: _LinearEmbeddingLookupArguments,
    num_outputs: int,
    name: str,
    trainable: bool,
    weight_collections: Sequence[str] | None,
) -> tuple[list[Any], Tensor]:
    """The weights of ids, and their sums."""
    variable = model_variable(
        name="weights",
        shape=[arguments.vocab_size, num_outputs],
        dtype=dtypes.float32,
        initializer=arguments.initializer,
        trainable=trainable,
        collections=weight_collections,
    )
    parts = parts_of_variable(variable)
    sums = safe_embedding_lookup_sparse(
        parts,
        arguments.input_tensor,
        sparse_weights=arguments.weight_tensor,
        combiner=arguments.combiner,
        name=f"{name}_weights",
    )
    return parts, sums


def _weighted_sum(
    column: Any,
    features: dict[Any, Any],
    transformer: _Transformer,
    num_outputs: int,
    trainable: bool,
    weight_collections: Sequence[str] | None,
) -> tuple[list[Any], Tensor]:
    feature = transformer.transform(column)
    collections = _with_global_variables(weight_collections)
    try:
        arguments = column._wide_embedding_lookup_arguments(feature)
        with variable_scope(None, default_name=column.name, values=features_of(features)):
            return _looked_up(arguments, num_outputs, column.name, trainable, collections)
    except NotImplementedError:
        with variable_scope(None, default_name=column.name, values=features_of(features)):
            tensor = reshaped_real_values(column._to_dense_tensor(feature), 2, column.name)
            shape = [tensor.get_shape()[1], num_outputs]
            variable = _zero_variable("weight", shape, trainable, weight_collections)
            return parts_of_variable(variable), matmul(tensor, variable, name="matmul")
    except ValueError as error:
        raise ValueError(
            f"Error creating weighted sum for column: {column.name}.\n{error}"
        ) from error


@_export_op("weighted_sum_from_feature_columns")
def weighted_sum_from_feature_columns(
    columns_to_tensors: Mapping[Any, Any],
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: str | None = None,
) -> tuple[Tensor, dict[Any, list[Any]], Any]:
    """Returns the weighted sums of columns and a bias, each column with a variable of its own.

    Args:
        columns_to_tensors: {name: tensor or SparseTensor}.
        feature_columns: the columns.
        num_outputs: the number of sums per example.
        weight_collections: further collections of the variables.
        trainable: whether optimizers change the variables by default.
        scope: the variable scope.

    Returns:
        A matrix [batch, num_outputs], {column: its variables}, and the bias.

    Raises:
        ValueError: if a column cannot be used so, or two are equal.
    """
    features = dict(columns_to_tensors)
    columns = list(feature_columns)
    check_feature_columns(columns)
    with variable_scope(
        scope,
        default_name="weighted_sum_from_feature_columns",
        values=features_of(features),
    ):
        transformer = _Transformer(features)
        sums: list[Any] = []
        column_to_variable: dict[Any, list[Any]] = {}
        for column in _in_order(columns):
            variables, predictions = _weighted_sum(
                column, features, transformer, num_outputs, trainable, weight_collections
            )
            sums.append(build.Reshape(predictions, (-1, num_outputs)))
            column_to_variable[column] = variables
            _log(variables)
            restore_from_checkpoint(column._checkpoint_path(), variables)
        total = add_n(sums)
        bias = _zero_variable("bias_weight", [num_outputs], trainable, weight_collections)
        _log(parts_of_variable(bias))
        return bias_add(total, bias), column_to_variable, bias


@_export_op("joint_weighted_sum_from_feature_columns")
def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: Mapping[Any, Any],
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: str | None = None,
) -> tuple[Tensor, list[Any], Any]:
    """Returns the weighted sums of columns of ids and a bias, with one variable for all columns.

    Args:
        columns_to_tensors: {name: tensor or SparseTensor}.
        feature_columns: columns of ids without weights, whose weights are summed up.
        num_outputs: the number of sums per example.
        weight_collections: further collections of the variables.
        trainable: whether optimizers change the variables by default.
        scope: the variable scope.

    Returns:
        A matrix [batch, num_outputs], the variables, and the bias.

    Raises:
        NotImplementedError: if a column is of another kind.
        ValueError: if two columns are equal.
    """
    features = dict(columns_to_tensors)
    columns = list(feature_columns)
    check_feature_columns(columns)
    with variable_scope(
        scope,
        default_name="joint_weighted_sum_from_feature_columns",
        values=features_of(features),
    ):
        transformer = _Transformer(features)
        found = []
        for column in _in_order(columns):
            feature = transformer.transform(column)
            try:
                found.append(column._wide_embedding_lookup_arguments(feature))
            except NotImplementedError as error:
                raise NotImplementedError(
                    "Real-valued columns are not supported. Use "
                    "weighted_sum_from_feature_columns instead, or bucketize these columns."
                ) from error
        arguments = _joined(found)
        with variable_scope(None, default_name="linear_weights", values=features_of(features)):
            collections = _with_global_variables(weight_collections)
            variables, total = _looked_up(arguments, num_outputs, "", trainable, collections)
        bias = _zero_variable("bias_weight", [num_outputs], trainable, weight_collections)
        _log(variables)
        _log(parts_of_variable(bias))
        return bias_add(total, bias), variables, bias


def _joined(found: Sequence[_LinearEmbeddingLookupArguments]) -> _LinearEmbeddingLookupArguments:
    """The ids of all columns side by side, each column with a range of its own."""
    for arguments in found:
        if arguments.weight_tensor is not None:
            raise NotImplementedError(
                "Joint sums for weighted sparse columns are not supported. Please use "
                "weighted_sum_from_feature_columns instead."
            )
        if arguments.combiner != "sum":
            raise NotImplementedError(
                "Combiners other than sum are not supported for joint sums. Please use "
                "weighted_sum_from_feature_columns instead."
            )
    if not found:
        raise ValueError("At least one column must be in the model.")
    total = 0
    shifted = []
    for arguments in found:
        ids = arguments.input_tensor
        shifted.append(SparseTensor(ids.indices, ids.values + total, ids.dense_shape))
        total += arguments.vocab_size
    ids = sparse_concat(1, shifted) if len(shifted) > 1 else shifted[0]
    return _LinearEmbeddingLookupArguments(ids, None, total, Zeros(), "sum")


def _log(variables: list[Any]) -> None:
    for variable in variables:
        logging.info("Created variable %s, with device=%s", variable.name, variable.device)


# Parsing and transforming


@_export_op("parse_feature_columns_from_examples")
def parse_feature_columns_from_examples(
    serialized: TensorLike,
    feature_columns: Iterable[Any],
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[Any, Any]:
    """Parses the features of columns from a vector of tf.train.Example messages.

    Args:
        serialized: a vector of serialized messages.
        feature_columns: the columns.
        name: the name of the node.
        example_names: a vector of names for errors.

    Returns:
        {name: feature, column: its transformed feature}.
    """
    columns = list(feature_columns)
    check_feature_columns(columns)
    parsed = parse_example(
        serialized=serialized,
        features=create_feature_spec_for_parsing(columns),
        name=name,
        example_names=example_names,
    )
    transformer = _Transformer(parsed)
    for column in _in_order(columns):
        transformer.transform(column)
    return parsed


@_export_op("transform_features")
def transform_features(
    features: Mapping[Any, Any], feature_columns: Iterable[Any]
) -> dict[Any, Any]:
    """What columns make of features.

    Args:
        features: {name: tensor or SparseTensor}.
        feature_columns: the columns.

    Returns:
        {column: its transformed feature}.
    """
    columns = list(feature_columns)
    check_feature_columns(columns)
    transformed = dict(features)
    transformer = _Transformer(transformed)
    for column in _in_order(columns):
        transformer.transform(column)
    return {key: value for key, value in transformed.items() if key in columns}


@_export_op("parse_feature_columns_from_sequence_examples")
def parse_feature_columns_from_sequence_examples(
    serialized: TensorLike,
    context_feature_columns: Iterable[Any] | None,
    sequence_feature_columns: Iterable[Any] | None,
    name: str | None = None,
    example_name: TensorLike | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parses the features of columns from one tf.train.SequenceExample.

    Args:
        serialized: a string scalar.
        context_feature_columns: the columns of the whole example.
        sequence_feature_columns: the columns of its steps.
        name: the name of the node.
        example_name: a name for errors.

    Returns:
        The features of the whole example, and those of its steps, by name.

    Raises:
        ValueError: if `serialized` is no scalar.
    """
    try:
        serialized = convert_to_tensor(serialized)
        assert_scalar(serialized)
    except (ValueError, errors.InvalidArgumentError) as error:
        raise ValueError(
            "serialized must contain as single sequence example. Batching must be done after "
            f"parsing for sequence examples. Error: {error}"
        ) from error
    return parse_single_sequence_example(
        serialized,
        create_feature_spec_for_parsing(context_feature_columns or []),
        create_sequence_feature_spec(
            sequence_feature_columns or [], allow_missing_by_default=False
        ),
        example_name,
        name,
    )


# Checks


@_export_op("check_feature_columns")
def check_feature_columns(feature_columns: Iterable[Any]) -> None:
    """Checks that columns are different.

    Args:
        feature_columns: the columns.

    Raises:
        ValueError: if two have the same key, or a dict is given.
    """
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    seen = set()
    for column in feature_columns:
        key = column.key
        if key in seen:
            raise ValueError(
                f"Duplicate feature column key found for column: {column.name}. This usually "
                "means that the column is almost identical to another column, and one must be "
                "discarded."
            )
        seen.add(key)


@_export_op("infer_real_valued_columns")
def infer_real_valued_columns(features: Any) -> list[_FeatureColumn]:
    """Columns of numbers for features.

    Args:
        features: a tensor, or {name: tensor}.

    Returns:
        A list of columns.

    Raises:
        ValueError: if a feature is sparse or has no numbers.
    """
    if not isinstance(features, dict):
        return [_real_valued_column_of("", features)]
    return [_real_valued_column_of(name, tensor) for name, tensor in features.items()]


def _real_valued_column_of(name: str, tensor: Any) -> _FeatureColumn:
    if isinstance(tensor, SparseTensor):
        # TensorFlow does not format these two texts.
        raise ValueError(
            "SparseTensor is not supported for auto detection. Please define corresponding "
            "FeatureColumn for tensor {} {}.",
            name,
            tensor,
        )
    if not (tensor.dtype.is_integer or tensor.dtype.is_floating):
        raise ValueError(
            "Non integer or non floating types are not supported for auto detection. Please "
            "define corresponding FeatureColumn for tensor {} {}.",
            name,
            tensor,
        )
    dimension = 1
    for size in tensor.get_shape().as_list()[1:]:
        dimension *= int(size)
    return real_valued_column(name, dimension=dimension, dtype=tensor.dtype)

"""tensorflow.contrib.layers.python: functions without public names."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.layers import target_column
from headwater.contrib.layers.layer_steps import variable_getter
from headwater.contrib.layers.layer_utils import (
    NamedOutputs,
    append_tensor_alias,
    channel_dimension,
    collect_named_outputs,
    constant_value,
    convert_collection_to_dict,
    first_dimension,
    gather_tensors_alias,
    gather_tensors_aliases,
    get_tensor_alias,
    get_tensor_aliases,
    get_variable_collections,
    last_dimension,
    n_positive_integers,
    smart_cond,
    static_cond,
    two_element_tuple,
)
from headwater.contrib.layers.optimizers import adaptive_clipping_fn
from headwater.contrib.layers.reshaping import inner_flatten
from headwater.contrib.layers.sparse_ops import (
    dense_to_sparse_tensor,
    indicators_to_sparse_ids,
    sparse_row_envelope,
)
from headwater.contrib.layers.summaries import assert_summary_tag_unique
from headwater.contrib.layers.units import poincare_normalize

_LAYERS = "tensorflow.contrib.layers.python.layers"

for _function in (
    NamedOutputs,
    append_tensor_alias,
    channel_dimension,
    collect_named_outputs,
    constant_value,
    convert_collection_to_dict,
    first_dimension,
    gather_tensors_alias,
    gather_tensors_aliases,
    get_tensor_alias,
    get_tensor_aliases,
    get_variable_collections,
    last_dimension,
    n_positive_integers,
    smart_cond,
    static_cond,
    two_element_tuple,
):
    internal(f"{_LAYERS}.utils.{_function.__name__}")(_function)
internal(f"{_LAYERS}.layers._build_variable_getter")(variable_getter)
internal(f"{_LAYERS}.layers._inner_flatten")(inner_flatten)
internal(f"{_LAYERS}.layers.poincare_normalize")(poincare_normalize)
internal(f"{_LAYERS}.optimizers.adaptive_clipping_fn")(adaptive_clipping_fn)
internal(f"{_LAYERS}.summaries.assert_summary_tag_unique")(assert_summary_tag_unique)
internal("tensorflow.contrib.layers.python.ops.sparse_ops.dense_to_sparse_tensor")(
    dense_to_sparse_tensor
)

_TARGETS = "tensorflow.contrib.layers.python.layers.target_column"
internal(f"{_TARGETS}._TargetColumn")(target_column.TargetColumn)
internal(f"{_TARGETS}._RegressionTargetColumn")(target_column.RegressionTargetColumn)
internal(f"{_TARGETS}._MultiClassTargetColumn")(target_column.MultiClassTargetColumn)
internal(f"{_TARGETS}._BinarySvmTargetColumn")(target_column.BinarySvmTargetColumn)
internal("tensorflow.contrib.layers.python.ops.sparse_ops.indicators_to_sparse_ids")(
    indicators_to_sparse_ids
)
internal("tensorflow.contrib.layers.python.ops.sparse_ops.sparse_row_envelope")(sparse_row_envelope)

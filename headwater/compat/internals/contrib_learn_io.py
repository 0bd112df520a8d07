"""tensorflow.contrib.learn.python.learn: functions of data and of canned estimators."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.learn.canned import dnn, dnn_linear_combined, dynamic_rnn, linear, rnn_parts
from headwater.contrib.learn.learn_io import feeding_shapes, graph_io, optional_packages
from headwater.estimator.inputs.feeding import enqueue_data

_LEARN = "tensorflow.contrib.learn.python.learn"
_IO = f"{_LEARN}.learn_io"
for _module in (_IO, f"{_IO}.data_feeder", f"{_IO}.dask_io", f"{_IO}.pandas_io"):
    internal(f"{_module}.HAS_DASK")(optional_packages.HAS_DASK)
    internal(f"{_module}.HAS_PANDAS")(optional_packages.HAS_PANDAS)
for _module in ("estimator.inputs.pandas_io", "estimator.inputs.queues.feeding_functions"):
    internal(f"{_module}.HAS_PANDAS")(optional_packages.HAS_PANDAS)
internal(f"{_LEARN}.learn_io.graph_io.KEY_FEATURE_NAME")(graph_io.KEY_FEATURE_NAME)
internal(f"{_LEARN}.learn_io.data_feeder._batch_data")(feeding_shapes.batches_of)
internal(f"{_LEARN}.learn_io.graph_io._read_keyed_batch_examples_shared_queue")(
    graph_io.read_keyed_batch_examples_shared_queue
)
internal(f"{_LEARN}.dataframe.queues.feeding_functions.enqueue_data")(enqueue_data)

_ESTIMATORS = f"{_LEARN}.estimators"
internal(f"{_ESTIMATORS}.linear._linear_model_fn")(linear.linear_model_fn)
internal(f"{_ESTIMATORS}.dnn._dnn_model_fn")(dnn.dnn_model_fn)
internal(f"{_ESTIMATORS}.dnn_linear_combined._dnn_linear_combined_model_fn")(
    dnn_linear_combined.combined_model_fn
)
internal(f"{_ESTIMATORS}.rnn_common.RNNKeys")(rnn_parts.RNNKeys)
internal(
    f"{_ESTIMATORS}.rnn_common.PredictionType",
    f"{_ESTIMATORS}.dynamic_rnn_estimator.PredictionType",
)(rnn_parts.PredictionType)
internal(f"{_ESTIMATORS}.rnn_common.construct_rnn_cell")(rnn_parts.construct_rnn_cell)
internal(f"{_ESTIMATORS}.rnn_common.apply_dropout")(rnn_parts.apply_dropout)
internal(f"{_ESTIMATORS}.rnn_common.select_last_activations")(rnn_parts.select_last_activations)
internal(f"{_ESTIMATORS}.rnn_common.mask_activations_and_labels")(
    rnn_parts.mask_activations_and_labels
)
internal(f"{_ESTIMATORS}.dynamic_rnn_estimator.build_sequence_input")(
    dynamic_rnn.build_sequence_input
)
internal(f"{_ESTIMATORS}.dynamic_rnn_estimator.construct_rnn")(dynamic_rnn.construct_rnn)
internal(f"{_ESTIMATORS}.dynamic_rnn_estimator.dict_to_state_tuple")(
    dynamic_rnn.dict_to_state_tuple
)
internal(f"{_ESTIMATORS}.dynamic_rnn_estimator.state_tuple_to_dict")(
    dynamic_rnn.state_tuple_to_dict
)

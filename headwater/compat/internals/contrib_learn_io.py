"""tensorflow.contrib.learn.python.learn.learn_io: functions without public names."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.learn.learn_io import feeding_shapes, graph_io, optional_packages
from headwater.estimator.inputs.feeding import enqueue_data

_LEARN = "tensorflow.contrib.learn.python.learn"
for _module in ("data_feeder", "dask_io", "pandas_io"):
    internal(f"{_LEARN}.learn_io.{_module}.HAS_DASK")(optional_packages.HAS_DASK)
    internal(f"{_LEARN}.learn_io.{_module}.HAS_PANDAS")(optional_packages.HAS_PANDAS)
internal(f"{_LEARN}.learn_io.graph_io.KEY_FEATURE_NAME")(graph_io.KEY_FEATURE_NAME)
internal(f"{_LEARN}.learn_io.data_feeder._batch_data")(feeding_shapes.batches_of)
internal(f"{_LEARN}.learn_io.graph_io._read_keyed_batch_examples_shared_queue")(
    graph_io.read_keyed_batch_examples_shared_queue
)
internal(f"{_LEARN}.dataframe.queues.feeding_functions.enqueue_data")(enqueue_data)

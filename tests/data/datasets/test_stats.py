"""Statistics that datasets collect."""

import pytest

import headwater as tf
from headwater.base import errors


def counted(summary: bytes) -> dict:
    """The number of values in each histogram of a serialized Summary."""
    return {value.tag: value.histo.num for value in tf.Summary.FromString(summary).value}


def test_iterators_of_one_aggregator_add_to_the_same_histograms(session):
    aggregator = tf.data.experimental.StatsAggregator()
    dataset = tf.data.Dataset.range(3).apply(tf.data.experimental.latency_stats("a"))
    options = tf.data.Options()
    options.experimental_stats.aggregator = aggregator
    options.experimental_stats.prefix = "p"
    iterators = [dataset.with_options(options).make_initializable_iterator() for _ in range(2)]
    elements = [iterator.get_next() for iterator in iterators]
    session.run([iterator.initializer for iterator in iterators])
    assert session.run(elements) == [0, 0]
    assert session.run(elements[0]) == 1
    assert counted(session.run(aggregator.get_summary())) == {"p::a": 3}


def test_the_end_and_errors_are_not_counted(session):
    aggregator = tf.data.experimental.StatsAggregator()
    dataset = tf.data.Dataset.range(3).map(lambda x: 6 // (x - 1))
    dataset = dataset.apply(tf.data.experimental.bytes_produced_stats("a"))
    options = tf.data.Options()
    options.experimental_stats.aggregator = aggregator
    iterator = dataset.with_options(options).make_initializable_iterator()
    element = iterator.get_next()
    session.run(iterator.initializer)
    assert session.run(element) == -6
    with pytest.raises(errors.InvalidArgumentError, match="Integer division by zero"):
        session.run(element)
    assert session.run(element) == 6
    with pytest.raises(errors.OutOfRangeError, match="End of sequence"):
        session.run(element)
    assert counted(session.run(aggregator.get_summary())) == {"a": 2}


def test_measured_datasets_are_saved(session):
    dataset = tf.data.Dataset.range(3).apply(tf.data.experimental.latency_stats("a"))
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    saved = tf.raw_ops.SerializeIterator(resource_handle=iterator._iterator_resource)
    given = tf.placeholder(tf.variant, [])
    restore = tf.raw_ops.DeserializeIterator(
        resource_handle=iterator._iterator_resource, serialized=given
    )
    session.run(iterator.initializer)
    session.run(element)
    state = session.run(saved)
    assert session.run(element) == 1
    session.run(restore, {given: state})
    assert session.run(element) == 1


def test_older_names_of_the_ops(session):
    attrs = {"output_types": [tf.int64], "output_shapes": [[]]}
    raw = tf.raw_ops
    aggregator = raw.ExperimentalStatsAggregatorHandle()
    variant = tf.data.Dataset.range(3)._variant_tensor
    variant = raw.ExperimentalLatencyStatsDataset(input_dataset=variant, tag="l", **attrs)
    variant = raw.ExperimentalBytesProducedStatsDataset(input_dataset=variant, tag="b", **attrs)
    variant = raw.ExperimentalSetStatsAggregatorDataset(
        input_dataset=variant, stats_aggregator=aggregator, tag="", counter_prefix="", **attrs
    )
    dataset = tf.data.experimental.from_variant(variant, tf.TensorSpec([], tf.int64))
    iterator = tf.data.make_initializable_iterator(dataset)
    session.run(iterator.initializer)
    session.run(iterator.get_next())
    summary = session.run(raw.ExperimentalStatsAggregatorSummary(iterator=aggregator))
    assert counted(summary) == {"l": 1, "b": 1}


def test_a_handle_of_something_else(session):
    iterator = tf.data.Dataset.range(3).make_initializable_iterator()
    summary = tf.raw_ops.StatsAggregatorSummary(iterator=iterator._iterator_resource)
    with pytest.raises(errors.InvalidArgumentError, match="access a StatsAggregator through"):
        session.run(summary)


def test_an_aggregator_of_the_second_kind_writes_what_changes(session, tmp_path):
    # As in TensorFlow 1.15.5: the steps are those of the elements, and each event has all values.
    aggregator = tf.data.experimental.StatsAggregator()
    aggregator._resource = tf.raw_ops.StatsAggregatorHandleV2()
    writer = tf.raw_ops.SummaryWriter()
    create = tf.raw_ops.CreateSummaryFileWriter(
        writer=writer, logdir=str(tmp_path), max_queue=10, flush_millis=60000, filename_suffix=""
    )
    to_writer = tf.raw_ops.StatsAggregatorSetSummaryWriter(
        stats_aggregator=aggregator._resource, summary=writer
    )
    dataset = tf.data.Dataset.range(3).apply(tf.data.experimental.bytes_produced_stats("a"))
    options = tf.data.Options()
    options.experimental_stats.aggregator = aggregator
    options.experimental_stats.prefix = "p"
    iterator = dataset.with_options(options).make_initializable_iterator()
    element = iterator.get_next()
    for op in (create, to_writer, iterator.initializer):
        session.run(op)
    assert [session.run(element) for _ in range(3)] == [0, 1, 2]
    assert session.run(aggregator.get_summary()) == b""
    session.run(tf.raw_ops.CloseSummaryWriter(writer=writer))
    (path,) = tmp_path.iterdir()
    _, *events = tf.train.summary_iterator(str(path))
    found = [
        (event.step, value.tag, value.histo.num)
        for event in events
        for value in event.summary.value
    ]
    assert found == [(0, "p::a", 1.0), (1, "p::a", 2.0), (2, "p::a", 3.0)]


def test_saved_iterators_with_statistics(session):
    aggregator = tf.data.experimental.StatsAggregator()
    dataset = tf.data.Dataset.range(10).map(lambda x: x * 2, num_parallel_calls=2)
    dataset = dataset.filter(lambda x: x % 4 > 0).prefetch(2)
    options = tf.data.Options()
    options.experimental_stats.aggregator = aggregator
    options.experimental_stats.latency_all_edges = True
    iterator = dataset.with_options(options).make_initializable_iterator()
    element = iterator.get_next()
    saved = tf.raw_ops.SerializeIterator(resource_handle=iterator._iterator_resource)
    given = tf.placeholder(tf.variant, [])
    restore = tf.raw_ops.DeserializeIterator(
        resource_handle=iterator._iterator_resource, serialized=given
    )
    session.run(iterator.initializer)
    assert session.run(element) == 2
    state = session.run(saved)
    for _ in range(2):
        assert [session.run(element) for _ in range(4)] == [6, 10, 14, 18]
        with pytest.raises(errors.OutOfRangeError):
            session.run(element)
        session.run(restore, {given: state})


def test_statistics_do_not_change_errors(session):
    aggregator = tf.data.experimental.StatsAggregator()
    dataset = tf.data.Dataset.range(4).map(lambda x: 6 // (x - 1), num_parallel_calls=2)
    options = tf.data.Options()
    options.experimental_stats.aggregator = aggregator
    iterator = dataset.with_options(options).make_initializable_iterator()
    element = iterator.get_next()
    session.run(iterator.initializer)
    assert session.run(element) == -6
    with pytest.raises(errors.InvalidArgumentError, match="Integer division by zero"):
        session.run(element)
    assert [session.run(element) for _ in range(2)] == [6, 3]
    summary = tf.Summary.FromString(session.run(aggregator.get_summary()))
    (utilization,) = [v for v in summary.value if "utilization" in v.tag]
    assert utilization.tag == "ParallelMapDataset/_5::thread_utilization"


def test_an_aggregator_of_the_second_kind_writes_numbers(session, tmp_path):
    aggregator = tf.data.experimental.StatsAggregator()
    aggregator._resource = tf.raw_ops.StatsAggregatorHandleV2()
    writer = tf.raw_ops.SummaryWriter()
    create = tf.raw_ops.CreateSummaryFileWriter(
        writer=writer, logdir=str(tmp_path), max_queue=10, flush_millis=60000, filename_suffix=""
    )
    to_writer = tf.raw_ops.StatsAggregatorSetSummaryWriter(
        stats_aggregator=aggregator._resource, summary=writer
    )
    dataset = tf.data.Dataset.range(5).filter(lambda x: x > 2)
    options = tf.data.Options()
    options.experimental_stats.aggregator = aggregator
    options.experimental_optimization.apply_default_optimizations = False
    iterator = dataset.with_options(options).make_initializable_iterator()
    for op in (create, to_writer, iterator.initializer):
        session.run(op)
    element = iterator.get_next()
    assert [session.run(element) for _ in range(2)] == [3, 4]
    session.run(tf.raw_ops.CloseSummaryWriter(writer=writer))
    (path,) = tmp_path.iterdir()
    _, *events = tf.train.summary_iterator(str(path))
    found = [(event.summary.value[0].tag, event.summary.value[0].simple_value) for event in events]
    dropped, kept = (f"FilterDataset::{name}_elements" for name in ("dropped", "filtered"))
    assert found == [(dropped, 1), (dropped, 2), (dropped, 3), (kept, 1), (kept, 2)]

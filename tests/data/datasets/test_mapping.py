"""Functions of elements: threads, saved states, what iterators keep, op types without a case."""

from __future__ import annotations

import contextlib
import gc
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.base import errors, workers
from headwater.base.cancellation import Cancellation
from headwater.base.handles import resource_of
from headwater.data.datasets.dataset import DatasetSpec
from headwater.data.datasets.function import ElementFunction
from headwater.engine.running import functions
from headwater.engine.running.executor import call
from headwater.engine.running.plan import Plan
from headwater.graph import build
from headwater.model.defun import Defun
from headwater.ops.data import background
from headwater.ops.data.dataset import IteratorContext

D = tf.data.Dataset


def slow(x: Any) -> Any:
    """A function that threads call."""
    return tf.py_func(lambda v: v * 2, [x], tf.int64)


def numbers(x: Any) -> Any:
    return D.range(10 * x, 10 * x + x)


THREADED: dict[str, Callable[[], Any]] = {
    "map": lambda: D.range(50).map(slow, num_parallel_calls=4),
    "prefetch": lambda: D.range(50).map(slow).prefetch(5),
    "prefetch of any size": lambda: D.range(50).map(slow).prefetch(-1),
    "interleave": lambda: D.range(9).interleave(numbers, 3, 2, num_parallel_calls=3),
    "parallel_interleave": lambda: D.range(9).apply(
        tf.data.experimental.parallel_interleave(numbers, 3, 2)
    ),
    "nested": lambda: D.range(9).flat_map(lambda x: numbers(x).map(slow, 2).prefetch(2)),
    "map_and_batch": lambda: D.range(50).apply(
        tf.data.experimental.map_and_batch(slow, 3, num_parallel_calls=4)
    ),
}

PLAIN: dict[str, Callable[[], Any]] = {
    "map": lambda: D.range(30).map(lambda x: x + 1),
    "rows": lambda: D.range(30).map(lambda x: x + 1).batch(4),
    "a row with an error": lambda: D.range(30).map(lambda x: 100 // (x - 7)).batch(4),
    "filter": lambda: D.range(30).filter(lambda x: x % 3 > 0).batch(4),
    "flat_map": lambda: D.range(8).flat_map(numbers),
    "interleave": lambda: D.range(9).interleave(numbers, 3, 2),
    "scan": lambda: D.range(9).apply(
        tf.data.experimental.scan(tf.constant(0, tf.int64), lambda a, x: (a + x, a))
    ),
    "take_while": lambda: D.range(9).apply(tf.data.experimental.take_while(lambda x: x < 5)),
    "errors": lambda: D.range(9).map(lambda x: 10 // (x - 3), 2).prefetch(3),
    "ignore_errors": lambda: (
        D.range(9).map(lambda x: 10 // (x - 3)).apply(tf.data.experimental.ignore_errors())
    ),
}


def busy_threads() -> int:
    """How many threads of Headwater do something."""
    alive = [t for t in threading.enumerate() if t.name == "headwater worker"]
    return sum(thread not in workers._idle for thread in alive)


def settle() -> int:
    """The number of busy threads, when those that end have ended."""
    gc.collect()
    for _ in range(500):
        if not busy_threads():
            break
        time.sleep(0.01)
    return busy_threads()


@pytest.mark.parametrize("name", THREADED)
def test_no_thread_is_left_when_a_session_closes(name: str) -> None:
    iterator = THREADED[name]().make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        for _ in range(5):
            session.run(element)
    assert settle() == 0


@pytest.mark.parametrize("name", THREADED)
def test_no_thread_is_left_when_an_iterator_starts_again(name: str) -> None:
    iterator = THREADED[name]().make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        values = []
        for _ in range(10):
            session.run(iterator.initializer)
            values.append(np.asarray(session.run(element)).tolist())
        assert len({str(value) for value in values}) == 1
        for _ in range(500):
            if busy_threads() <= 12:
                break
            time.sleep(0.01)
        assert busy_threads() <= 12, "threads of the iterators before live on"
    assert settle() == 0


@pytest.mark.parametrize("name", THREADED)
def test_no_thread_is_left_at_the_end(name: str) -> None:
    iterator = THREADED[name]().make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            while True:
                session.run(element)
        assert settle() == 0


def test_a_session_that_is_forgotten_leaves_no_thread() -> None:
    iterator = THREADED["map"]().prefetch(1).make_initializable_iterator()
    element = iterator.get_next()
    session = tf.Session()
    session.run(iterator.initializer)
    session.run(element)
    session.close()
    del session
    assert settle() == 0


def test_a_run_that_waits_for_an_element_can_be_stopped() -> None:
    started, go_on = threading.Event(), threading.Event()

    def blocks(v: Any) -> Any:
        started.set()
        go_on.wait(30)
        return v

    dataset = D.range(3).map(lambda x: tf.py_func(blocks, [x], tf.int64), 2)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        options = tf.RunOptions(timeout_in_ms=100)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element, options=options)
        assert started.is_set()
        go_on.set()
        assert [session.run(element) for _ in range(3)] == [0, 1, 2]
    assert settle() == 0


def test_closing_wakes_a_run_that_waits_for_a_thread() -> None:
    go_on = threading.Event()
    function = lambda x: tf.py_func(lambda v: (go_on.wait(30), v)[1], [x], tf.int64)  # noqa: E731
    iterator = D.range(3).map(function).prefetch(1).make_initializable_iterator()
    element = iterator.get_next()
    session = tf.Session()
    session.run(iterator.initializer)
    raised: list[BaseException] = []

    def wait() -> None:
        try:
            session.run(element)
        except tf.errors.CancelledError as error:
            raised.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.1)
    session.close()
    thread.join(10)
    go_on.set()
    assert not thread.is_alive()
    assert len(raised) == 1
    assert settle() == 0


def test_parallel_calls_run_at_the_same_time_and_keep_their_order() -> None:
    together = threading.Barrier(3)

    def meet(v: Any) -> Any:
        together.wait(30)
        return v

    dataset = D.range(9).map(lambda x: tf.py_func(meet, [x], tf.int64), num_parallel_calls=3)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert [session.run(element) for _ in range(9)] == list(range(9))


@pytest.mark.filterwarnings("ignore:Seed 3 from outer graph:UserWarning")
def test_parallel_calls_do_not_draw_the_same_random_numbers() -> None:
    tf.set_random_seed(3)

    def draw(x: Any) -> Any:
        return tf.py_func(lambda v: v, [tf.random_uniform([])], tf.float32)

    found = []
    for calls in (None, 8):
        iterator = D.range(200).map(draw, num_parallel_calls=calls).make_initializable_iterator()
        element = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            found.append([float(session.run(element)) for _ in range(200)])
    assert len(set(found[1])) == 200
    assert sorted(found[0]) == sorted(found[1])


def test_prefetching_makes_no_more_elements_than_asked_for() -> None:
    made: list[int] = []
    function = lambda x: tf.py_func(lambda v: (made.append(int(v)), v)[1], [x], tf.int64)  # noqa: E731
    iterator = D.range(100).map(function).prefetch(4).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert session.run(element) == 0
        time.sleep(0.2)
        assert 1 <= len(made) <= 6


# Saved states


def outcomes(elements: Any, limit: int = 200) -> list[Any]:
    """The elements of an iterator, with the types of errors in the places of those that fail."""
    found: list[Any] = []
    while len(found) < limit:
        try:
            element = elements.next()
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
            continue
        if element is None:
            return found
        found.append([np.asarray(value).tolist() for value in element])
    raise AssertionError("no end")


@pytest.mark.parametrize("name", [*PLAIN, *(f"threaded {name}" for name in THREADED)])
def test_a_restored_iterator_goes_on(name: str) -> None:
    threaded = name.startswith("threaded ")
    dataset = (THREADED if threaded else PLAIN)[name.removeprefix("threaded ")]()
    with tf.Session() as session:
        value = dataset_value(session, dataset)
        expected = outcomes(value.iterate(IteratorContext(Cancellation())))
        for position in (0, 1, 3, len(expected)):
            contexts = [IteratorContext(Cancellation()) for _ in range(2)]
            first, second = (value.iterate(context) for context in contexts)
            for _ in range(position):
                with contextlib.suppress(tf.errors.OpError):
                    first.next()
            state: dict[str, Any] = {}
            first.save(state, "state")
            assert outcomes(first) == expected[position:]
            second.restore({key: np.asarray(part) for key, part in state.items()}, "state")
            assert outcomes(second) == expected[position:]
            for context, iterator in zip(contexts, (first, second)):
                context.cancellation.cancel()
                iterator.close()
    assert settle() == 0


def dataset_value(session: Any, dataset: Any) -> Any:
    """The value of a dataset's variant in a session."""
    plan = Plan(tf.get_default_graph(), session._state, [dataset._variant_tensor], [], [])
    return resource_of(call(plan, [])[0])


# Op types that TensorFlow 1.15.5 registers without a kernel, or that need graph surgery


def values_of(variant: Any, spec: Any) -> list[Any]:
    dataset = tf.data.experimental.from_variant(variant, spec)
    iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        found: list[Any] = []
        for _ in range(100):
            try:
                found.append(session.run(element))
            except tf.errors.OutOfRangeError:
                return found
    raise AssertionError("no end")


def test_filter_by_last_component() -> None:
    flagged = D.from_tensor_slices(([1, 2, 3, 4], [True, False, True, True]))
    attrs = {"output_types": [tf.int32], "output_shapes": [[]]}
    variant = build.FilterByLastComponentDataset(flagged._variant_tensor, **attrs)
    assert values_of(variant, tf.TensorSpec([], tf.int32)) == [1, 3, 4]


def test_the_older_op_type_of_map() -> None:
    dataset = D.range(4).map(lambda x: x * 3)
    graph_def = tf.get_default_graph().as_graph_def()
    for node in graph_def.node:
        if node.op == "MapDataset":
            node.op = "ExperimentalMapDataset"
    names = [dataset._variant_tensor.name]
    (variant,) = tf.import_graph_def(graph_def, return_elements=names)
    assert values_of(variant, dataset.element_spec) == [0, 3, 6, 9]


def test_choose_fastest_branch_applies_a_branch() -> None:
    source = D.range(6)
    spec = DatasetSpec(tf.TensorSpec([], tf.int64))
    branches = [
        ElementFunction(func, "branch()", spec)
        for func in (
            lambda dataset: dataset.map(lambda x: x * 2).batch(2),
            lambda dataset: dataset.batch(2).map(lambda x: x * 2),
        )
    ]
    variant = build.ChooseFastestBranchDataset(
        source._variant_tensor,
        tf.constant(1, tf.int64),
        tf.constant(2, tf.int64),
        [],
        num_elements_per_branch=3,
        branches=[branch.attr for branch in branches],
        other_arguments_lengths=[0, 0],
        output_types=[tf.int64],
        output_shapes=[[None]],
    )
    found = values_of(variant, tf.TensorSpec([None], tf.int64))
    assert np.array(found).tolist() == [[0, 2], [4, 6], [8, 10]]


# Sizes and structures


def test_memory_of_functions_inside_functions_is_shared() -> None:
    made: list[str] = []
    plan = functions.Plan

    class Counted(plan):  # type: ignore[misc, valid-type]
        def __init__(self, graph: Any, *args: Any, **kwargs: Any) -> None:
            made.append(getattr(graph, "name", ""))
            super().__init__(graph, *args, **kwargs)

    functions.Plan = Counted  # type: ignore[misc]
    try:
        dataset = D.range(50).flat_map(lambda x: D.range(2).map(lambda y: y + x))
        element = dataset.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            assert sum(int(session.run(element)) for _ in range(100)) == 2500
    finally:
        functions.Plan = plan  # type: ignore[misc]
    assert len(made) <= 6


def test_errors_name_function_op_and_line() -> None:
    dataset = D.range(3).map(lambda x: 10 // (x - 1))
    iterator = dataset.make_one_shot_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        assert session.run(element) == -10
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match=r"(?s)function_node __inference_Dataset_map_.*Integer division by zero"
            r".*floordiv.*test_mapping\.py",
        ):
            session.run(element)
        assert session.run(element) == 10


def test_a_list_that_is_converted_casts_its_tensors() -> None:
    size = tf.constant(3, tf.int64)
    ones = tf.ones([size, 2])
    assert ones.op.inputs[0].op.inputs[0].op.type == "Cast"
    mixed = [tf.constant(1), size]
    with pytest.raises(TypeError, match="Cannot convert a list containing a tensor of dtype"):
        tf.convert_to_tensor(mixed, tf.int32)
    assert tf.convert_to_tensor(mixed[::-1], tf.int32).dtype == tf.int32
    with tf.Session() as session:
        assert session.run(ones).shape == (3, 2)
        assert session.run(tf.convert_to_tensor(mixed[::-1], tf.int32)).tolist() == [3, 1]


def test_map_and_batch_fusion_is_an_option() -> None:
    plain = tf.data.Options()
    plain.experimental_optimization.map_and_batch_fusion = False

    def batches(dataset: Any) -> list[Any]:
        element = dataset.make_one_shot_iterator().get_next()
        found: list[Any] = []
        with tf.Session() as session:
            while len(found) < 9:
                try:
                    found.append(session.run(element).tolist())
                except tf.errors.InvalidArgumentError:
                    found.append("error")
                except tf.errors.OutOfRangeError:
                    break
        return found

    source = D.range(8).map(lambda x: 12 // (x - 2))
    # An error costs the whole batch where TensorFlow fuses map and batch.
    assert batches(source.batch(4)) == ["error", [6, 4, 3, 2]]
    assert batches(source.skip(0).batch(4)) == ["error", [6, 4, 3, 2]]
    assert batches(source.batch(4).with_options(plain)) == ["error", [12, 6, 4, 3], [2]]
    assert batches(source.prefetch(1).batch(4)) == ["error", [12, 6, 4, 3], [2]]


# Functions that end a sequence


def drained(dataset: Any, limit: int = 12) -> list[Any]:
    element = dataset.make_initializable_iterator()
    following = element.get_next()
    found: list[Any] = []
    with tf.Session() as session:
        for op in tf.get_collection("first"):
            session.run(op)
        session.run(element.initializer)
        while len(found) < limit:
            try:
                found.append(np.asarray(session.run(following)).tolist())
            except tf.errors.OpError as error:
                found.append(type(error).__name__)
    return found


def ends_at_three(x: Any) -> Any:
    def stop(v: Any) -> Any:
        if v == 3:
            raise StopIteration
        return v

    return tf.py_func(stop, [x], tf.int64)


@pytest.mark.parametrize("calls", [None, 2])
def test_a_function_may_end_the_sequence(calls: int | None) -> None:
    # As in TensorFlow, what comes next is another matter.
    end = "OutOfRangeError"
    assert drained(D.range(6).map(ends_at_three, calls), 8) == [0, 1, 2, end, 4, 5, end, end]
    assert drained(D.range(6).map(ends_at_three, calls).batch(2), 4) == [[0, 1], [2], [4, 5], end]


@pytest.mark.parametrize(
    "dataset",
    [
        lambda: D.range(6).apply(tf.data.experimental.map_and_batch(ends_at_three, 2)),
        lambda: D.range(6).apply(
            tf.data.experimental.scan(tf.constant(0, tf.int64), lambda a, x: (a, ends_at_three(x)))
        ),
    ],
)
def test_a_function_may_not_end_a_sequence_of_known_length(dataset: Callable[[], Any]) -> None:
    assert "InvalidArgumentError" in drained(dataset())


def test_an_end_where_none_is_expected_is_an_internal_error() -> None:
    dataset = D.range(6).filter(lambda x: ends_at_three(x) >= 0)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert [session.run(element) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(
            tf.errors.InternalError,
            match=r"returned `OutOfRange`. This indicates an implementation error as `OutOfRange` "
            "errors are not expected to be returned here. Original message:",
        ):
            session.run(element)
        assert session.run(element) == 4


def test_a_closed_queue_ends_the_sequence() -> None:
    queue = tf.FIFOQueue(9, tf.int64, shapes=[])
    tf.add_to_collection("first", queue.enqueue_many([[5, 6, 7]]))
    tf.add_to_collection("first", queue.close())
    dataset = D.from_tensors(0).repeat().map(lambda _: queue.dequeue()).batch(2)
    assert drained(dataset, 4) == [[5, 6], [7], "OutOfRangeError", "OutOfRangeError"]


def test_functions_with_effects_run_once_for_each_element() -> None:
    counter = tf.get_variable(
        "c", (), tf.int32, initializer=tf.zeros_initializer(), use_resource=True
    )
    tf.add_to_collection("first", counter.initializer)

    def count(x: Any) -> Any:
        counter.assign_add(1)
        return x

    dataset = D.zip((D.range(4).map(count), D.range(4).map(lambda _: counter.read_value())))
    assert drained(dataset, 4) == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert drained(D.range(4).map(count).batch(2), 2) == [[0, 1], [2, 3]]


def test_other_iterators_may_be_used_in_functions() -> None:
    other = D.range(5).make_initializable_iterator()
    tf.add_to_collection("first", other.initializer)
    dataset = D.range(9).map(lambda x: x * other.get_next())
    assert drained(dataset, 6) == [0, 1, 4, 9, 16, "OutOfRangeError"]


def test_sparse_values_of_functions() -> None:
    def sparse(i: Any) -> Any:
        return tf.SparseTensorValue(np.array([[0, 0]]), i * np.array([1]), np.array([1, 1]))

    dataset = D.range(3).map(sparse).map(lambda s: tf.sparse_concat(0, [s, s]).values)
    assert drained(dataset, 3) == [[0, 0], [1, 1], [2, 2]]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_buffer_is_filled_again_at_once(size: int) -> None:
    seen = threading.Event()

    def note(v: Any) -> Any:
        if v == 5:
            seen.set()
        return v

    dataset = D.range(20).map(lambda x: tf.py_func(note, [x], tf.int64)).prefetch(size)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        for i in range(5 - size + 1):
            assert not seen.is_set()
            assert session.run(element) == i
        assert seen.wait(20)


def test_nothing_is_differentiated_through_reduce() -> None:
    x = tf.constant(3.0)
    total = D.range(3).reduce(x, lambda a, b: a * tf.cast(b, tf.float32))
    assert tf.gradients(total, [x]) == [None]


def test_the_order_may_be_left_open() -> None:
    last = threading.Event()

    def first_waits(v: Any) -> Any:
        if v == 0:
            last.wait(30)
        if v == 3:
            last.set()
        return v

    options = tf.data.Options()
    options.experimental_deterministic = False
    dataset = D.range(4).map(lambda x: tf.py_func(first_waits, [x], tf.int64), 2)
    element = dataset.with_options(options).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        found = [int(session.run(element)) for _ in range(4)]
    assert sorted(found) == [0, 1, 2, 3]
    assert found[0] == 1


def test_many_threads_may_take_elements_of_one_iterator() -> None:
    dataset = D.range(300).map(slow, 8).prefetch(4)
    element = dataset.make_one_shot_iterator().get_next()
    found: list[int] = []
    with tf.Session() as session:

        def take() -> None:
            try:
                while True:
                    found.append(int(session.run(element)))
            except tf.errors.OutOfRangeError:
                return

        threads = [threading.Thread(target=take) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert sorted(found) == [2 * i for i in range(300)]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("if", [0, 1, -2, -3]),
        ("while", [3, 3, 3, 3]),
        ("for", [0, 3, 6, 9]),
        ("and", [False, False, True, False]),
    ],
)
def test_python_statements_on_elements(statement: str, expected: list[Any]) -> None:
    def function(x: tf.Tensor) -> tf.Tensor:
        if statement == "while":
            while x < 3:
                x = x + 1
        elif statement == "for":
            for part in tf.stack([x, x]):
                x = x + part
        elif statement == "and":
            return x > 1 and x < 3
        elif x > 1:
            return -x
        return x

    element = tf.data.Dataset.range(4).map(function).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert [session.run(element) for _ in expected] == expected


def short(x: Any) -> Any:
    """A function that takes little time, and whose results are not rows."""
    return tf.range(x % 5, dtype=tf.int64) // (x - 200)


def outcomes_of_short(count: int) -> list[Any]:
    """The results of `short`; None in the place of an error."""
    return [
        None if x == 200 and x % 5 else (np.arange(x % 5) // (x - 200 or 1)).tolist()
        for x in range(count)
    ]


def taken_outcomes(iterator: Any, count: int) -> list[Any]:
    """Some outcomes of an iterator, up to its end."""
    found: list[Any] = []
    while len(found) < count:
        try:
            element = iterator.next()
        except tf.errors.OpError:
            found.append(None)
            continue
        if element is None:
            break
        found.append(np.asarray(element[0]).tolist())
    return found


@pytest.mark.parametrize("limit", [1e-9, 1e-4, 10.0])
def test_short_calls_come_in_order_whoever_makes_them(
    monkeypatch: pytest.MonkeyPatch, limit: float
) -> None:
    monkeypatch.setattr(background, "_SHORT", limit)
    monkeypatch.setattr(background, "_TRIAL", 8)
    dataset = D.range(300).map(short, num_parallel_calls=3)
    with tf.Session() as session:
        made = resource_of(session.run(tf.data.experimental.to_variant(dataset)))
        iterator, other = (made.iterate(IteratorContext(Cancellation())) for _ in range(2))
        expected = outcomes_of_short(300)
        assert taken_outcomes(iterator, 150) == expected[:150]
        state: dict[str, Any] = {}
        iterator.save(state, "Iterator")
        other.restore(state, "Iterator")
        assert taken_outcomes(iterator, 300) == expected[150:]
        assert iterator.next() is None
        assert taken_outcomes(other, 300) == expected[150:]
        iterator.close()
        other.close()
        with pytest.raises(tf.errors.CancelledError):
            made_again = made.iterate(IteratorContext(Cancellation()))
            taken_outcomes(made_again, 100)
            made_again.close()
            made_again.next()


def test_calls_that_may_wait_for_each_other_stay_in_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(background, "_SHORT", 10.0)
    monkeypatch.setattr(background, "_TRIAL", 4)
    both = threading.Barrier(2, timeout=30)

    def met(x: Any) -> Any:
        return tf.py_func(lambda v: (both.wait(), v)[1], [x], tf.int64)

    batch = D.range(40).map(met, num_parallel_calls=2).batch(40)
    with tf.Session() as session:
        found = session.run(batch.make_one_shot_iterator().get_next())
    assert found.tolist() == list(range(40))


def undefined(x: Any) -> Any:
    return 1 // (x - x)


def failing_maps() -> dict[str, tuple[Any, str]]:
    tagged = r"\{\{function_node __inference_Dataset_map_<lambda>_\d+\}\} "
    key = tf.data.experimental.group_by_window(undefined, lambda k, w: w.batch(2), window_size=2)
    return {
        "of a named function": (D.range(3).map(undefined), " "),
        "of a lambda": (D.range(3).map(lambda x: undefined(x)), tagged),
        "of a key": (D.range(3).apply(key), " "),
    }


@pytest.mark.parametrize("name", ["of a named function", "of a lambda", "of a key"])
def test_errors_name_functions_as_in_tensorflow(session, name):
    dataset, start = failing_maps()[name]
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(element)
    assert re.match(f"{start}Integer division by zero\n", caught.value.message)


@pytest.mark.parametrize("function", ["dataset", "Defun"])
def test_a_function_cannot_update_a_reference_variable_that_it_captures(function):
    variable = tf.Variable(0, use_resource=False)
    text = (
        r"In op 'AssignAdd', input types \(\[tf.int32, tf.int32\]\) are not compatible with "
        r"expected types \(\[tf.int32_ref, tf.int32\]\)"
    )
    with pytest.raises(TypeError, match=text):
        if function == "dataset":
            D.range(3).map(lambda x: variable.assign_add(1))
        else:
            Defun(tf.int32)(lambda x: variable.assign_add(x))(3)


def test_interleave_begins_datasets_when_it_comes_to_them(session):
    def twice(x):
        return D.from_tensors(x).repeat(2)

    saved = D.range(3).interleave(twice, cycle_length=10**12)
    element = tf.data.make_one_shot_iterator(saved.concatenate(saved)).get_next()
    assert [session.run(element) for _ in range(12)] == 2 * [0, 1, 2, 0, 1, 2]


def test_a_captured_variable_without_a_value_is_named(session):
    v = tf.get_variable("v", [], tf.int64, use_resource=True)
    numbers = tf.data.Dataset.range(3)
    for function, kind in (
        (lambda x: x + v, errors.FailedPreconditionError),
        (lambda x: v.assign_add(x), errors.NotFoundError),
    ):
        iterator = numbers.map(function).make_initializable_iterator()
        session.run(iterator.initializer)
        with pytest.raises(kind, match="localhost/v"):
            session.run(iterator.get_next())


def test_a_transformation_that_returns_no_dataset():
    with pytest.raises(TypeError, match=r"^`transformation_func` must return a Dataset\. Got 3\."):
        D.range(3).apply(lambda dataset: 3)

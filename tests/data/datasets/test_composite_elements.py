"""Elements that are no tensors: TensorArrays, ragged tensors, and their structures."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.data.datasets import nest, structure

D = tf.data.Dataset


def counted(size: Any) -> Any:
    """A TensorArray of 0, 1, ..."""
    size = tf.cast(size, tf.int32)
    return tf.TensorArray(tf.int32, size, element_shape=()).unstack(tf.range(size))


def elements(dataset: Any, result: Any = lambda element: element) -> list[Any]:
    fetch = result(tf.compat.v1.data.make_one_shot_iterator(dataset).get_next())
    found = []
    with tf.Session() as session:
        while True:
            try:
                found.append(session.run(fetch))
            except tf.errors.OutOfRangeError:
                return found


def test_a_tensor_array_is_an_element() -> None:
    dataset = D.range(4).map(counted)
    assert dataset.output_classes is tf.TensorArray
    assert dataset.output_types is tf.int32
    assert dataset.output_shapes.as_list() == [0, 1]  # dynamic_size and infer_shape
    found = elements(dataset, lambda array: array.stack())
    assert [list(x) for x in found] == [[], [0], [0, 1], [0, 1, 2]]
    sizes = dataset.map(lambda array: array.size())
    assert elements(sizes) == [0, 1, 2, 3]
    rows = dataset.flat_map(lambda array: D.from_tensor_slices(array.stack()))
    assert elements(rows) == [0, 0, 1, 0, 1, 2]


def test_a_tensor_array_of_a_dataset_is_written_and_read() -> None:
    def changed(array: Any) -> Any:
        array = array.write(1, 10).identity()
        rest = array.unstack([7, 8]).scatter([1], [9])
        return array.read(1), array.gather([2, 0]), rest.stack(), array.size()

    [found] = elements(D.range(3, 4).map(counted).map(changed))
    assert [np.asarray(x).tolist() for x in found] == [10, [2, 0], [7, 9], 3]


def test_a_tensor_array_may_grow() -> None:
    array = tf.TensorArray(tf.float32, 1, dynamic_size=True, element_shape=[2])
    dataset = D.from_tensors(array.write(0, [1.0, 2.0])).map(
        lambda a: (
            a.write(2, [5.0, 6.0]).write(1, [3.0, 4.0]).stack(),
            a.concat(),
            a.split(tf.range(4.0), [2, 2]).stack(),
        )
    )
    with tf.Session() as session:
        iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
        session.run(iterator.initializer)
        stacked, joined, parts = session.run(iterator.get_next())
    assert stacked.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert joined.tolist() == [1.0, 2.0]
    assert parts.tolist() == [[0.0, 1.0], [2.0, 3.0]]


def test_what_a_tensor_array_of_a_dataset_is() -> None:
    spec = structure.spec_of(counted(2))
    [flow] = structure.to_tensor_list(spec, counted(2))
    assert flow.op.type == "TensorListFromTensor"
    assert flow.op.name.startswith("convert_tensor_array")
    array = structure.from_tensor_list(spec, [flow])
    assert isinstance(array, tf.TensorArray)
    assert array.handle is None
    assert array.flow is flow
    assert structure.to_tensor_list(spec, array) == [flow]
    with pytest.raises(NotImplementedError):
        array.grad("x")
    with pytest.raises(ValueError, match=r"Inconsistent shapes: saw \(1,\) but expected \(\) "):
        array.write(0, [1])
    with pytest.raises(TypeError, match="value must be a TensorArray, but saw: <class 'int'>"):
        structure.to_tensor_list(spec, 3)


@pytest.mark.parametrize("options", [(None, True), (True, None), (True, False)])
def test_the_legacy_structure_of_a_tensor_array(options: tuple[Any, Any]) -> None:
    spec = tf.TensorArraySpec([2, 2], tf.int32, *options)
    parts = structure.legacy_types(spec), structure.legacy_shapes(spec)
    assert parts[1].as_list() == [*options, 2, 2]
    assert structure.from_legacy(*parts, tf.TensorArray) == spec


def test_errors_about_elements_of_another_structure() -> None:
    number, pair = tf.TensorSpec([]), {"a": tf.TensorSpec([]), "b": tf.TensorSpec([3], tf.int32)}
    sparse = tf.SparseTensorSpec([1, 1], tf.int32)
    value = tf.SparseTensor([[0, 0]], [1], [1, 1])
    text = r"is not convertible to a tensor with dtype <dtype: 'float32'> and shape \(\)\."
    for wrong in (value, tf.constant(1), tf.constant([1.0])):
        with pytest.raises(ValueError, match=text):
            structure.to_tensor_list(number, wrong)
    with pytest.raises(TypeError, match="Neither a SparseTensor nor SparseTensorValue: "):
        structure.to_tensor_list(sparse, tf.constant(1.0))
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        structure.to_tensor_list(pair, tf.constant(1.0))
    with pytest.raises(ValueError, match=r"Expected 2 tensors but got 1\."):
        structure.from_tensor_list(pair, [tf.constant(1.0)])


Point = namedtuple("Point", "x, y")


def test_errors_about_nested_structures() -> None:
    with pytest.raises(ValueError) as raised:
        nest.assert_same_structure(((1, 2), 3), ("a", [4]))
    assert str(raised.value) == (
        "The two structures don't have the same nested structure.\n\n"
        "First structure: type=tuple str=((1, 2), 3)\n\n"
        "Second structure: type=tuple str=('a', [4])\n\n"
        'More specifically: Substructure "type=tuple str=(1, 2)" is a sequence, while '
        'substructure "type=str str=a" is not'
    )
    with pytest.raises(ValueError, match="is a sequence, while substructure"):
        nest.assert_same_structure((1,), [1])  # a list is a leaf
    nest.assert_same_structure((1, [2]), (1, [2, 3]))
    with pytest.raises(TypeError, match="don't have the same sequence type"):
        nest.assert_same_structure((0, 1), Point(0, 1))
    nest.assert_same_structure((0, 1), Point(0, 1), check_types=False)
    nest.assert_same_structure({"a": 1}, {"b": 1}, check_types=False)
    with pytest.raises(ValueError, match="don't have the same set of keys"):
        nest.assert_same_structure({"a": 1}, {"b": 1})
    with pytest.raises(
        ValueError, match=r"Structure is a scalar but len\(flat_sequence\) == 2 > 1"
    ):
        nest.pack_sequence_as("leaf", [4, 5])
    with pytest.raises(TypeError, match="flat_sequence must be a sequence"):
        nest.pack_sequence_as((4, 5), "no")
    nest.assert_shallow_structure({"a": 1}, (1,), check_types=False)
    with pytest.raises(TypeError, match="Input structure has type <class 'tuple'>"):
        nest.assert_shallow_structure({"a": 1}, (1,))


def test_datasets_are_components_of_batches() -> None:
    batches = D.range(4).map(lambda i: D.range(i)).batch(3)
    [spec] = nest.flatten(batches.element_spec)
    assert isinstance(spec, tf.data.DatasetSpec)
    assert spec._dataset_shape.as_list() == [None]
    again = batches.map(lambda x: x).unbatch().flat_map(lambda x: x)
    assert elements(again) == [0, 0, 1, 0, 1, 2]
    with pytest.raises(ValueError, match="Unbatching a dataset is only supported for rank >= 1"):
        D.from_tensors(D.range(3)).unbatch()


def test_a_list_of_datasets_is_one_component() -> None:
    several = [D.range(i) for i in range(3)]
    assert elements(D.from_tensor_slices(several).flat_map(lambda x: x)) == [0, 0, 1]
    inside = D.from_tensors(several).flat_map(D.from_tensor_slices).flat_map(lambda x: x)
    assert elements(inside) == [0, 0, 1]
    with pytest.raises(TypeError, match="Failed to convert object of type <class 'list'>"):
        D.from_tensors([D.range(3), D.from_tensors(1.0)])


def test_values_of_ragged_tensors_are_components() -> None:
    rows = tf.ragged.constant_value([[1, 2], [3]])
    [found] = elements(D.from_tensors(rows))
    assert found.to_list() == rows.to_list()
    slices = D.from_tensor_slices((tf.ragged.constant_value([[[1], [2, 3]], [[4]]]), [5, 6]))
    assert [(a.to_list(), b) for a, b in elements(slices)] == [([[1], [2, 3]], 5), ([[4]], 6)]


def test_sums_and_zeros_of_optionals() -> None:
    from headwater.data.datasets.optional import OptionalImpl

    optional = tf.data.experimental.Optional

    def add(*parts: Any) -> Any:
        total = tf.add_n([part._variant_tensor for part in parts])
        return OptionalImpl(total, parts[0].value_structure)

    def zeros(part: Any) -> Any:
        return OptionalImpl(tf.zeros_like(part._variant_tensor), part.value_structure)

    one, two = optional.from_value((1.0, [2, 3])), optional.from_value((10.0, [20, 30]))
    none = optional.none_from_structure(one.value_structure)
    nested = optional.from_value((1.0, one._variant_tensor))
    inner = OptionalImpl(add(nested, nested).get_value()[1], one.value_structure)
    text, numbers = optional.from_value("a"), optional.from_value(1)
    with tf.Session() as session:
        first, second = session.run(add(one, two).get_value())
        assert (first, second.tolist()) == (11.0, [22, 33])
        assert session.run(inner.get_value()[0]) == 2.0
        first, second = session.run(zeros(two).get_value())
        assert (first, second.tolist()) == (0.0, [0, 0])
        assert not session.run(add(none, none).has_value())
        assert not session.run(zeros(none).has_value())
        for failing, message in (
            (add(one, none), "Cannot add optionals because one has a value and the other doesn't."),
            (add(numbers, one), r"different numbers of components \(1 vs. 2\)"),
            (add(numbers, optional.from_value(1.0)), "One is int32 and the other is float"),
            (add(numbers, optional.from_value([1])), r"One is \[\] and the other is \[1\]"),
            (add(text, text), "Trying to add unsupported dtype 7"),
            (zeros(text), "Trying to compute zeros_like for unsupported dtype string"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                session.run(failing.has_value())


def test_shapes_that_an_iterator_takes() -> None:
    """The wider shape may be on either side; runs check what is left open."""
    fed = tf.placeholder(tf.float32)
    iterator = tf.data.Iterator.from_structure(tf.float32, tf.TensorShape([3]))
    initializer = iterator.make_initializer(D.from_tensors(fed))
    with pytest.raises(TypeError, match="Expected output shapes compatible with"):
        iterator.make_initializer(D.from_tensors(np.zeros(4, np.float32)))
    with tf.Session() as session:
        session.run(initializer, {fed: [1, 2, 3]})
        assert session.run(iterator.get_next()).tolist() == [1.0, 2.0, 3.0]
        message = r"Incompatible shapes at component 0: expected \[3\] but got \[2\]"
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(initializer, {fed: [1, 2]})
            session.run(iterator.get_next())


def test_what_a_dataset_is_made_of() -> None:
    first, second = D.range(2), D.range(3)
    assert first._inputs() == []
    for derived in (first.batch(1), first.map(lambda x: x), first.apply(lambda d: d.cache())):
        assert derived._inputs() == [first]
    assert first.concatenate(second)._inputs() == [first, second]
    assert D.zip((first, (second, first)))._inputs() == [first, second, first]
    assert len(first.map(lambda x: x + 1)._functions()) == 1
    assert first.batch(1)._functions() == []


def test_warnings_about_functions() -> None:
    def with_table(x: Any) -> Any:
        keys = tf.lookup.KeyValueTensorInitializer(["a"], [1.0])
        tf.lookup.StaticHashTable(keys, 0.0)
        return x

    text = (
        r"Creating resources inside a function passed to Dataset.map\(\) is not supported\. "
        r"Create each resource outside the function, and capture it inside the function to use it"
    )
    for transform in (D.range(3).map, D.range(3).map_with_legacy_function):
        with pytest.warns(UserWarning, match=text):
            transform(with_table)
    tf.set_random_seed(10)
    text = (
        "Seed 10 from outer graph might be getting used by function Dataset_map_<lambda>, if the "
        "random op has not been provided any seed. Explicitly set the seed in the function"
    )
    with pytest.warns(UserWarning, match=text) as caught:
        D.range(3).map(lambda x: tf.random_uniform([]))
    assert caught[0].filename == __file__
    D.range(3).map(lambda x: tf.random_uniform([], seed=3))  # no warning, which would be an error
    tf.set_random_seed(0)
    D.range(3).map(lambda x: tf.random_uniform([]))


def test_a_legacy_function_has_the_values_of_its_variables() -> None:
    def count(_: Any) -> Any:
        with tf.variable_scope("v", reuse=tf.AUTO_REUSE):
            return tf.get_variable("n", (), tf.int32, use_resource=True).assign_add(1)

    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'assign_add'"):
        D.range(3).map_with_legacy_function(count)
    assert D.range(3).map(count).output_types is tf.int32


def test_a_one_shot_iterator_takes_checked_values() -> None:
    """CheckNumerics has no state; its error comes from each run."""
    value = tf.check_numerics(tf.constant(1.0) / tf.constant(0.0), "oops")
    element = D.from_tensors(value).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match="oops"):
                session.run(element)

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

"""Specifications of values that users define."""

from __future__ import annotations

from typing import Any

import pytest

import headwater as tf
from headwater.graph.composite_specs import CompositeTensor


class PairSpec(tf.TypeSpec):
    """The specification of a Pair."""

    def __init__(self, shapes: Any) -> None:
        self._shapes = shapes

    @property
    def value_type(self) -> type:
        return Pair

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shapes,)

    @property
    def _component_specs(self) -> Any:
        return tuple(tf.TensorSpec(shape) for shape in self._shapes)

    def _to_components(self, value: Any) -> Any:
        return value.parts

    def _from_components(self, components: Any) -> Any:
        return Pair(*components)


class Pair(CompositeTensor):
    """Two tensors."""

    def __init__(self, *parts: tf.Tensor) -> None:
        self.parts = parts

    @property
    def _type_spec(self) -> PairSpec:
        return PairSpec(tuple(part.shape for part in self.parts))


def test_specs_of_own_classes_are_compared_and_merged() -> None:
    spec = PairSpec((tf.TensorShape([2, None]), tf.TensorShape([3])))
    other = PairSpec((tf.TensorShape([2, 4]), tf.TensorShape([3])))
    assert spec.is_compatible_with(other)
    assert spec != other
    assert hash(spec) == hash(PairSpec((tf.TensorShape([2, None]), tf.TensorShape([3]))))
    merged = spec.most_specific_compatible_type(
        PairSpec((tf.TensorShape([1, 4]), tf.TensorShape([3])))
    )
    assert merged == PairSpec((tf.TensorShape([None, None]), tf.TensorShape([3])))
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        spec.most_specific_compatible_type(tf.TensorSpec([2]))


def test_values_of_own_classes_are_structures() -> None:
    with tf.Graph().as_default():
        pair = Pair(tf.zeros([2, 2]), tf.ones([3]))
        flat = tf.nest.flatten([pair, 1], expand_composites=True)
        assert flat == [*pair.parts, 1]
        doubled = tf.nest.map_structure(lambda x: x * 2, [pair], expand_composites=True)
        assert isinstance(doubled[0], Pair)
        assert [part.op.type for part in doubled[0].parts] == ["Mul", "Mul"]
        spec = pair._type_spec
        assert spec.is_compatible_with(pair)
        assert spec._from_tensor_list(spec._to_tensor_list(pair)).parts == pair.parts
        with pytest.raises(ValueError, match="Incompatible input"):
            spec._from_tensor_list([tf.zeros([1])])


def test_a_spec_must_say_all() -> None:
    with pytest.raises(TypeError, match="abstract"):
        tf.TypeSpec()

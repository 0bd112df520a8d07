"""The rules of shapes, and what the golden answers do not cover."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.base.tensor_shape import (
    Dimension,
    Dims,
    TensorShape,
    as_shape,
    as_tuple,
    dims_compatible,
    format_dims,
    merge_dims,
)

sizes = st.none() | st.integers(0, 3)
shapes = st.none() | st.lists(sizes, max_size=3).map(tuple)
known_shapes = st.lists(st.integers(0, 3), max_size=3).map(tuple)


def fits(shape: tuple[int, ...], dims: Dims | None) -> bool:
    """The meaning of a partly known shape."""
    return dims is None or (
        len(shape) == len(dims) and all(y in (None, x) for x, y in zip(shape, dims, strict=True))
    )


@given(shapes, shapes, known_shapes)
def test_a_merged_shape_fits_what_fits_both(
    a: Dims | None, b: Dims | None, shape: tuple[int, ...]
) -> None:
    both = fits(shape, a) and fits(shape, b)
    if dims_compatible(a, b):
        assert fits(shape, merge_dims(a, b)) == both
    else:
        assert not both
        with pytest.raises(ValueError, match="are not compatible"):
            merge_dims(a, b)


@given(shapes, shapes)
def test_merging_does_not_depend_on_the_order(a: Dims | None, b: Dims | None) -> None:
    assert dims_compatible(a, b) == dims_compatible(b, a)
    if dims_compatible(a, b):
        assert merge_dims(a, b) == merge_dims(b, a)


@given(shapes, shapes, known_shapes)
def test_the_most_specific_shape_fits_what_fits_either(
    a: Dims | None, b: Dims | None, shape: tuple[int, ...]
) -> None:
    joined = TensorShape(a).most_specific_compatible_shape(b).to_tuple()
    assert fits(shape, joined) or not (fits(shape, a) or fits(shape, b))


@given(shapes, shapes)
def test_concatenation_joins_the_tuples(a: Dims | None, b: Dims | None) -> None:
    expected = None if a is None or b is None else a + b
    assert TensorShape(a).concatenate(b).to_tuple() == expected
    assert (TensorShape(a) + TensorShape(b)).to_tuple() == expected


@given(shapes)
def test_a_shape_survives_every_form(dims: Dims | None) -> None:
    shape = TensorShape(dims)
    assert shape.to_tuple() == as_tuple(shape) == as_tuple(dims) == dims
    assert as_shape(shape) is shape
    assert pickle.loads(pickle.dumps(shape)).to_tuple() == dims
    assert copy.deepcopy(shape).to_tuple() == dims
    assert str(shape) == format_dims(dims)
    if dims is not None:
        assert shape.as_list() == list(dims)
        assert TensorShape(shape.dims).to_tuple() == dims
        assert TensorShape(reversed(list(shape))).to_tuple() == dims[::-1]
        assert [dim.value for dim in shape] == [shape[i].value for i in range(len(shape))]


@given(st.lists(sizes, max_size=4), st.slices(4))
def test_a_slice_is_that_of_the_tuple(dims: list[int | None], part: slice) -> None:
    assert TensorShape(dims)[part].to_tuple() == tuple(dims)[part]


@given(st.integers(0, 4), st.integers(0, 4))
def test_a_slice_of_unknown_rank_has_the_length_asked_for(start: int, stop: int) -> None:
    assert TensorShape(None)[start:stop].ndims == max(stop - start, 0)


@given(known_shapes, known_shapes)
def test_known_shapes_are_equal_when_their_sizes_are(
    a: tuple[int, ...], b: tuple[int, ...]
) -> None:
    assert (TensorShape(a) == TensorShape(b)) == (a == b)
    assert (TensorShape(a) != TensorShape(b)) == (a != b)


def test_a_proto_is_taken_as_a_shape() -> None:
    dims = [SimpleNamespace(size=2), SimpleNamespace(size=-1)]
    assert as_tuple(SimpleNamespace(unknown_rank=False, dim=dims)) == (2, None)
    assert as_tuple(SimpleNamespace(unknown_rank=False, dim=[])) == ()
    assert as_tuple(SimpleNamespace(unknown_rank=True, dim=[])) is None


def test_an_unknown_dimension_is_no_integer() -> None:
    with pytest.raises(TypeError):
        int(Dimension(None))
    with pytest.raises(TypeError):
        range(Dimension(None))  # type: ignore[arg-type]


def test_a_dimension_can_be_copied() -> None:
    assert pickle.loads(pickle.dumps(Dimension(3))).value == 3
    assert copy.deepcopy(Dimension(None)).value is None

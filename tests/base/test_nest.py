"""The rules of nested structures."""

from __future__ import annotations

import collections
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.base import nest

Pair = collections.namedtuple("Pair", "first second")

leaves = st.integers() | st.text(max_size=2) | st.none()
structures = st.recursive(
    leaves,
    lambda children: (
        st.lists(children, max_size=3)
        | st.lists(children, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2), children, max_size=3)
        | st.dictionaries(st.text(max_size=2), children, max_size=3).map(collections.OrderedDict)
        | st.builds(Pair, children, children)
    ),
    max_leaves=8,
)


@given(structures)
def test_packing_undoes_flattening(structure: Any) -> None:
    packed = nest.pack_sequence_as(structure, nest.flatten(structure))
    assert packed == structure
    assert type(packed) is type(structure)


@given(structures)
def test_flattening_undoes_packing(structure: Any) -> None:
    numbers = list(range(len(nest.flatten(structure))))
    packed = nest.pack_sequence_as(structure, numbers)
    assert nest.flatten(packed) == numbers
    nest.assert_same_structure(structure, packed)


@given(structures)
def test_mapping_acts_on_the_leaves(structure: Any) -> None:
    assert nest.map_structure(lambda leaf: leaf, structure) == structure
    paired = nest.map_structure(lambda *both: set(both), structure, structure)
    assert nest.flatten(paired) == [{leaf} for leaf in nest.flatten(structure)]


@given(structures)
def test_a_path_leads_to_its_leaf(structure: Any) -> None:
    pairs = nest.flatten_with_tuple_paths(structure)
    assert [leaf for _, leaf in pairs] == nest.flatten(structure)
    assert [path for path, _ in pairs] == list(nest.yield_flat_paths(structure))
    for path, leaf in pairs:
        found = structure
        for key in path:
            found = getattr(found, key) if isinstance(found, Pair) else found[key]
        assert found is leaf


@given(structures, structures)
def test_the_leaves_of_a_shallow_structure_become_subtrees(shallow: Any, filler: Any) -> None:
    deep = nest.pack_sequence_as(shallow, [filler] * len(nest.flatten(shallow)))
    assert nest.flatten_up_to(shallow, deep) == [filler] * len(nest.flatten(shallow))
    assert nest.map_structure_up_to(shallow, lambda tree: tree, deep) == deep


def test_an_ordered_dict_keeps_its_order() -> None:
    structure = collections.OrderedDict([("b", 1), ("a", 2)])
    packed = nest.pack_sequence_as(structure, [5, 6])
    assert list(packed.items()) == [("b", 6), ("a", 5)]


def test_a_default_dict_keeps_its_default() -> None:
    packed = nest.pack_sequence_as(collections.defaultdict(list, {"a": 1}), [3])
    assert packed["new"] == []


def test_namedtuples_of_different_names_do_not_match() -> None:
    other = collections.namedtuple("other", "first second")
    with pytest.raises(TypeError, match="don't have the same sequence type"):
        nest.flatten_up_to(Pair(1, 2), other(3, [4]))

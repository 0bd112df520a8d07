"""Functions that change or reduce axes of labeled tensors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.contrib.labeled_tensor.axes import Axes, Axis, as_axis, concat_axes
from headwater.contrib.labeled_tensor.core import (
    AxisOrderError,
    LabeledTensor,
    convert_to_labeled_tensor,
    slice_function,
)
from headwater.graph import Tensor, build, name_scope
from headwater.ops.array.concat import concat as concat_tensors
from headwater.ops.array.gather import gather
from headwater.ops.array.getitem import boolean_mask as boolean_mask_of
from headwater.ops.array.pad import pad as pad_tensor
from headwater.ops.array.reshape import expand_dims as expand_dims_of
from headwater.ops.array.reshape import reshape as reshape_tensor
from headwater.ops.array.reshape import squeeze as squeeze_tensor
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.array.stack import stack, unstack
from headwater.ops.array.tile import tile as tile_tensor
from headwater.ops.array.transpose import transpose as transpose_tensor
from headwater.ops.math.matmul import matmul as matmul_tensors
from headwater.ops.random.random_crop import random_crop as random_crop_of


@export("contrib.labeled_tensor.select")
def select(
    labeled_tensor: LabeledTensor, selection: Mapping[str, Any], name: str | None = None
) -> LabeledTensor:
    """Takes parts by label.

    Args:
        labeled_tensor: a LabeledTensor.
        selection: by the name of an axis, a label, which removes it, a slice of labels, both ends
            included, or a list of labels (of one axis only).
        name: the name of the result.

    Returns:
        A LabeledTensor.

    Raises:
        ValueError: if an axis does not exist or has no labels.
        NotImplementedError: for slices with a step, and lists of several axes.
    """
    with name_scope(name, "lt_select", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        slices: dict[str, Any] = {}
        lists: dict[str, list[Any]] = {}
        for axis_name, value in selection.items():
            axis = _axis_with_labels(labeled_tensor, axis_name)
            if isinstance(value, slice):
                slices[axis_name] = _slice_of_labels(axis, value)
            elif isinstance(value, (list, tuple, set, frozenset, range, np.ndarray)):
                lists[axis_name] = list(value)
            else:
                slices[axis_name] = axis.index(value)
        if len(lists) > 1:
            raise NotImplementedError(
                "select does not yet support more than one list selection at the same time"
            )
        result = slice_function(labeled_tensor, slices) if slices else labeled_tensor
        for axis_name, labels in lists.items():
            axis = labeled_tensor.axes[axis_name]
            place = list(result.axes).index(axis_name)
            rows = gather(result.tensor, [axis.index(label) for label in labels], axis=place)
            axes = [
                Axis(axis_name, labels) if one.name == axis_name else one
                for one in result.axes.values()
            ]
            result = LabeledTensor(rows, axes)
        return LabeledTensor(build.Identity(result.tensor, name=scope), result.axes)


def _axis_with_labels(labeled_tensor: LabeledTensor, axis_name: str) -> Axis:
    if axis_name not in labeled_tensor.axes:
        raise ValueError(
            f"The tensor does not have an axis named {axis_name}. Its axes are: "
            f"{labeled_tensor.axes.keys()!r}"
        )
    axis = labeled_tensor.axes[axis_name]
    if axis.labels is None:
        raise ValueError(f"The axis named {axis_name} does not have labels. The axis is: {axis!r}")
    return axis


def _slice_of_labels(axis: Axis, labels: slice) -> slice:
    if labels.step is not None:
        raise NotImplementedError("slicing with a step is not yet supported")
    start = None if labels.start is None else axis.index(labels.start)
    return slice(start, None if labels.stop is None else axis.index(labels.stop) + 1)


@export("contrib.labeled_tensor.concat")
def concat(
    labeled_tensors: Sequence[LabeledTensor], axis_name: str, name: str | None = None
) -> LabeledTensor:
    """Concatenates tensors along an axis.

    Args:
        labeled_tensors: tensors whose other axes are equal.
        axis_name: the name of the axis.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_concat", labeled_tensors) as scope:
        tensors = [convert_to_labeled_tensor(tensor) for tensor in labeled_tensors]
        if not tensors:
            raise ValueError(f"concat expects at least 1 tensor, but received {labeled_tensors!r}")
        names = list(tensors[0].axes)
        if axis_name not in names:
            raise ValueError(f"{axis_name} not in {names!r}")
        shared = tensors[0].axes.remove(axis_name)
        for tensor in tensors[1:]:
            others = tensor.axes.remove(axis_name)
            if others != shared:
                raise ValueError(
                    f"Mismatched shared axes: the first tensor had axes {shared!r} but this "
                    f"tensor has axes {others!r}."
                )
        joined = concat_axes([tensor.axes[axis_name] for tensor in tensors])
        axes = [joined if axis.name == axis_name else axis for axis in tensors[0].axes.values()]
        values = concat_tensors(
            [tensor.tensor for tensor in tensors], names.index(axis_name), name=scope
        )
        return LabeledTensor(values, axes)


@export("contrib.labeled_tensor.pack")
def pack(
    labeled_tensors: Sequence[LabeledTensor],
    new_axis: Any,
    axis_position: int = 0,
    name: str | None = None,
) -> LabeledTensor:
    """Stacks tensors along a new axis.

    Args:
        labeled_tensors: tensors with equal axes.
        new_axis: a name, or a pair of name and labels.
        axis_position: where the new axis is.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_pack", labeled_tensors) as scope:
        tensors = [convert_to_labeled_tensor(tensor) for tensor in labeled_tensors]
        if not tensors:
            raise ValueError(f"pack expects at least 1 tensors, but received {labeled_tensors!r}")
        first = tensors[0].axes
        for tensor in tensors[1:]:
            if tensor.axes != first:
                raise ValueError(
                    f"Non-identical axes: the first tensor had axes {first!r} but this tensor "
                    f"has axes {tensor.axes!r}."
                )
        axis = Axis(new_axis, len(tensors)) if isinstance(new_axis, str) else as_axis(new_axis)
        axes = list(first.values())
        axes.insert(axis_position, axis)
        Axes(axes)
        values = stack([tensor.tensor for tensor in tensors], axis=axis_position, name=scope)
        return LabeledTensor(values, axes)


@export("contrib.labeled_tensor.unpack")
def unpack(
    labeled_tensor: LabeledTensor, axis_name: str | None = None, name: str | None = None
) -> list[LabeledTensor]:
    """Takes a tensor apart along an axis.

    Args:
        labeled_tensor: a LabeledTensor.
        axis_name: the axis; the first by default.
        name: the name of the results.

    Returns:
        A list of LabeledTensors.
    """
    with name_scope(name, "lt_unpack", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        names = list(labeled_tensor.axes)
        axis_name = names[0] if axis_name is None else axis_name
        if axis_name not in names:
            raise ValueError(f"{axis_name} not in {names!r}")
        parts = unstack(labeled_tensor.tensor, axis=names.index(axis_name), name=scope)
        axes = labeled_tensor.axes.remove(axis_name)
        return [LabeledTensor(part, axes) for part in parts]


@export("contrib.labeled_tensor.reshape")
def reshape(
    labeled_tensor: LabeledTensor,
    existing_axes: Sequence[str],
    new_axes: Sequence[Any],
    name: str | None = None,
) -> LabeledTensor:
    """Replaces axes that follow each other by others with as many elements.

    Args:
        labeled_tensor: a LabeledTensor.
        existing_axes: the names of the axes to replace.
        new_axes: axes, or pairs of name and value.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_reshape", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        names, existing = list(labeled_tensor.axes), list(existing_axes)
        if not set(existing) <= set(names):
            raise ValueError(
                f"existing_axes {existing!r} are not contained in the set of axis names "
                f"{names!r} on the input labeled tensor"
            )
        start = names.index(existing[0])
        stop = start + len(existing)
        if names[start:stop] != existing:
            raise AxisOrderError(
                f"existing_axes {existing!r} are not a slice of axis names {names!r} on the input "
                "labeled tensor. Use `transpose` or `impose_axis_order` to reorder axes on the "
                "input explicitly."
            )
        replacing = [as_axis(axis) for axis in new_axes]
        old = list(labeled_tensor.axes.values())
        known = shape_of(labeled_tensor.tensor)
        sizes: list[Any] = [
            *(
                known[place] if axis.size is None else axis.size
                for place, axis in enumerate(old[:start])
            ),
            *(-1 if axis.size is None else axis.size for axis in replacing),
            *(
                known[stop + place] if axis.size is None else axis.size
                for place, axis in enumerate(old[stop:])
            ),
        ]
        return LabeledTensor(
            reshape_tensor(labeled_tensor.tensor, sizes, name=scope),
            [*old[:start], *replacing, *old[stop:]],
        )


@export("contrib.labeled_tensor.rename_axis")
def rename_axis(
    labeled_tensor: LabeledTensor, existing_name: str, new_name: str, name: str | None = None
) -> LabeledTensor:
    """Gives an axis another name.

    Args:
        labeled_tensor: a LabeledTensor.
        existing_name: the name that it has.
        new_name: the name that it gets.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_rename_axis", [labeled_tensor]) as scope:
        if existing_name not in labeled_tensor.axes:
            raise ValueError(
                f"existing_name {existing_name!r} are not contained in the set of axis names "
                f"{labeled_tensor.axes.keys()!r} on the input labeled tensor"
            )
        value = labeled_tensor.axes[existing_name].value
        return reshape(labeled_tensor, [existing_name], [Axis(new_name, value)], name=scope)


@export("contrib.labeled_tensor.squeeze")
def squeeze(
    labeled_tensor: LabeledTensor,
    axis_names: Collection[str] | None = None,
    name: str | None = None,
) -> LabeledTensor:
    """Removes axes of size 1.

    Args:
        labeled_tensor: a LabeledTensor.
        axis_names: the axes to remove; all of size 1 by default.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_squeeze", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        axes = labeled_tensor.axes
        if axis_names is None:
            axis_names = [axis.name for axis in axes.values() if axis.size == 1]
        for axis_name in axis_names:
            if axis_name not in axes:
                raise ValueError(f"axis {axis_name} is not in tensor axes {axes!r}")
            if axes[axis_name].size != 1:
                raise ValueError(
                    "cannot squeeze axis with size greater than 1: "
                    f"({axis_name}, {axes[axis_name]!r})"
                )
        places = [place for place, axis in enumerate(axes) if axis in axis_names]
        values = labeled_tensor.tensor
        if places:
            values = squeeze_tensor(values, places, name=scope)
        else:
            values = build.Identity(values, name=scope)
        return LabeledTensor(
            values, [axis for axis in axes.values() if axis.name not in axis_names]
        )


@export("contrib.labeled_tensor.matmul")
def matmul(a: LabeledTensor, b: LabeledTensor, name: str | None = None) -> LabeledTensor:
    """Sums products over the axis that two vectors or matrices share.

    Args:
        a: a LabeledTensor of one or two axes.
        b: a LabeledTensor of one or two axes.
        name: the name of the result.

    Returns:
        A LabeledTensor with the other axes.
    """
    with name_scope(name, "lt_matmul", [a, b]) as scope:
        a, b = convert_to_labeled_tensor(a), convert_to_labeled_tensor(b)
        if len(a.axes) > 2 or len(b.axes) > 2:
            raise NotImplementedError("matmul currently requires inputs with rank 2 or less")
        shared = set(a.axes) & set(b.axes)
        if len(shared) > 1:
            raise NotImplementedError(
                f"matmul does not yet support summing over multiple shared axes: {shared!r}. Use "
                "transpose and reshape to create a single shared axis to sum over."
            )
        if not shared:
            raise ValueError(
                "there must have exactly one axis in common between input to matmul: "
                f"{a.axes.keys()!r}, {b.axes.keys()!r}"
            )
        (axis_name,) = shared
        if a.axes[axis_name] != b.axes[axis_name]:
            raise ValueError(
                f"axis {axis_name!r} does not match on input arguments: {a.axes[axis_name]!r} vs "
                f"{b.axes[axis_name]!r}"
            )
        rows = _shared_axis_last(a, axis_name)
        columns = _shared_axis_last(b, axis_name)
        product = matmul_tensors(rows, columns, transpose_b=True)
        kept = [*a.axes.remove(axis_name).values(), *b.axes.remove(axis_name).values()]
        vectors = [place for place, one in enumerate((a, b)) if len(one.axes) == 1]
        if vectors:
            product = squeeze_tensor(product, vectors, name=scope)
        else:
            product = build.Identity(product, name=scope)
        return LabeledTensor(product, kept)


def _shared_axis_last(labeled_tensor: LabeledTensor, axis_name: str) -> Tensor:
    values = labeled_tensor.tensor
    if len(labeled_tensor.axes) == 1:
        return expand_dims_of(values, 0)
    first = next(iter(labeled_tensor.axes))
    return transpose_tensor(values, [1, 0]) if first == axis_name else values


@export("contrib.labeled_tensor.tile")
def tile(
    labeled_tensor: LabeledTensor, multiples: Mapping[str, int], name: str | None = None
) -> LabeledTensor:
    """Repeats a tensor along axes without labels.

    Args:
        labeled_tensor: a LabeledTensor.
        multiples: how often, by the name of the axis.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_tile", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        axes = labeled_tensor.axes
        if not set(multiples) <= set(axes):
            raise ValueError(
                f"tile axes {multiples.keys()!r} are not contained in the set of axis names "
                f"{axes!r} on the input labeled tensor"
            )
        labeled = [axis for axis in multiples if axes[axis].labels is not None]
        if labeled:
            raise ValueError(f"cannot tile axes with tick labels: {labeled!r}")
        values = tile_tensor(
            labeled_tensor.tensor, [multiples.get(axis, 1) for axis in axes], name=scope
        )
        repeated = [
            Axis(axis.name, None if axis.size is None else axis.size * multiples[axis.name])
            if axis.name in multiples
            else axis
            for axis in axes.values()
        ]
        return LabeledTensor(values, repeated)


@export("contrib.labeled_tensor.pad")
def pad(
    labeled_tensor: LabeledTensor,
    paddings: Mapping[str, tuple[Any, Any]],
    mode: str = "CONSTANT",
    name: str | None = None,
) -> LabeledTensor:
    """Pads axes.

    Args:
        labeled_tensor: a LabeledTensor.
        paddings: by the name of an axis, how much before and after it: numbers, or labels.
        mode: a mode of `tf.pad`.
        name: the name of the result.

    Returns:
        A LabeledTensor.
    """
    with name_scope(name, "lt_pad", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        axes = labeled_tensor.axes
        if not set(paddings) <= set(axes):
            raise ValueError(
                f"pad axes {paddings.keys()!r} are not contained in the set of axis names "
                f"{axes!r} on the input labeled tensor"
            )
        counts, padded = [], []
        for axis in axes.values():
            if axis.name not in paddings:
                counts.append((0, 0))
                padded.append(axis)
                continue
            before, after = (Axis(axis.name, part) for part in paddings[axis.name])
            counts.append((len(before), len(after)))
            padded.append(concat_axes([before, axis, after]))
        return LabeledTensor(pad_tensor(labeled_tensor.tensor, counts, mode, name=scope), padded)


@export("contrib.labeled_tensor.boolean_mask")
def boolean_mask(
    labeled_tensor: LabeledTensor, mask: LabeledTensor, name: str | None = None
) -> LabeledTensor:
    """Takes the rows of the first axis for which a mask is true.

    Args:
        labeled_tensor: a LabeledTensor.
        mask: booleans with this axis only.
        name: the name of the result.

    Returns:
        A LabeledTensor whose first axis has an unknown size.
    """
    with name_scope(name, "lt_boolean_mask", [labeled_tensor, mask]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        mask = convert_to_labeled_tensor(mask)
        if len(mask.axes) > 1:
            raise NotImplementedError(
                "LabeledTensor's boolean_mask currently only supports 1D masks"
            )
        axes = list(labeled_tensor.axes.values())
        (mask_axis,) = mask.axes.values()
        if axes[0] != mask_axis:
            raise ValueError(
                "the first axis of the labeled tensor and the mask are not equal:\n"
                f"{axes[0]!r}\n{mask_axis!r}"
            )
        rows = boolean_mask_of(labeled_tensor.tensor, mask.tensor, name=scope)
        return LabeledTensor(rows, [Axis(axes[0].name, None), *axes[1:]])


@export("contrib.labeled_tensor.random_crop")
def random_crop(
    labeled_tensor: LabeledTensor,
    shape_map: Mapping[str, int],
    seed: int | None = None,
    name: str | None = None,
) -> LabeledTensor:
    """Cuts a part at a random place.

    Args:
        labeled_tensor: a LabeledTensor.
        shape_map: sizes by the name of the axis.
        seed: the seed.
        name: the name of the result.

    Returns:
        A LabeledTensor; its axes of these names have no labels.
    """
    with name_scope(name, "lt_random_crop", [labeled_tensor]) as scope:
        labeled_tensor = convert_to_labeled_tensor(labeled_tensor)
        for axis_name in shape_map:
            if axis_name not in labeled_tensor.axes:
                raise ValueError(f"Selection axis {axis_name} not in axes {labeled_tensor.axes!r}")
        axes = [
            Axis(axis.name, shape_map[axis.name]) if axis.name in shape_map else axis
            for axis in labeled_tensor.axes.values()
        ]
        sizes = [len(axis) for axis in axes]
        return LabeledTensor(
            random_crop_of(labeled_tensor.tensor, sizes, seed=seed, name=scope), axes
        )

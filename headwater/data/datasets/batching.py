"""Batches of elements: batch, padded_batch, window."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.tensor_shape import TensorShape, as_shape
from headwater.base.typing import TensorLike
from headwater.data.datasets import mapping, nest, structure
from headwater.graph import SparseTensor, Tensor, build, convert_to_tensor
from headwater.graph.composite_specs import SparseTensorSpec
from headwater.graph.constant_value import constant_value, constant_value_as_shape


def batch(dataset: Any, batch_size: TensorLike, drop_remainder: Any) -> tuple[Tensor, Any]:
    """The variant and structure of batches."""
    size = convert_to_tensor(batch_size, dtype=dtypes.int64, name="batch_size")
    drop = convert_to_tensor(drop_remainder, dtype=dtypes.bool_, name="drop_remainder")
    known = constant_value(size) if constant_value(drop) else None
    spec = structure.batched(dataset.element_spec, None if known is None else int(known))
    variant = build.BatchDatasetV2(
        dataset._variant_tensor, size, drop, **structure.flat_attrs(spec)
    )
    return variant, spec


def padded_batch(
    dataset: Any,
    batch_size: TensorLike,
    padded_shapes: Any,
    padding_values: Any,
    drop_remainder: TensorLike,
) -> tuple[Tensor, Any]:
    """The variant and structure of batches of elements that are padded.

    Raises:
        TypeError: if a component or a value is of a type that cannot be padded.
        ValueError: if a shape does not fit a component.
    """
    spec = dataset.element_spec
    for kind in nest.flatten(structure.legacy_classes(spec)):
        if isinstance(kind, type) and issubclass(kind, SparseTensor):
            raise TypeError("Batching of padded sparse tensors is not currently supported")
    size = convert_to_tensor(batch_size, dtype=dtypes.int64, name="batch_size")
    input_shapes = structure.legacy_shapes(spec)
    flat_shapes = [
        _padded_shape(given, component)
        for given, component in zip(
            nest.flatten_up_to(input_shapes, padded_shapes), nest.flatten(input_shapes)
        )
    ]
    input_types = structure.legacy_types(spec)
    if padding_values is None:
        padding_values = nest.map_structure(_default_padding, input_types)
    values = [
        _padding_value(value, dtype)
        for value, dtype in zip(
            nest.flatten_up_to(input_shapes, padding_values), nest.flatten(input_types)
        )
    ]
    drop = convert_to_tensor(drop_remainder, dtype=dtypes.bool_, name="drop_remainder")
    known = constant_value(size) if constant_value(drop) else None
    rows = [_known_dims(shape) for shape in flat_shapes]
    batch_shapes = [
        TensorShape([None if known is None else int(known)]).concatenate(r) for r in rows
    ]
    result = structure.from_legacy(
        input_types,
        nest.pack_sequence_as(input_types, batch_shapes),
        structure.legacy_classes(spec),
    )
    variant = build.PaddedBatchDatasetV2(
        dataset._variant_tensor,
        size,
        flat_shapes,
        values,
        drop,
        output_shapes=structure.flat_attrs(result)["output_shapes"],
    )
    return variant, result


def _padded_shape(given: Any, component: TensorShape) -> Tensor:
    """The shape of a padded component as a vector, -1 for unknown dimensions."""
    result = _shape_vector(given, f"Padded shape {given}", "its")
    padded = _known_dims(result)
    if not _can_be_padded(component, padded):
        raise ValueError(
            f"The padded shape {padded} is not compatible with the corresponding input component "
            f"shape {component}."
        )
    return result


def _shape_vector(given: Any, title: str, its: str) -> Tensor:
    """A shape as a vector, -1 for unknown dimensions; two words begin the texts of errors."""
    try:
        dims = [-1 if dim is None else dim for dim in as_shape(given).as_list()]
        return convert_to_tensor(dims, dtype=dtypes.int64)
    except (TypeError, ValueError) as error:
        result = convert_to_tensor(given, preferred_dtype=dtypes.int64)
        wanted = f"{title} must be a 1-D tensor of tf.int64 values, but {its}"
        if result.shape.ndims is not None and result.shape.ndims != 1:
            raise ValueError(f"{wanted} shape was {result.shape}.") from error
        if result.dtype != dtypes.int64:
            raise TypeError(f"{wanted} element type was {result.dtype.name}.") from error
        return result


def _known_dims(shape: Tensor) -> TensorShape:
    """What is known of a shape that is a vector; a negative dimension is unknown."""
    value = constant_value(shape)
    if value is None:
        return TensorShape(constant_value_as_shape(shape))
    return TensorShape([None if dim < 0 else dim for dim in value.tolist()])


def _can_be_padded(component: TensorShape, padded: TensorShape) -> bool:
    if padded.ndims is None or component.ndims is None:
        return True
    if len(padded) != len(component):
        return False
    return all(
        have is None or want is None or have <= want
        for have, want in zip(component.as_list(), padded.as_list())
    )


def _default_padding(dtype: Any) -> Any:
    """What components of a type are padded with."""
    if dtype.base_dtype == dtypes.string:
        return ""
    if dtype.base_dtype == dtypes.variant:
        raise TypeError("Unable to create padding for field of type 'variant'")
    return dtype.as_numpy_dtype()


def _padding_value(value: Any, dtype: Any) -> Tensor:
    tensor = convert_to_tensor(value, name="padding_value")
    if not tensor.shape.is_compatible_with(TensorShape([])):
        raise ValueError(f"Padding value should be a scalar, but is not: {tensor}")
    if tensor.dtype != dtype:
        raise TypeError(f"Padding value tensor ({tensor}) does not match output type: {dtype}")
    return tensor


def window(
    dataset: Any,
    size: TensorLike,
    shift: TensorLike | None,
    stride: TensorLike,
    drop_remainder: TensorLike,
) -> tuple[Tensor, Any]:
    """The variant and structure of windows, a dataset for each component."""
    numbers = [
        convert_to_tensor(value, dtype=dtypes.int64, name=name)
        for value, name in ((size, "size"), (size if shift is None else shift, "shift"))
    ]
    numbers.append(convert_to_tensor(stride, dtype=dtypes.int64, name="stride"))
    drop = convert_to_tensor(drop_remainder, dtype=dtypes.bool_, name="drop_remainder")
    spec = nest.map_structure(dataset._window_spec, dataset.element_spec)
    variant = build.WindowDataset(
        dataset._variant_tensor, *numbers, drop, **structure.flat_attrs(spec)
    )
    return variant, spec


def unbatch(dataset: Any) -> tuple[Tensor, Any]:
    """The variant and structure of the rows of batches."""
    spec = dataset.element_spec
    flat = structure.flat_specs(spec)
    sizes = {s.shape[0].value for s in flat if s.shape.ndims} - {None}
    if len(sizes) > 1:
        raise ValueError("Cannot unbatch an input whose components have different batch sizes.")

    def normalize(*components: Any) -> Any:
        element = components if type(spec) is tuple else components[0]
        batch = tuple(structure.to_batched_tensor_list(spec, element))
        return batch[0] if len(batch) == 1 else batch

    variant, _ = mapping.map_elements(dataset, normalize, None)
    rows = structure.unbatched(spec)
    return build.UnbatchDataset(variant, **structure.flat_attrs(rows)), rows


def dense_to_sparse_batch(
    dataset: Any, batch_size: TensorLike, row_shape: Any
) -> tuple[Tensor, Any]:
    """The variant and structure of sparse batches.

    Raises:
        TypeError: if the elements are not single dense tensors.
    """
    types = structure.legacy_types(dataset.element_spec)
    if not isinstance(types, dtypes.DType):
        raise TypeError(
            f"DenseToSparseDataset requires an input whose elements have a single "
            f"component, whereas the input has {types!r}."
        )
    shape = partial_shape(row_shape)
    spec = SparseTensorSpec(
        TensorShape([None]).concatenate(TensorShape(constant_value_as_shape(shape))), types
    )
    variant = build.DenseToSparseBatchDataset(
        dataset._variant_tensor, batch_size, shape, **structure.flat_attrs(spec)
    )
    return variant, spec


def partial_shape(shape: Any) -> Tensor:
    """A shape as a vector, -1 for unknown dimensions.

    Raises:
        ValueError: if it is a tensor and no vector.
        TypeError: if it is a tensor of another type than int64.
    """
    return _shape_vector(shape, f"The given shape {shape}", "the")


def sliding_window(
    dataset: Any, size: TensorLike, shift: TensorLike, stride: TensorLike
) -> tuple[Tensor, Any]:
    """The variant and structure of overlapping batches."""
    numbers = [
        convert_to_tensor(value, dtype=dtypes.int64, name=name)
        for value, name in (
            (size, "window_stride"),
            (stride, "window_stride"),
            (shift, "window_shift"),
        )
    ]
    spec = structure.batched(dataset.element_spec, None)
    variant = build.SlidingWindowDataset(
        dataset._variant_tensor, numbers[0], numbers[2], numbers[1], **structure.flat_attrs(spec)
    )
    return variant, spec


def unique(dataset: Any) -> tuple[Tensor, Any]:
    """The variant and structure of elements that come once.

    Raises:
        TypeError: if the elements are not single integers or strings.
    """
    spec = dataset.element_spec
    if structure.legacy_types(spec) not in (dtypes.int32, dtypes.int64, dtypes.string):
        raise TypeError(
            "`tf.data.experimental.unique()` only supports inputs with a single `tf.int32`, "
            "`tf.int64`, or `tf.string` component."
        )
    attrs = structure.flat_attrs(spec)
    return build.UniqueDataset(dataset._variant_tensor, **attrs), spec

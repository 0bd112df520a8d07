"""Decoding of `tf.train.Example` protos: handlers make items, such as images, of their features."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike, ShapeLike
from headwater.contrib.slim.data.data_decoder import DataDecoder
from headwater.graph import Tensor as GraphTensor
from headwater.graph.sparse_tensor import SparseTensor as SparseGraphTensor
from headwater.model.functional_loops import map_fn
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.shape import shape as shape_of
from headwater.ops.array.slice import slice_
from headwater.ops.array.stack import stack
from headwater.ops.array.transpose import transpose
from headwater.ops.control.case import case
from headwater.ops.control.cond import cond
from headwater.ops.image.decode import decode_jpeg
from headwater.ops.image.decode_image import decode_image, is_jpeg
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import equal
from headwater.ops.math.logical import logical_or
from headwater.ops.math.reduce_functions import reduce_prod
from headwater.ops.parsing.example_functions import parse_single_example
from headwater.ops.parsing.features import FixedLenFeature
from headwater.ops.sparse.dense import sparse_tensor_to_dense
from headwater.ops.sparse.reshape import sparse_reshape
from headwater.ops.strings.raw import decode_raw

# The features of an example by their keys: tensors and sparse tensors.
Features = dict[str, Any]


@export("contrib.slim.tfexample_decoder.ItemHandler")
class ItemHandler(abc.ABC):
    """Makes an item of some features of an example.

    Args:
        keys: the keys of the features, or one key.
    """

    def __init__(self, keys: str | Sequence[str]) -> None:
        self._keys = list(keys) if isinstance(keys, (tuple, list)) else [keys]

    @property
    def keys(self) -> list[Any]:
        """The keys of the features."""
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """Makes the item.

        Args:
            keys_to_tensors: the features by their keys.

        Returns:
            A tensor.
        """


@export("contrib.slim.tfexample_decoder.ItemHandlerCallback")
class ItemHandlerCallback(ItemHandler):
    """Makes an item with a function.

    Args:
        keys: the keys of the features, or one key.
        func: a function from a dictionary of the features to the item.
    """

    def __init__(self, keys: str | Sequence[str], func: Callable[[Features], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """Calls the function."""
        return self._func(keys_to_tensors)


@export("contrib.slim.tfexample_decoder.BoundingBox")
class BoundingBox(ItemHandler):
    """Makes boxes of their four sides.

    Args:
        keys: the keys of the smallest y and x and the largest y and x; by default "ymin", "xmin",
            "ymax" and "xmax".
        prefix: what stands before each key.

    Raises:
        ValueError: if there are not four keys.
    """

    def __init__(self, keys: Sequence[str] | None = None, prefix: str = "") -> None:
        if keys is None:
            keys = ["ymin", "xmin", "ymax", "xmax"]
        elif len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        self._full_keys = [prefix + key for key in keys]
        super().__init__(self._full_keys)

    def tensors_to_item(self, keys_to_tensors: Features) -> GraphTensor:
        """Makes a tensor of shape (number of boxes, 4)."""
        sides = [expand_dims(_values(keys_to_tensors[key]), 0) for key in self._full_keys]
        return transpose(concat(sides, 0))


def _values(feature: Any) -> Any:
    return feature.values if isinstance(feature, SparseGraphTensor) else feature


@export("contrib.slim.tfexample_decoder.Tensor")
class Tensor(ItemHandler):
    """Makes a dense tensor of a feature.

    Args:
        tensor_key: the key of the feature.
        shape_keys: the keys of the features that are the shape, or one key, or None.
        shape: the shape, or None.
        default_value: what stands where a sparse feature has no value.

    Raises:
        ValueError: if there are both `shape_keys` and `shape`.
    """

    def __init__(
        self,
        tensor_key: str,
        shape_keys: str | Sequence[str] | None = None,
        shape: ShapeLike | None = None,
        default_value: Any = 0,
    ) -> None:
        if shape_keys and shape is not None:
            raise ValueError("Cannot specify both shape_keys and shape parameters.")
        if shape_keys and not isinstance(shape_keys, (list, tuple)):
            shape_keys = [shape_keys]  # type: ignore[list-item]
        self._tensor_key = tensor_key
        self._shape_keys = shape_keys
        self._shape = shape
        self._default_value = default_value
        super().__init__([tensor_key, *(shape_keys or [])])

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """Makes a dense tensor."""
        tensor = keys_to_tensors[self._tensor_key]
        shape: Any = self._shape
        if self._shape_keys:
            sizes = [_dense(keys_to_tensors[key]) for key in self._shape_keys]
            shape = reshape(stack(sizes), [-1])
        if isinstance(tensor, SparseGraphTensor):
            if shape is not None:
                tensor = sparse_reshape(tensor, shape)
            return sparse_tensor_to_dense(tensor, self._default_value)
        return tensor if shape is None else reshape(tensor, shape)


def _dense(feature: Any) -> Any:
    if isinstance(feature, SparseGraphTensor):
        return sparse_tensor_to_dense(feature)
    return feature


@export("contrib.slim.tfexample_decoder.LookupTensor")
class LookupTensor(Tensor):
    """Makes a dense tensor of what a table has for a feature.

    Args:
        tensor_key: the key of the feature.
        table: the lookup table.
        shape_keys: as in `Tensor`, like shape.
        shape: as in `Tensor`.
        default_value: what stands where a sparse feature has no value, before the lookup.
    """

    def __init__(
        self,
        tensor_key: str,
        table: Any,
        shape_keys: str | Sequence[str] | None = None,
        shape: ShapeLike | None = None,
        default_value: Any = "",
    ) -> None:
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """Looks the feature up."""
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


@export("contrib.slim.tfexample_decoder.BackupHandler")
class BackupHandler(ItemHandler):
    """Makes the item of another handler if that of the first has no elements.

    Args:
        handler: the first ItemHandler.
        backup: the other one.

    Raises:
        ValueError: if one of them is not an ItemHandler.
    """

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        for role, given in (("Primary", handler), ("Backup", backup)):
            if not isinstance(given, ItemHandler):
                raise ValueError(f"{role} handler is of type {type(given)} instead of ItemHandler")
        self._handler = handler
        self._backup = backup
        super().__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """Makes the item of the first or of the other handler."""
        item = self._handler.tensors_to_item(keys_to_tensors)
        return cond(
            pred=equal(reduce_prod(shape_of(item)), 0),
            true_fn=lambda: self._backup.tensors_to_item(keys_to_tensors),
            false_fn=lambda: item,
        )


@export("contrib.slim.tfexample_decoder.SparseTensor")
class SparseTensor(ItemHandler):
    """Makes a sparse tensor of a feature of indices and one of values.

    Args:
        indices_key: the key of the indices; "indices" if None.
        values_key: the key of the values; "values" if None.
        shape_key: the key of the shape, or None.
        shape: the shape, or None.
        densify: whether the result is dense.
        default_value: what stands in a dense result where there is no value.
    """

    def __init__(
        self,
        indices_key: str | None = None,
        values_key: str | None = None,
        shape_key: str | None = None,
        shape: ShapeLike | None = None,
        densify: bool = False,
        default_value: Any = 0,
    ) -> None:
        self._indices_key = indices_key or "indices"
        self._values_key = values_key or "values"
        self._shape_key = shape_key
        self._shape = shape
        self._densify = densify
        self._default_value = default_value
        keys = [self._indices_key, self._values_key]
        super().__init__(keys + [shape_key] if shape_key else keys)

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """Makes a sparse tensor, or a dense one."""
        indices = keys_to_tensors[self._indices_key]
        values = keys_to_tensors[self._values_key]
        if self._shape_key:
            shape: Any = _dense(keys_to_tensors[self._shape_key])
        elif self._shape:
            shape = self._shape
        else:
            shape = indices.dense_shape
        # The last column of the positions of an index is its place; the index itself replaces it.
        rank = shape_of(indices.indices)[1]
        ids = cast(indices.values, dtypes.int64)
        kept = slice_(indices.indices, [0, 0], stack([-1, rank - 1]))
        tensor = SparseGraphTensor(concat([kept, reshape(ids, [-1, 1])], 1), values.values, shape)
        return sparse_tensor_to_dense(tensor, self._default_value) if self._densify else tensor


@export("contrib.slim.tfexample_decoder.Image")
class Image(ItemHandler):
    """Makes an image of its encoded form.

    Args:
        image_key: the key of the encoded image; "image/encoded" if None.
        format_key: the key of the format, such as "jpeg" or "raw"; "image/format" if None.
        shape: the shape of the image, or None.
        channels: the number of channels.
        dtype: the dtype of the image.
        repeated: whether the feature has several images.
        dct_method: how JPEG images are decoded: "INTEGER_FAST", "INTEGER_ACCURATE" or "".
    """

    def __init__(
        self,
        image_key: str | None = None,
        format_key: str | None = None,
        shape: ShapeLike | None = None,
        channels: int = 3,
        dtype: DTypeLike = dtypes.uint8,
        repeated: bool = False,
        dct_method: str = "",
    ) -> None:
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        self._shape = shape
        self._channels = channels
        self._dtype = dtype
        self._repeated = repeated
        self._dct_method = dct_method
        super().__init__([self._image_key, self._format_key])

    def tensors_to_item(self, keys_to_tensors: Features) -> GraphTensor:
        """Decodes the image or images."""
        encoded = keys_to_tensors[self._image_key]
        image_format = keys_to_tensors[self._format_key]
        if self._repeated:
            return map_fn(lambda x: self._decode(x, image_format), encoded, dtype=self._dtype)
        return self._decode(encoded, image_format)

    def _decode(self, encoded: GraphTensor, image_format: GraphTensor) -> GraphTensor:
        is_raw = logical_or(equal(image_format, "raw"), equal(image_format, "RAW"))
        image = case(
            {is_raw: lambda: decode_raw(encoded, self._dtype)},
            default=lambda: self._compressed(encoded),
            exclusive=True,
        )
        image.set_shape([None, None, self._channels])
        return image if self._shape is None else reshape(image, self._shape)

    def _compressed(self, encoded: GraphTensor) -> GraphTensor:
        def jpeg() -> GraphTensor:
            image = decode_jpeg(encoded, self._channels, dct_method=self._dct_method)
            return cast(image, self._dtype)

        def other() -> GraphTensor:
            return cast(decode_image(encoded, channels=self._channels), self._dtype)

        return cond(is_jpeg(encoded), jpeg, other, name="cond_jpeg")


@export("contrib.slim.tfexample_decoder.TFExampleDecoder")
class TFExampleDecoder(DataDecoder):
    """Decodes serialized Examples.

    Args:
        keys_to_features: the features to parse by their keys, as in `tf.parse_single_example`.
        items_to_handlers: the ItemHandlers by the names of the items.
    """

    def __init__(
        self, keys_to_features: dict[str, Any], items_to_handlers: dict[str, ItemHandler]
    ) -> None:
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> list[str]:
        """Returns the names of the items."""
        return list(self._items_to_handlers)

    def decode(self, serialized_example: Any, items: Sequence[str] | None = None) -> list[Any]:
        """Parses an Example and makes items of it.

        Args:
            serialized_example: a string scalar.
            items: the names of the wanted items; all if None.

        Returns:
            A tensor for each item.
        """
        example = parse_single_example(serialized_example, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, FixedLenFeature):
                example[key] = reshape(example[key], feature.shape)
        handlers = [self._items_to_handlers[item] for item in items or self._items_to_handlers]
        return [
            handler.tensors_to_item({key: example[key] for key in handler.keys})
            for handler in handlers
        ]

"""Ragged tensors: RaggedTensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from headwater.base import dtypes
from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, ShapeLike, TensorLike
from headwater.graph import (
    SparseTensor,
    Tensor,
    build,
    constant_value,
    convert_to_tensor,
    name_scope,
    shape_tensor,
)
from headwater.graph.composite_specs import CompositeTensor
from headwater.model.ragged import partitions
from headwater.ops.array.getitem import boolean_mask, sequence_mask


@export("RaggedTensor")
class RaggedTensor(CompositeTensor):
    """Rows of different lengths, made by ``RaggedTensor.from_row_splits`` and its relatives.

    Args:
        values: the values of all rows, a tensor or a RaggedTensor.
        row_splits: where each row begins, and the end of the last one.
        cached_row_lengths: has no effect.
        cached_value_rowids: has no effect.
        cached_nrows: has no effect.
        internal: True where this class makes its own instances.

    Raises:
        ValueError: if it is called by others.
    """

    def __init__(
        self,
        values: TensorLike | RaggedTensor,
        row_splits: Tensor,
        cached_row_lengths: Any = None,
        cached_value_rowids: Any = None,
        cached_nrows: Any = None,
        internal: bool = False,
    ) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods "
                "instead (e.g., RaggedTensor.from_row_lengths())"
            )
        self._values, self._row_splits = values, row_splits

    # Making ragged tensors

    @classmethod
    def from_row_splits(
        cls,
        values: TensorLike,
        row_splits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Makes a ragged tensor of values and the places where rows begin and end.

        Args:
            values: the values of all rows.
            row_splits: an integer vector that begins with 0 and does not decrease.
            name: the name scope.
            validate: whether the splits are checked when they are used.

        Returns:
            A RaggedTensor.

        Raises:
            ValueError: if `row_splits` is a list without elements.
        """
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        with name_scope(name, "RaggedFromRowSplits", [values, row_splits]):
            values = _converted(values, "values")
            splits = partitions.integers(row_splits, "row_splits")
            if validate:
                splits = partitions.checked_splits(splits, _count(values, splits.dtype))
            return cls(values, splits, internal=True)

    @classmethod
    def from_row_lengths(
        cls,
        values: TensorLike,
        row_lengths: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Makes a ragged tensor of values and the lengths of the rows.

        Args:
            values: the values of all rows.
            row_lengths: an integer vector.
            name: the name scope.
            validate: whether the lengths are checked when they are used.

        Returns:
            A RaggedTensor.
        """
        with name_scope(name, "RaggedFromRowLengths", [values, row_lengths]):
            values = _converted(values, "values")
            lengths = partitions.integers(row_lengths, "row_lengths")
            splits = partitions.splits_of_lengths(lengths)
            if validate:
                splits = partitions.checked_splits(splits, _count(values, splits.dtype))
            return cls(values, splits, internal=True)

    @classmethod
    def from_value_rowids(
        cls,
        values: TensorLike,
        value_rowids: TensorLike,
        nrows: TensorLike | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Makes a ragged tensor of values and the row of each.

        Args:
            values: the values of all rows.
            value_rowids: an integer vector that does not decrease.
            nrows: the number of rows; the last row that has a value if it is None.
            name: the name scope.
            validate: whether the rows are checked when they are used.

        Returns:
            A RaggedTensor.
        """
        with name_scope(name, "RaggedFromValueRowIds", [values, value_rowids, nrows]):
            values = _converted(values, "values")
            rows = partitions.integers(value_rowids, "value_rowids")
            values.shape[:1].assert_is_compatible_with(rows.shape)
            splits = partitions.splits_of_rows(rows, nrows, validate)
            if validate:
                splits = partitions.checked_splits(splits, _count(values, splits.dtype))
            return cls(values, splits, internal=True)

    @classmethod
    def from_row_starts(
        cls,
        values: TensorLike,
        row_starts: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Makes a ragged tensor of values and the places where rows begin.

        Args:
            values: the values of all rows.
            row_starts: an integer vector.
            name: the name scope.
            validate: whether the places are checked when they are used.

        Returns:
            A RaggedTensor.
        """
        with name_scope(name, "RaggedFromRowStarts", [values, row_starts]):
            values = _converted(values, "values")
            starts = partitions.integers(row_starts, "row_starts")
            count = _count(values, starts.dtype)
            splits = build.ConcatV2([starts, build.Reshape(count, [1])], 0)
            return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_row_limits(
        cls,
        values: TensorLike,
        row_limits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Makes a ragged tensor of values and the places where rows end.

        Args:
            values: the values of all rows.
            row_limits: an integer vector.
            name: the name scope.
            validate: whether the places are checked when they are used.

        Returns:
            A RaggedTensor.
        """
        with name_scope(name, "RaggedFromRowLimits", [values, row_limits]):
            values = _converted(values, "values")
            limits = partitions.integers(row_limits, "row_limits")
            return cls.from_row_splits(values, partitions.after_zero(limits), validate=validate)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: TensorLike,
        nested_row_splits: Sequence[TensorLike],
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Makes a ragged tensor of several levels.

        Args:
            flat_values: the values inside of all levels.
            nested_row_splits: the splits of each level, the outermost first.
            name: the name scope.
            validate: whether the splits are checked when they are used.

        Returns:
            A RaggedTensor; `flat_values` as a tensor if there are no levels.

        Raises:
            TypeError: if `nested_row_splits` is a tensor.
        """
        return _nested(
            cls.from_row_splits, "row_splits", flat_values, nested_row_splits, name, validate
        )

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: TensorLike,
        nested_row_lengths: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Makes a ragged tensor of several levels.

        Args:
            flat_values: the values inside of all levels.
            nested_row_lengths: the lengths of the rows of each level, the outermost first.
            name: the name scope.
            validate: whether the lengths are checked when they are used.

        Returns:
            A RaggedTensor; `flat_values` as a tensor if there are no levels.

        Raises:
            TypeError: if `nested_row_lengths` is a tensor.
        """
        return _nested(
            cls.from_row_lengths, "row_lengths", flat_values, nested_row_lengths, name, validate
        )

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: TensorLike,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a ragged tensor of several levels.

        Args:
            flat_values: the values inside of all levels.
            nested_value_rowids: the row of each value at each level, the outermost first.
            nested_nrows: the number of rows at each level; taken from the rows by default.
            name: the name scope.
            validate: whether the rows are checked when they are used.

        Returns:
            A RaggedTensor; `flat_values` as a tensor if there are no levels.

        Raises:
            TypeError: if `nested_value_rowids` or `nested_nrows` is a tensor.
            ValueError: if both have different lengths.
        """
        if isinstance(nested_value_rowids, Tensor):
            raise TypeError("nested_value_rowids must be a list of Tensors")
        if nested_nrows is None:
            nested_nrows = [None] * len(nested_value_rowids)
        elif isinstance(nested_nrows, Tensor):
            raise TypeError("nested_nrows must be a list of Tensors")
        elif len(nested_nrows) != len(nested_value_rowids):
            raise ValueError("nested_nrows must have the same length as nested_value_rowids")
        values = [flat_values, *nested_value_rowids, *(n for n in nested_nrows if n is not None)]
        with name_scope(name, "RaggedFromNestedValueRowIds", values):
            result = flat_values
            for rows, count in reversed(list(zip(nested_value_rowids, nested_nrows))):
                result = cls.from_value_rowids(result, rows, count, validate=validate)
            return result

    @classmethod
    def from_tensor(
        cls,
        tensor: TensorLike,
        lengths: TensorLike | None = None,
        padding: TensorLike | None = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
    ) -> RaggedTensor:
        """Makes a ragged tensor of the rows of a tensor, without their padding.

        Args:
            tensor: a tensor of two or more dimensions.
            lengths: the length of each row; None for all of it, unless there is `padding`.
            padding: the value that fills rows up at their ends.
            ragged_rank: the number of levels, 1 if there are `lengths` or `padding`.
            name: the name scope.
            row_splits_dtype: the type of the splits.

        Returns:
            A RaggedTensor.

        Raises:
            ValueError: if both `lengths` and `padding` are given, or `ragged_rank` does not fit.
        """
        kind = as_dtype(row_splits_dtype)
        if lengths is not None and padding is not None:
            raise ValueError("Specify lengths or padding, but not both")
        if not isinstance(ragged_rank, int):
            raise TypeError(f"ragged_rank expected int, got {ragged_rank!r}")
        if ragged_rank <= 0:
            raise ValueError(f"ragged_rank must be greater than 0; got {ragged_rank}")
        with name_scope(name, "RaggedFromTensor", [tensor, lengths, padding]):
            tensor = convert_to_tensor(tensor, name="tensor")
            tensor.shape.with_rank_at_least(ragged_rank + 1)
            if isinstance(lengths, (list, tuple)) and lengths and not _is_number(lengths[0]):
                if ragged_rank not in (1, len(lengths)):
                    raise ValueError("If lengths is a tuple of row_lengths, ragged_rank must be "
                                     f"len(lengths); got {ragged_rank}")  # fmt: skip
                outer = cls.from_tensor(tensor, lengths[0], row_splits_dtype=kind)
                if len(lengths) == 1:
                    return outer
                return outer.with_values(
                    cls.from_tensor(outer.values, list(lengths[1:]), row_splits_dtype=kind)
                )
            if ragged_rank > 1:
                if lengths is not None or padding is not None:
                    raise ValueError("lengths and padding need a ragged_rank of 1 here")
                shape = shape_tensor(tensor, out_type=kind)
                flat = build.Reshape(
                    tensor, build.ConcatV2([convert_to_tensor([-1], kind), shape[2:]], 0)
                )
                inner = cls.from_tensor(flat, ragged_rank=ragged_rank - 1, row_splits_dtype=kind)
                splits = partitions.counted(0, shape[0], kind) * shape[1]
                return cls.from_row_splits(inner, splits, validate=False)
            shape = shape_tensor(tensor, out_type=kind)
            if padding is not None:
                padding = convert_to_tensor(padding, dtype=tensor.dtype, name="padding")
                padding.shape.assert_is_compatible_with(tensor.shape[2:])
                filled = build.Equal(padding, tensor)
                rank = tensor.shape.ndims
                if rank is not None and rank > 2:
                    filled = build.All(filled, list(range(2, rank)))
                place = partitions.counted(1, shape[1], kind)
                used = build.Cast(build.LogicalNot(filled), DstT=kind) * place
                lengths = build.Max(used, 1)
            if lengths is None:
                rows = build.Reshape(
                    tensor, build.ConcatV2([convert_to_tensor([-1], kind), shape[2:]], 0)
                )
                splits = partitions.counted(0, shape[0], kind) * shape[1]
                return cls.from_row_splits(rows, splits, validate=False)
            lengths = build.Cast(convert_to_tensor(lengths, name="lengths"), DstT=kind)
            lengths = build.Maximum(build.Minimum(lengths, shape[1]), convert_to_tensor(0, kind))
            values = boolean_mask(tensor, sequence_mask(lengths, shape[1]))
            return cls.from_row_lengths(values, lengths, validate=False)

    @classmethod
    def from_sparse(
        cls,
        st_input: SparseTensor,
        name: str | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
    ) -> RaggedTensor:
        """Makes a ragged tensor of a sparse matrix whose rows have no gaps.

        Args:
            st_input: a SparseTensor of two dimensions.
            name: the name scope.
            row_splits_dtype: the type of the splits.

        Returns:
            A RaggedTensor.

        Raises:
            TypeError: if `st_input` is not a SparseTensor.
            ValueError: if its rank is not 2.
        """
        if not isinstance(st_input, SparseTensor):
            raise TypeError(f"Expected SparseTensor, got {type(st_input).__name__}")
        kind = as_dtype(row_splits_dtype)
        with name_scope(name, "RaggedFromSparse", [st_input]):
            if st_input.shape.ndims not in (None, 2):
                raise ValueError(f"rank(st_input) must be 2; got shape={st_input.shape}")
            rows = build.Cast(st_input.indices[:, 0], DstT=kind)
            count = build.Cast(st_input.dense_shape[0], DstT=kind)
            return cls.from_value_rowids(st_input.values, rows, count, validate=False)

    # Properties

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape; None stands for rows of different lengths too."""
        splits = self._row_splits.shape
        count = None if splits.ndims is None or splits[0].value is None else splits[0].value - 1
        return TensorShape([count, None]).concatenate(self._values.shape[1:])

    def get_shape(self) -> TensorShape:
        """The static shape.

        Returns:
            A TensorShape.
        """
        return self.shape

    @property
    def ragged_rank(self) -> int:
        """The number of levels of rows."""
        inner = self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0
        return inner + 1

    @property
    def values(self) -> Tensor | RaggedTensor:
        """The values of all rows, a tensor or a RaggedTensor."""
        return self._values

    @property
    def row_splits(self) -> Tensor:
        """Where each row begins, and the end of the last one."""
        return self._row_splits

    @property
    def flat_values(self) -> Tensor:
        """The values inside of all levels of rows."""
        values = self._values
        return values.flat_values if isinstance(values, RaggedTensor) else values

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The splits of all levels, the outermost first."""
        values = self._values
        return (
            self._row_splits,
            *(values.nested_row_splits if isinstance(values, RaggedTensor) else ()),
        )

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row of each value.

        Args:
            name: the name scope.

        Returns:
            An integer vector.
        """
        with name_scope(name, "RaggedValueRowIds", [self._row_splits]):
            return partitions.rows_of_splits(self._row_splits)

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
        """The number of rows.

        Args:
            out_type: the type of the result, that of the splits by default.
            name: the name scope.

        Returns:
            An integer scalar.
        """
        kind = self._row_splits.dtype if out_type is None else as_dtype(out_type)
        with name_scope(name, "RaggedNRows", [self._row_splits]):
            return shape_tensor(self._row_splits, out_type=kind)[0] - 1

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins.

        Args:
            name: the name scope.

        Returns:
            An integer vector.
        """
        with name_scope(name, "RaggedRowStarts", [self._row_splits]):
            return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends.

        Args:
            name: the name scope.

        Returns:
            An integer vector.
        """
        with name_scope(name, "RaggedRowLimits", [self._row_splits]):
            return self._row_splits[1:]

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The length of each row.

        Args:
            axis: the dimension whose lengths are wanted, 1 or more.
            name: the name scope.

        Returns:
            An integer vector; a RaggedTensor for dimensions further in.

        Raises:
            ValueError: if `axis` is not the dimension of rows.
        """
        with name_scope(name, "RaggedRowLengths", [self._row_splits]):
            if axis > 1 and isinstance(self._values, RaggedTensor):
                return self.with_values(self._values.row_lengths(axis - 1))
            if axis != 1:
                rank = self.shape.ndims or self.ragged_rank + 1
                raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
            return self._row_splits[1:] - self._row_splits[:-1]

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """The lengths of the rows of all levels.

        Args:
            name: the name scope.

        Returns:
            A tuple of integer vectors, the outermost level first.
        """
        with name_scope(name, "RaggedNestedRowLengths", [self._row_splits]):
            return tuple(splits[1:] - splits[:-1] for splits in self.nested_row_splits)

    def bounding_shape(
        self,
        axis: TensorLike | None = None,
        name: str | None = None,
        out_type: DTypeLike | None = None,
    ) -> Tensor:
        """The shape of the smallest tensor into which the rows fit.

        Args:
            axis: which dimensions are wanted; all of them by default.
            name: the name scope.
            out_type: the type of the result, that of the splits by default.

        Returns:
            An integer vector, or a scalar for one axis.
        """
        kind = self._row_splits.dtype if out_type is None else as_dtype(out_type)
        with name_scope(name, "RaggedBoundingBox", [self._row_splits]):
            sizes = [shape_tensor(self._row_splits, out_type=kind)[0] - 1]
            for lengths in self.nested_row_lengths():
                longest = build.Max(build.Cast(lengths, DstT=kind), 0)
                sizes.append(build.Maximum(longest, convert_to_tensor(0, kind)))
            inner = shape_tensor(self.flat_values, out_type=kind)[1:]
            box = build.ConcatV2([build.Pack(sizes), inner], 0)
            return box if axis is None else build.GatherV2(box, axis, 0)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row of each value at all levels.

        Args:
            name: the name scope.

        Returns:
            A tuple of integer vectors, the outermost level first.
        """
        with name_scope(name, "RaggedNestedValueRowIds", [self._row_splits]):
            inner = self._values
            rows = inner.nested_value_rowids() if isinstance(inner, RaggedTensor) else ()
            return (self.value_rowids(), *rows)

    # Other forms

    def with_values(self, new_values: TensorLike) -> RaggedTensor:
        """The same rows with other values.

        Args:
            new_values: as many values.

        Returns:
            A RaggedTensor.
        """
        values = _converted(new_values, "values")
        values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(values.shape[:1])
        return RaggedTensor(values, self._row_splits, internal=True)

    def with_flat_values(self, new_values: Tensor | RaggedTensor) -> RaggedTensor:
        """The same rows of all levels with other values.

        Args:
            new_values: as many values.

        Returns:
            A RaggedTensor.
        """
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: DTypeLike) -> RaggedTensor:
        """The same rows with splits of another type.

        Args:
            dtype: int32 or int64.

        Returns:
            A RaggedTensor.

        Raises:
            ValueError: if it is another type.
        """
        dtype = as_dtype(dtype)
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("dtype must be int32 or int64")
        if self._row_splits.dtype.base_dtype == dtype:
            return self
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(dtype)
        return RaggedTensor(values, build.Cast(self._row_splits, DstT=dtype), internal=True)

    def to_list(self) -> list[Any]:
        """Raises: only values have lists.

        Raises:
            ValueError: always; evaluate the ragged tensor first.
        """
        raise ValueError(
            "RaggedTensor.to_list() is only supported in eager mode; in graph mode, evaluate the "
            "RaggedTensor first and then use RaggedTensorValue.to_list()."
        )

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    __nonzero__ = __bool__

    def to_tensor(
        self,
        default_value: TensorLike | None = None,
        name: str | None = None,
        shape: ShapeLike | None = None,
    ) -> Tensor:
        """Puts the rows into a tensor.

        Args:
            default_value: what fills rows up; 0 or an empty string by default.
            name: the name scope.
            shape: the shape of the result, where None and -1 mean the longest row.

        Returns:
            A tensor.
        """
        with name_scope(name, "RaggedToTensor", [default_value, *self.nested_row_splits]):
            flat, splits = self.flat_values, self.nested_row_splits
            if default_value is None:
                default_value = {"string": b"", "bool": False}.get(flat.dtype.name, 0)
            default_value = convert_to_tensor(default_value, flat.dtype, name="default_value")
            wanted = [] if shape is None else TensorShape(shape).as_list()
            sizes = [-1 if size is None else size for size in wanted]
            result = build.RaggedTensorToTensor(
                convert_to_tensor(sizes if sizes else -1, dtypes.int64),
                flat,
                default_value,
                list(splits),
                row_partition_types=["ROW_SPLITS"] * len(splits),
            )
            if shape is None:
                result.set_shape([self.shape[0], *map(_longest, splits), *flat.shape[1:]])
            return result

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """The rows as a sparse tensor.

        Args:
            name: the name scope.

        Returns:
            A SparseTensor.
        """
        with name_scope(name, "RaggedToSparse", [self._row_splits]):
            parts = build.RaggedTensorToSparse(list(self.nested_row_splits), self.flat_values)
            return SparseTensor(*parts)

    def consumers(self) -> list[Any]:
        """The ops that take a part of this tensor.

        Returns:
            A list of Operations.
        """
        return self._consumers()

    def __repr__(self) -> str:
        return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"

    __str__ = __repr__

    if TYPE_CHECKING:
        # Set with the other operators.
        def __getitem__(self, key: TensorLike) -> None: ...

    # Set where the specs of ragged tensors are defined.
    _make_spec: ClassVar[Callable[[RaggedTensor], Any]]

    @property
    def _type_spec(self) -> Any:
        return RaggedTensor._make_spec(self)


def _longest(splits: Tensor) -> int | None:
    """The length of the longest row, None if it is not known."""
    known = constant_value(splits)
    return None if known is None else max(map(int, known[1:] - known[:-1]), default=0)


def _is_number(value: int | Sequence[int]) -> bool:
    return not hasattr(value, "__len__") and getattr(value, "shape", ()) in ((), None)


def _converted(values: TensorLike, name: str) -> Tensor | RaggedTensor:
    return values if isinstance(values, RaggedTensor) else convert_to_tensor(values, name=name)


def _count(values: TensorLike, kind: DType) -> Tensor:
    """The number of values."""
    if isinstance(values, RaggedTensor):
        return values.nrows(out_type=kind)
    return shape_tensor(values, out_type=kind)[0]


def _nested(
    make: Callable[..., Any],
    what: str,
    flat_values: TensorLike,
    nested: Sequence[TensorLike],
    name: str | None,
    validate: bool,
) -> RaggedTensor:
    if isinstance(nested, Tensor):
        raise TypeError(f"nested_{what} must be a list of Tensors")
    scope = "RaggedFromNestedRowSplits" if what == "row_splits" else "RaggedFromNestedRowLengths"
    with name_scope(name, scope, [flat_values, *nested]):
        result = flat_values
        for part in reversed(list(nested)):
            result = make(result, part, validate=validate)
        return result

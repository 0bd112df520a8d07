"""Scaling of tensors so that their norms stay below a bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.base import dtypes
from headwater.base.older_calls import inserted
from headwater.base.typing import AxisLike, TensorLike
from headwater.graph import (
    IndexedSlices,
    Tensor,
    build,
    colocate_with,
    constant_node,
    convert_to_tensor,
    export,
    name_scope,
    ones_like,
    rank_tensor,
    size_tensor,
)
from headwater.ops.math.axes import all_axes

if TYPE_CHECKING:
    from headwater.base.dtypes import DType


def _values(t: Tensor | IndexedSlices, name: str) -> Tensor:
    return convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name=name)


@export("clip_by_norm")
@inserted(2, None)
def clip_by_norm(
    t: Tensor | IndexedSlices,
    clip_norm: TensorLike,
    axes: AxisLike | None = None,
    name: str | None = None,
) -> Any:
    """Scales a tensor so that its L2 norm is at most `clip_norm`.

    Args:
        t: a Tensor or IndexedSlices.
        clip_norm: the largest norm, a positive scalar.
        axes: the axes over which norms are taken; None means all.
        name: the name of the node.

    Returns:
        What `t` is: t * clip_norm / max(norm, clip_norm).
    """
    with name_scope(name, "clip_by_norm", [t, clip_norm]) as scope:
        values = _values(t, "t")
        squares = values * values
        if axes is None:
            axes = all_axes(values)
        total = build.Sum(squares, axes, keep_dims=True)
        # The root has no derivative at 0.
        positive = total > 0
        safe = build.Select(positive, total, ones_like(total))
        norm = build.Select(positive, build.Sqrt(safe), total)
        scaled = values * clip_norm
        values.get_shape().merge_with(scaled.get_shape())
        clipped = build.Identity(scaled / build.Maximum(norm, clip_norm), name=scope)
        if isinstance(t, IndexedSlices):
            return IndexedSlices(clipped, t.indices, t.dense_shape)
        return clipped


@export("clip_by_average_norm")
def clip_by_average_norm(t: TensorLike, clip_norm: TensorLike, name: str | None = None) -> Tensor:
    """Scales a tensor so that its L2 norm per element is at most `clip_norm`.

    Args:
        t: a tensor.
        clip_norm: the largest average norm, a positive scalar.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    with name_scope(name, "clip_by_average_norm", [t, clip_norm]) as scope:
        t = convert_to_tensor(t, name="t")
        count = build.Cast(size_tensor(t), DstT=dtypes.float32)
        squares = t * t
        axes = build.Range(0, rank_tensor(t), 1, name="range")
        inverse = build.Rsqrt(build.Sum(squares, axes))
        # The nodes are made in the order in which the expression is evaluated.
        clipped = t * clip_norm * build.Minimum(inverse * count, constant_node(1.0) / clip_norm)
        return build.Identity(clipped, name=scope)


def _checked_list(t_list: Sequence[TensorLike | IndexedSlices | None]) -> list[Any]:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError("t_list should be a sequence")
    return [
        t if t is None or isinstance(t, IndexedSlices) else convert_to_tensor(t, name=f"t_{i}")
        for i, t in enumerate(t_list)
    ]


@export("global_norm", "linalg.global_norm")
def global_norm(
    t_list: Sequence[TensorLike | IndexedSlices | None], name: str | None = None
) -> Tensor:
    """Returns the L2 norm of all elements of several tensors together.

    Args:
        t_list: a list of Tensors, IndexedSlices and None, which counts as nothing.
        name: the name scope.

    Returns:
        A scalar.

    Raises:
        TypeError: if `t_list` is not a list.
    """
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError("t_list should be a sequence")
    with name_scope(name, "global_norm", list(t_list)):
        parts = []
        for t in _checked_list(t_list):
            if t is None:
                continue
            values = t.values if isinstance(t, IndexedSlices) else t
            with colocate_with(values):
                parts.append(build.L2Loss(values))
        stacked = build.Pack(parts, name="stack")
        half = build.Sum(stacked, constant_node([0], dtypes.int32))
        two = constant_node(2.0, half.dtype.base_dtype)
        return build.Sqrt(half * two, name="global_norm")


@export("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Sequence[TensorLike | IndexedSlices | None],
    clip_norm: TensorLike,
    use_norm: TensorLike | None = None,
    name: str | None = None,
) -> tuple[list[Any], Any]:
    """Scales several tensors by one factor so that their global norm is at most `clip_norm`.

    Args:
        t_list: a list of Tensors, IndexedSlices and None.
        clip_norm: the largest norm, a positive scalar.
        use_norm: the global norm, if it is known already.
        name: the name scope.

    Returns:
        The list of scaled tensors, and the global norm before. If the norm is infinite or not a
        number, the tensors are filled with NaN.

    Raises:
        TypeError: if `t_list` is not a list.

    Example:
        >>> clipped, norm = tf.clip_by_global_norm([[3.0], [4.0]], clip_norm=1.0)
        >>> print(norm.eval(), clipped[0].eval().round(3))
        5.0 [0.6]
    """
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError("t_list should be a sequence")
    t_list = list(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with name_scope(name, "clip_by_global_norm", [*t_list, clip_norm]) as scope:
        inverse = 1.0 / use_norm
        largest = constant_node(1.0, _type_of(use_norm)) / clip_norm
        scale = clip_norm * build.Minimum(inverse, largest)
        finite = build.IsFinite(use_norm)
        nan = constant_node(float("nan"), scale.dtype.base_dtype)
        scale = build.Select(finite, scale, nan)
        clipped: list[Any] = []
        for i, t in enumerate(_checked_list(t_list)):
            if t is None:
                clipped.append(None)
                continue
            values = t.values if isinstance(t, IndexedSlices) else t
            with colocate_with(values):
                result = build.Identity(values * scale, name=f"{scope}_{i}")
            if isinstance(t, IndexedSlices):
                result = IndexedSlices(result, t.indices, t.dense_shape)
            clipped.append(result)
    return clipped, use_norm


def _type_of(value: Tensor) -> DType:
    return value.dtype.base_dtype if hasattr(value, "dtype") else dtypes.float32

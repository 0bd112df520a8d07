"""Type aliases used in signatures throughout.

Some are aliases of `Any`: NumPy arrays, JAX arrays and tracers share no exact type, and conversion
functions accept many. Their names document the intent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, TypeAlias

# A numpy.ndarray, or a jax.Array while a kernel is traced.
Array: TypeAlias = Any

# `numpy` where a kernel runs on the host, `jax.numpy` where it is traced: the `xp` of kernels.
ArrayModule: TypeAlias = ModuleType

# A Tensor, a variable, or anything else that `convert_to_tensor` turns into a Tensor.
TensorLike: TypeAlias = Any

# A DType, or anything else that `as_dtype` takes: a NumPy type, a name, an enum of DataType.
DTypeLike: TypeAlias = Any

# A static shape: sizes, None for an unknown one; None for an unknown rank.
Shape: TypeAlias = tuple[int | None, ...] | None

# `kernel(xp, *inputs, attr=..., ...)`: computes the outputs of an op.
Kernel: TypeAlias = Callable[..., Any]

# `reference(*inputs, attr=..., ...)`: computes the outputs of an op with NumPy.
Reference: TypeAlias = Callable[..., Any]

# `shape(context: ShapeContext)`: the static shape of the output, or a sequence of them.
ShapeFn: TypeAlias = Callable[[Any], Shape | Sequence[Shape]]

# `gradient(op: Operation, *output_gradients)`: the gradients of the inputs, None for an input
# without one; a single one for an op of one input.
GradientFn: TypeAlias = Callable[..., Any]

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

# A tensor, or a list, tuple, named tuple or dict of such structures: what `nest` flattens, such as
# the state of an RNN cell, loop variables, or the results of a function.
NestedTensors: TypeAlias = Any

# A DType, or anything else that `as_dtype` takes: a NumPy type, a name, an enum of DataType.
DTypeLike: TypeAlias = Any

# A static shape: sizes, None for an unknown one; None for an unknown rank.
Shape: TypeAlias = tuple[int | None, ...] | None

# A TensorShape, or anything else that `TensorShape` takes: sizes, a TensorShapeProto. Where a shape
# may be known at run time only, an integer tensor as well.
ShapeLike: TypeAlias = Any

# The dimensions that a function works along: a number, several numbers, or a tensor of them.
AxisLike: TypeAlias = Any

# The name of a device, a DeviceSpec, an op (its device), or a function of an op that returns one.
DeviceLike: TypeAlias = Any

# An Initializer or its class, a function `(shape, dtype, partition_info)`, or the value itself.
InitializerLike: TypeAlias = Any

# `activation(x)`: a function of a tensor, applied to what a layer or a cell computes.
Activation: TypeAlias = Callable[..., Any]

# `regularizer(weights)`: the loss to add, or None for none.
Regularizer: TypeAlias = Callable[[Any], Any]

# `constraint(variable)`: the projected value that replaces the variable's after an update.
Constraint: TypeAlias = Callable[[Any], Any]

# `partitioner(shape=..., dtype=...)`: the number of parts of a variable along each axis.
Partitioner: TypeAlias = Callable[..., Sequence[int]]

# `custom_getter(getter, name, *args, **kwargs)`: takes the place of `get_variable` in a scope.
CustomGetter: TypeAlias = Callable[..., Any]

# Tensors (or structures with a registered conversion) -> the values that they have in a run.
FeedDict: TypeAlias = dict[Any, Any]

# `kernel(xp, *inputs, attr=..., ...)`: computes the outputs of an op.
Kernel: TypeAlias = Callable[..., Any]

# `reference(*inputs, attr=..., ...)`: computes the outputs of an op with NumPy.
Reference: TypeAlias = Callable[..., Any]

# `shape(context: ShapeContext)`: the static shape of the output, or a sequence of them.
ShapeFn: TypeAlias = Callable[[Any], Shape | Sequence[Shape]]

# `gradient(op: Operation, *output_gradients)`: the gradients of the inputs, None for an input
# without one; a single one for an op of one input.
GradientFn: TypeAlias = Callable[..., Any]

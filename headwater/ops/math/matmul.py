"""Matrix products: MatMul, BatchMatMul, SparseMatMul."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import blas, dtypes, errors
from headwater.base.checks import fail
from headwater.base.lazy import lax
from headwater.base.typing import Array, ArrayModule, DTypeLike, Shape, TensorLike
from headwater.graph import (
    Operation,
    Sample,
    Tensor,
    build,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
    shapes_equal,
)
from headwater.ops.math.elementwise import FLOATS
from headwater.ops.math.operators import override_binary

_TYPES = f"{FLOATS}, int32, int64, complex64, complex128"


def _product(xp: ArrayModule, a: Array, b: Array) -> Array:
    if xp is np:
        return _host_product(a, b)
    return xp.matmul(a, b, precision=lax.Precision.HIGHEST)


def _host_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.itemsize == 2 and a.dtype.kind not in "iu":
        # NumPy adds up half-precision products element by element, slowly and roughly.
        return blas.matmul(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)
    return blas.matmul(a, b)


def kernel_matmul(
    xp: ArrayModule, a: Array, b: Array, *, transpose_a: bool, transpose_b: bool
) -> Array:
    if a.ndim != 2 or b.ndim != 2:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"In[{0 if a.ndim != 2 else 1}] is not a matrix",
            hint="tf.matmul multiplies tensors with more than 2 dimensions as batches of matrices.",
        )
    left = a.T if transpose_a else a
    right = b.T if transpose_b else b
    if left.shape[1] != right.shape[0]:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Matrix size-incompatible: In[0]: {shapes.show(a.shape)}, "
            f"In[1]: {shapes.show(b.shape)}",
        )
    if xp is np:
        return _host_product(left, right)
    summed = ((0 if transpose_a else 1,), (1 if transpose_b else 0,))
    return lax.dot_general(
        a,
        b,
        (summed, ((), ())),
        precision=lax.Precision.HIGHEST,
        preferred_element_type=a.dtype,
    )


def reference_matmul(a: Array, b: Array, *, transpose_a: bool, transpose_b: bool) -> Array:
    left = np.swapaxes(a, 0, 1) if transpose_a else a
    right = np.swapaxes(b, 0, 1) if transpose_b else b
    return (left[:, :, None] * right[None]).sum(axis=1, dtype=a.dtype)


def shape_matmul(c: shapes.ShapeContext) -> Shape:
    a, b = c.inputs[0]._shape, c.inputs[1]._shape
    names = [arg.name for arg in c.record.schema.inputs]
    a, b = c.with_rank(names[0], 2), c.with_rank(names[1], 2)
    if c.attr("transpose_a"):
        a = a[::-1]
    if c.attr("transpose_b"):
        b = b[::-1]
    c.merge_dims(a[1], b[0])
    return (a[0], b[1])


def gradient_matmul(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    a, b = op.inputs
    if a.dtype.is_complex:
        a, b = build.Conj(a), build.Conj(b)
    transposed_a, transposed_b = op.get_attr("transpose_a"), op.get_attr("transpose_b")
    multiply = build.MatMul
    if not transposed_a and not transposed_b:
        return multiply(grad, b, transpose_b=True), multiply(a, grad, transpose_a=True)
    if not transposed_a:
        return multiply(grad, b), multiply(grad, a, transpose_a=True)
    if not transposed_b:
        return multiply(b, grad, transpose_b=True), multiply(a, grad)
    return (
        multiply(b, grad, transpose_a=True, transpose_b=True),
        multiply(grad, a, transpose_a=True, transpose_b=True),
    )


def samples_matmul() -> Iterator[Sample]:
    a = np.array([[1.5, -2.0, 3.0], [0.25, 5.0, -6.5]])
    b = np.array([[1.0, 0.5], [-2.0, 4.0], [3.0, -0.75]])
    for kind in (np.float32, np.float64):
        yield Sample(a.astype(kind), b.astype(kind))
    yield Sample(a.T, b, transpose_a=True)
    yield Sample(a, b.T, transpose_b=True)
    yield Sample(a.T, b.T, transpose_a=True, transpose_b=True)
    yield Sample(a.astype(np.int32), b.astype(np.int32))
    yield Sample((a + 1j).astype(np.complex64), (b - 2j).astype(np.complex64))
    yield Sample(np.zeros((2, 0), np.float32), np.zeros((0, 3), np.float32), gradient=())


register_op(
    "MatMul",
    inputs="a: T, b: T",
    outputs="product: T",
    attrs=f"transpose_a: bool = false, transpose_b: bool = false, T: {{{_TYPES}}}",
    shape=shape_matmul,
    kernel=kernel_matmul,
    gradient=gradient_matmul,
    reference=reference_matmul,
    samples=samples_matmul,
)


# Products in which one factor has many zeros: computed as all others


def kernel_sparse_matmul(
    xp: ArrayModule, a: Array, b: Array, *, transpose_a: bool, transpose_b: bool
) -> Array:
    return kernel_matmul(
        xp,
        a.astype(np.float32),
        b.astype(np.float32),
        transpose_a=transpose_a,
        transpose_b=transpose_b,
    )


def reference_sparse_matmul(a: Array, b: Array, *, transpose_a: bool, transpose_b: bool) -> Array:
    return reference_matmul(
        a.astype(np.float32),
        b.astype(np.float32),
        transpose_a=transpose_a,
        transpose_b=transpose_b,
    )


def gradient_sparse_matmul(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    a, b = op.inputs
    transposed_a, transposed_b = op.get_attr("transpose_a"), op.get_attr("transpose_b")
    sparse = {
        a: op.get_attr("a_is_sparse"),
        b: op.get_attr("b_is_sparse"),
        # A gradient that comes out of a relu has many zeros.
        grad: grad.op.type == "ReluGrad",
    }

    def multiply(
        x: Tensor, y: Tensor, dtype: DTypeLike, transpose_x: bool = False, transpose_y: bool = False
    ) -> Tensor:
        sparse_y = sparse[y]
        if transpose_y:
            y = build.Transpose(y, [1, 0], name="transpose")
        product = matmul(x, y, transpose_a=transpose_x, a_is_sparse=sparse[x], b_is_sparse=sparse_y)
        return product if product.dtype is dtype else build.Cast(product, DstT=dtype)

    type_a, type_b = a.dtype.base_dtype, b.dtype.base_dtype
    if not transposed_a and not transposed_b:
        return multiply(grad, b, type_a, transpose_y=True), multiply(a, grad, type_b, True)
    if not transposed_a:
        return multiply(grad, b, type_a), multiply(grad, a, type_b, True)
    if not transposed_b:
        return multiply(b, grad, type_a, transpose_y=True), multiply(a, grad, type_b)
    return multiply(b, grad, type_a, True, True), multiply(grad, a, type_b, True, True)


def samples_sparse_matmul() -> Iterator[Sample]:
    a = np.array([[1.5, 0.0, 3.0], [0.0, 5.0, 0.0]], np.float32)
    b = np.array([[1.0, 0.5], [-2.0, 4.0], [3.0, -0.75]], np.float32)
    yield Sample(a, b, a_is_sparse=True)
    yield Sample(a, b.T.copy(), transpose_b=True)


register_op(
    "SparseMatMul",
    inputs="a: Ta, b: Tb",
    outputs="product: float",
    attrs="transpose_a: bool = false, transpose_b: bool = false, a_is_sparse: bool = false, "
    "b_is_sparse: bool = false, Ta: {float, bfloat16} = float, Tb: {float, bfloat16} = float",
    shape=shape_matmul,
    kernel=kernel_sparse_matmul,
    gradient=gradient_sparse_matmul,
    reference=reference_sparse_matmul,
    samples=samples_sparse_matmul,
)


# Batches of matrices


def _adjoint(xp: ArrayModule, x: Array) -> Array:
    return xp.conj(xp.swapaxes(x, -1, -2))


def kernel_batch_matmul(xp: ArrayModule, x: Array, y: Array, *, adj_x: bool, adj_y: bool) -> Array:
    if x.ndim < 2 or y.ndim < 2:
        position = 0 if x.ndim < 2 else 1
        raise errors.InvalidArgumentError(
            None, None, f"In[{position}] ndims must be >= 2: {(x, y)[position].ndim}"
        )
    left = _adjoint(xp, x) if adj_x else x
    right = _adjoint(xp, y) if adj_y else y
    if left.shape[-1] != right.shape[-2]:
        flags = f"{int(adj_x)} {int(adj_y)}"
        raise errors.InvalidArgumentError(
            None,
            None,
            f"In[0] mismatch In[1] shape: {left.shape[-1]} vs. {right.shape[-2]}: "
            f"{shapes.show(x.shape)} {shapes.show(y.shape)} {flags}",
        )
    try:
        shapes.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    except ValueError:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"In[0] and In[1] must have compatible batch dimensions: {shapes.show(x.shape)} vs. "
            f"{shapes.show(y.shape)}",
        ) from None
    return _product(xp, left, right)


def kernel_equal_batches(xp: ArrayModule, x: Array, y: Array, *, adj_x: bool, adj_y: bool) -> Array:
    shown = f"{shapes.show(x.shape)} vs{'.' if x.ndim != y.ndim else ''} {shapes.show(y.shape)}"
    if x.ndim != y.ndim:
        fail(f"In[0] and In[1] has different ndims: {shown}")
    for i, (a, b) in enumerate(zip(x.shape[:-2], y.shape[:-2])):
        if a != b:
            fail(f"In[0].dim({i}) and In[1].dim({i}) must be the same: {shown}")
    return kernel_batch_matmul(xp, x, y, adj_x=adj_x, adj_y=adj_y)


def reference_batch_matmul(x: Array, y: Array, *, adj_x: bool, adj_y: bool) -> Array:
    left = np.conj(np.swapaxes(x, -1, -2)) if adj_x else x
    right = np.conj(np.swapaxes(y, -1, -2)) if adj_y else y
    products = left[..., :, :, None] * right[..., None, :, :]
    return products.sum(axis=-2, dtype=x.dtype)


def _inner_shapes(c: shapes.ShapeContext) -> Any:
    """The shapes of both inputs with adjoints applied, or None if a rank is unknown."""
    x, y = c.with_rank_at_least("x", 2), c.with_rank_at_least("y", 2)
    if x is None or y is None:
        return None
    if c.attr("adj_x"):
        x = (*x[:-2], x[-1], x[-2])
    if c.attr("adj_y"):
        y = (*y[:-2], y[-1], y[-2])
    c.merge_dims(x[-1], y[-2])
    return x, y


def shape_batch_matmul(c: shapes.ShapeContext) -> Shape:
    both = _inner_shapes(c)
    if both is None:
        return None
    x, y = both
    return (*(c.merge(x[:-2], y[:-2]) or ()), x[-2], y[-1])


def shape_batch_matmul_v2(c: shapes.ShapeContext) -> Shape:
    both = _inner_shapes(c)
    if both is None:
        return None
    x, y = both
    try:
        batch = shapes.broadcast_shapes(x[:-2], y[:-2])
    except ValueError as error:
        c.fail(f"Dimensions must be equal, but are {error}")
    return (*(batch or ()), x[-2], y[-1])


def gradient_batch_matmul(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    x, y = op.inputs
    adj_x, adj_y = op.get_attr("adj_x"), op.get_attr("adj_y")
    if not adj_x:
        if not adj_y:
            return (
                matmul(grad, y, adjoint_b=True),
                matmul(x, grad, adjoint_a=True),
            )
        return matmul(grad, y), matmul(grad, x, adjoint_a=True)
    if not adj_y:
        return matmul(y, grad, adjoint_b=True), matmul(x, grad)
    return (
        matmul(y, grad, adjoint_a=True, adjoint_b=True),
        matmul(grad, x, adjoint_a=True, adjoint_b=True),
    )


def gradient_batch_matmul_v2(op: Operation, grad: Tensor) -> tuple[Tensor, ...]:
    grad_x, grad_y = gradient_batch_matmul(op, grad)
    x, y = op.inputs
    if shapes_equal(x, y):
        return grad_x, grad_y
    shape_x, shape_y = shape_tensor(x), shape_tensor(y)
    axes_x, axes_y = build.BroadcastGradientArgs(shape_x[:-2], shape_y[:-2])
    return (
        build.Reshape(build.Sum(grad_x, axes_x), shape_x),
        build.Reshape(build.Sum(grad_y, axes_y), shape_y),
    )


def samples_batch_matmul() -> Iterator[Sample]:
    x = np.linspace(-1, 2, 12).reshape(2, 2, 3)
    y = np.linspace(3, -2, 12).reshape(2, 3, 2)
    yield Sample(x.astype(np.float32), y.astype(np.float32))
    yield Sample(x.swapaxes(1, 2).copy(), y, adj_x=True)
    yield Sample(x, y.swapaxes(1, 2).copy(), adj_y=True)
    yield Sample((x + 1j).astype(np.complex64), (x - 2j).astype(np.complex64), adj_y=True)


def samples_batch_matmul_v2() -> Iterator[Sample]:
    yield from samples_batch_matmul()
    x = np.linspace(-1, 2, 12).reshape(2, 1, 2, 3)
    yield Sample(x, np.linspace(3, -2, 18).reshape(3, 3, 2))
    yield Sample(x[0, 0], np.linspace(3, -2, 12).reshape(2, 3, 2))


def _register_batch_matmul(
    name: str,
    shape: Callable[..., Any],
    batch_kernel: Callable[..., Any],
    gradient: Callable[..., Any],
    samples: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs="x: T, y: T",
        outputs="output: T",
        attrs=f"T: {{{_TYPES}}}, adj_x: bool = false, adj_y: bool = false",
        shape=shape,
        kernel=batch_kernel,
        gradient=gradient,
        reference=reference_batch_matmul,
        samples=samples,
    )


_register_batch_matmul(
    "BatchMatMul",
    shape=shape_batch_matmul,
    batch_kernel=kernel_equal_batches,
    gradient=gradient_batch_matmul,
    samples=samples_batch_matmul,
)
_register_batch_matmul(
    "BatchMatMulV2",
    shape=shape_batch_matmul_v2,
    batch_kernel=kernel_batch_matmul,
    gradient=gradient_batch_matmul_v2,
    samples=samples_batch_matmul_v2,
)


@export("matmul", "linalg.matmul")
def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices, or batches of them along leading axes, which are broadcast.

    Args:
        a: a tensor of shape [..., n, k].
        b: a tensor of the same type and of shape [..., k, m].
        transpose_a: whether `a` is given as [..., k, n].
        transpose_b: whether `b` is given as [..., m, k].
        adjoint_a: whether `a` is given as its conjugate transpose.
        adjoint_b: whether `b` is given as its conjugate transpose.
        a_is_sparse: a hint that `a` has many zeros.
        b_is_sparse: a hint that `b` has many zeros.
        name: the name of the node.

    Returns:
        A tensor of shape [..., n, m].

    Raises:
        ValueError: if a matrix is both transposed and adjoint, or the shapes do not fit.

    Example:
        >>> a = tf.constant([[1, 2], [3, 4]])
        >>> print(tf.matmul(a, [[1], [1]]).eval())
        [[3]
         [7]]
    """
    with name_scope(name, "MatMul", [a, b]) as scope:
        if transpose_a and adjoint_a:
            raise ValueError("Only one of transpose_a and adjoint_a can be True.")
        if transpose_b and adjoint_b:
            raise ValueError("Only one of transpose_b and adjoint_b can be True.")
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b")
        rank_a, rank_b = a._rank(), b._rank()
        batches = (rank_a is None or rank_a > 2) or (rank_b is None or rank_b > 2)
        if batches and not a_is_sparse and not b_is_sparse:
            if transpose_a:
                a, adjoint_a = _conj(a), True
            if transpose_b:
                b, adjoint_b = _conj(b), True
            return build.BatchMatMulV2(a, b, adj_x=adjoint_a, adj_y=adjoint_b, name=scope)
        if adjoint_a:
            a, transpose_a = _conj(a), True
        if adjoint_b:
            b, transpose_b = _conj(b), True
        options: dict[str, Any] = {
            "transpose_a": transpose_a,
            "transpose_b": transpose_b,
            "name": scope,
        }
        small = (dtypes.bfloat16, dtypes.float32)
        types = a.dtype.base_dtype, b.dtype.base_dtype
        mixed = dtypes.bfloat16 in types and types[0] is not types[1]
        if (a_is_sparse or b_is_sparse or mixed) and types[0] in small and types[1] in small:
            return build.SparseMatMul(
                a, b, a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse, **options
            )
        return build.MatMul(a, b, **options)


def _conj(x: Tensor) -> Tensor:
    return build.Conj(x) if x.dtype.is_complex else x


@export("sparse_matmul")
def sparse_matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies two matrices, of which one or both have many zeros.

    Args:
        a: a matrix of type float32 or bfloat16.
        b: a matrix of type float32 or bfloat16.
        transpose_a: whether `a` is given transposed.
        transpose_b: whether `b` is given transposed.
        a_is_sparse: a hint that `a` has many zeros.
        b_is_sparse: a hint that `b` has many zeros.
        name: the name of the node.

    Returns:
        A float32 matrix.
    """
    return build.SparseMatMul(
        a,
        b,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
        name=name,
    )


@export("batch_matmul")
def batch_matmul(
    x: TensorLike, y: TensorLike, adj_x: bool = False, adj_y: bool = False, name: str | None = None
) -> Tensor:
    """Multiplies batches of matrices; the older form of `tf.matmul`.

    Args:
        x: a tensor of shape [..., n, k].
        y: a tensor of the same type and of shape [..., k, m].
        adj_x: whether `x` is given as its conjugate transpose.
        adj_y: whether `y` is given as its conjugate transpose.
        name: the name of the node.

    Returns:
        A tensor of shape [..., n, m].
    """
    return build.BatchMatMul(x, y, adj_x=bool(adj_x), adj_y=bool(adj_y), name=name)


@export("linalg.matvec")
def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiplies matrices by vectors.

    Args:
        a: a tensor of shape [..., n, k].
        b: a tensor of the same type and of shape [..., k].
        transpose_a: whether `a` is given as [..., k, n].
        adjoint_a: whether `a` is given as its conjugate transpose.
        a_is_sparse: a hint that `a` has many zeros.
        b_is_sparse: a hint that `b` has many zeros.
        name: the name scope.

    Returns:
        A tensor of shape [..., n].
    """
    with name_scope(name, "MatVec", [a, b]):
        product = matmul(
            a,
            build.ExpandDims(b, -1),
            transpose_a=transpose_a,
            adjoint_a=adjoint_a,
            a_is_sparse=a_is_sparse,
            b_is_sparse=b_is_sparse,
        )
        return build.Squeeze(product, squeeze_dims=[-1])


override_binary("matmul", lambda x, y, name: matmul(x, y, name=name))

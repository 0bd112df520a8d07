"""Special functions: error functions, gamma functions, zeta, incomplete beta, Bessel."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.lazy import lax, scipy_special
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import (
    Operation,
    RunsOn,
    Sample,
    Tensor,
    build,
    constant_node,
    control_dependencies,
    convert_to_tensor,
    export,
    name_scope,
    register_op,
    shape_tensor,
    shapes,
    zeros_like,
)
from headwater.ops.math.elementwise import (
    FLOATS,
    also_of_sparse,
    fail_if_incompatible,
    unary_samples,
)


def _conj(x: Tensor) -> Tensor:
    return build.Conj(x) if x.dtype.is_complex else x


def _kernel(host_name: str, traced_name: str) -> Callable[..., Any]:
    """A kernel that is SciPy's function on the host and XLA's in a compiled program."""

    def kernel(xp: ArrayModule, *inputs: Any) -> Array:
        if xp is np:
            return _on_host(getattr(scipy_special, host_name), *inputs)
        try:
            return getattr(lax, traced_name)(*xp.broadcast_arrays(*inputs))
        except ValueError:
            fail_if_incompatible(*inputs[:2])
            raise

    return kernel


def _edged(kernel: Callable[..., Any], edge: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel with TensorFlow's values at the edges of the domain.

    `edge(xp, value, *inputs)` returns the corrected value.
    """

    def edged(xp: ArrayModule, *inputs: Any) -> Array:
        value = kernel(xp, *inputs)
        with np.errstate(invalid="ignore"):
            return edge(xp, value, *inputs)

    return edged


def _no_number(xp: ArrayModule, where: Array, value: Array) -> Array:
    return xp.where(where, value.dtype.type(np.nan), value)


def _edge_igamma(xp: ArrayModule, value: Array, a: Array, x: Array) -> Array:
    value = _no_number(xp, (a <= 0) | xp.isinf(a) | (x < 0), value)
    return xp.where((x == 0) & (a == a), value.dtype.type(0), value)


def _edge_igammac(xp: ArrayModule, value: Array, a: Array, x: Array) -> Array:
    return _no_number(xp, (a <= 0) | xp.isinf(a) | (x < 0), value)


def _edge_igamma_grad_a(xp: ArrayModule, value: Array, a: Array, x: Array) -> Array:
    return xp.where((x == 0) & (a == a), value.dtype.type(0), value)


def _edge_zeta(xp: ArrayModule, value: Array, x: Array, q: Array) -> Array:
    return _no_number(xp, q == np.inf, value)


def _edge_betainc(xp: ArrayModule, value: Array, a: Array, b: Array, x: Array) -> Array:
    return _no_number(xp, (a <= 0) | (b <= 0) | xp.isinf(a) | xp.isinf(b), value)


def _edge_lgamma(xp: ArrayModule, value: Array, x: Array) -> Array:
    return xp.where(xp.isinf(x), value.dtype.type(np.inf), value)


def _edge_digamma(xp: ArrayModule, value: Array, x: Array) -> Array:
    # The poles are at 0 and the negative integers; all large floats are integers.
    return xp.where((x <= 0) & (x == xp.floor(x)), value.dtype.type(np.inf), value)


def _edge_polygamma(xp: ArrayModule, value: Array, a: Array, x: Array) -> Array:
    value = _no_number(xp, (x == np.inf) & (a != 0), value)
    pole = (a == 0) & (x <= 0) & (x == xp.floor(x))
    return xp.where(pole, value.dtype.type(np.inf), value)


_EDGES = {"gammaln": _edge_lgamma, "psi": _edge_digamma}


def _betainc_kernel(xp: ArrayModule, a: Array, b: Array, x: Array) -> Array:
    named = [(name, v) for name, v in zip("abx", (a, b, x)) if v.ndim]
    for (first, u), (second, v) in itertools.combinations(named, 2):
        if u.shape != v.shape:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Shapes of {first} and {second} are inconsistent: "
                f"{shapes.show(u.shape)} vs. {shapes.show(v.shape)}",
            )
    return _edged(_kernel("betainc", "betainc"), _edge_betainc)(xp, a, b, x)


def _on_host(function: Callable[..., Any], *inputs: Any) -> Array:
    dtype = inputs[0].dtype
    if dtype.itemsize < 4:
        inputs = tuple(x.astype(np.float32) for x in inputs)
    try:
        return np.asarray(function(*inputs), dtype)
    except ValueError:
        fail_if_incompatible(*inputs[:2])
        raise


def _host_polygamma(order: Array, x: Array) -> Array:
    factor = np.where(order % 2 == 0, -1.0, 1.0) * scipy_special.gamma(order + 1.0)
    value = np.where(order == 0, scipy_special.psi(x), factor * scipy_special.zeta(order + 1.0, x))
    return np.where(order == np.floor(order), value, np.nan)


def kernel_polygamma(xp: ArrayModule, a: Array, x: Array) -> Array:
    if xp is np:
        return _on_host(_host_polygamma, a, x)
    return _traced_polygamma(xp, a, x)


def _traced_polygamma(xp: ArrayModule, a: Array, x: Array) -> Array:
    a, x = xp.broadcast_arrays(a, x)
    return lax.polygamma(a, x)


def kernel_igamma_grad_a(xp: ArrayModule, a: Array, x: Array) -> Array:
    return lax.igamma_grad_a(*xp.broadcast_arrays(a, x))


def shape_betainc(c: shapes.ShapeContext) -> Shape:
    """The inputs have one shape; scalars are repeated."""
    result: Any = ()
    for shape in c.shapes:
        if shape is None:
            result = None if result == () else result
        elif shape != ():
            result = shape if result in ((), None) else c.merge(result, shape)
    return result if all(s is not None for s in c.shapes) or result else None


# Gradients


def _reduced(op: Operation, grad: Tensor, partials: Callable[[], list[Tensor | None]]) -> list[Any]:
    """The gradients of two broadcast inputs from the partial derivatives by them."""
    wholes = [shape_tensor(x) for x in op.inputs]
    axes = build.BroadcastGradientArgs(*wholes)
    with control_dependencies([grad]):
        found = partials()
    return [
        None if p is None else build.Reshape(build.Sum(p * grad, a), whole)
        for p, a, whole in zip(found, axes, wholes)
    ]


def gradient_igamma(op: Operation, grad: Tensor) -> list[Tensor]:
    a, x = op.inputs

    def partials() -> list[Tensor | None]:
        by_a = build.IgammaGradA(a, x)
        return [by_a, build.Exp(-x + (a - 1) * build.Log(x) - build.Lgamma(a))]

    return _reduced(op, grad, partials)


def gradient_igammac(op: Operation, grad: Tensor) -> tuple[Tensor, Tensor]:
    by_a, by_x = gradient_igamma(op, grad)
    return -by_a, -by_x


def gradient_zeta(op: Operation, grad: Tensor) -> list[Tensor | None]:
    x, q = op.inputs
    return _reduced(op, grad, lambda: [None, -x * build.Zeta(x + 1, q)])


def gradient_polygamma(op: Operation, grad: Tensor) -> list[Tensor | None]:
    n, x = op.inputs
    return _reduced(op, grad, lambda: [None, build.Polygamma(n + 1, x)])


def gradient_betainc(op: Operation, grad: Tensor) -> tuple[Any, Any, Tensor]:
    a, b, x = op.inputs
    shape_a, shape_x = shape_tensor(a), shape_tensor(x)
    _, axes_x = build.BroadcastGradientArgs(shape_a, shape_x)
    log_beta = build.Lgamma(a) + build.Lgamma(b) - build.Lgamma(a + b)
    slope = build.Exp((b - 1) * build.Log(1 - x) + (a - 1) * build.Log(x) - log_beta)
    return None, None, build.Reshape(build.Sum(slope * grad, axes_x), shape_x)


def gradient_lgamma(op: Operation, grad: Tensor) -> Tensor:
    with control_dependencies([grad]):
        return grad * build.Digamma(op.inputs[0])


def gradient_digamma(op: Operation, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    with control_dependencies([grad]):
        return grad * build.Polygamma(constant_node(1, x.dtype.base_dtype), x)


def _gradient_erf(op: Operation, grad: Tensor, sign: float) -> Tensor:
    factor = constant_node(sign * 2 / np.sqrt(np.pi), grad.dtype.base_dtype)
    with control_dependencies([grad]):
        return grad * factor * build.Exp(-build.Square(op.inputs[0]))


def gradient_erf(op: Operation, grad: Tensor) -> Tensor:
    return _gradient_erf(op, grad, 1.0)


def gradient_erfc(op: Operation, grad: Tensor) -> Tensor:
    return _gradient_erf(op, grad, -1.0)


def gradient_bessel_i0e(op: Operation, grad: Tensor) -> Tensor:
    x, y = op.inputs[0], op.outputs[0]
    with control_dependencies([grad]):
        return grad * (build.BesselI1e(x) - build.Sign(x) * y)


def gradient_bessel_i1e(op: Operation, grad: Tensor) -> Tensor:
    x, y = op.inputs[0], op.outputs[0]
    with control_dependencies([grad]):
        # The quotient y / x is 1/2 at 0.
        zeros = zeros_like(x)
        epsilon = np.finfo(x.dtype.as_numpy_dtype).eps
        away = build.Abs(x) > epsilon
        safe = build.Select(away, x, epsilon + zeros)
        slope = build.BesselI0e(safe) - y * (build.Sign(safe) + build.Reciprocal(safe))
        return grad * build.Select(away, slope, 0.5 + zeros)


# Registration


def _reference(name: str) -> Callable[..., Any]:
    def reference(*inputs: Any) -> Array:
        wide = [x.astype(np.float64) for x in inputs]
        return getattr(scipy_special, name)(*wide).astype(inputs[0].dtype)

    return reference


def reference_polygamma(a: Array, x: Array) -> Array:
    return np.vectorize(lambda n, v: float(scipy_special.polygamma(int(n), v)))(a, x).astype(
        x.dtype
    )


def reference_igamma_grad_a(a: Array, x: Array) -> Array:
    a, x = a.astype(np.float64), x.astype(np.float64)
    step = 1e-5
    rise = scipy_special.gammainc(a + step, x) - scipy_special.gammainc(a - step, x)
    return (rise / (2 * step)).astype(np.float64)


def samples_gamma() -> Iterator[Sample]:
    a = np.array([[0.5, 1.5, 2.5], [4.0, 3.0, 0.75]])
    x = np.array([2.0, 1.25, 0.5])
    yield Sample(a, x)
    yield Sample(a.astype(np.float32), x.astype(np.float32), gradient=(1,))


def samples_gamma_grad() -> Iterator[Sample]:
    a = np.array([[0.5, 1.5, 2.5], [4.0, 3.0, 0.75]])
    yield Sample(a, np.array([2.0, 1.25, 0.5]), gradient=(), rtol=1e-5, atol=1e-7)


def samples_zeta() -> Iterator[Sample]:
    x = np.array([[1.5, 2.5], [4.0, 3.0]])
    yield Sample(x, np.array([2.0, 0.75]), gradient=(1,))
    yield Sample(x.astype(np.float32), np.float32(1.5), gradient=(1,))


def samples_polygamma() -> Iterator[Sample]:
    yield Sample(np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([2.0, 0.75]), gradient=(1,))
    yield Sample(np.float32(1), np.array([1.5, 3.0], np.float32), gradient=(1,))


def samples_betainc() -> Iterator[Sample]:
    a, b = np.array([0.5, 2.0, 4.0]), np.array([1.5, 3.0, 0.75])
    yield Sample(a, b, np.array([0.2, 0.5, 0.9]), gradient=(2,))
    yield Sample(
        a.astype(np.float32),
        b.astype(np.float32),
        np.array([0.2, 0.5, 0.9], np.float32),
        gradient=(2,),
    )


def _register_special(
    name: str, host: str, traced: str, gradient: Callable[..., Any], low: float, high: float
) -> None:
    register_op(
        name,
        inputs="x: T",
        outputs="y: T",
        attrs=f"T: {{{FLOATS}}}",
        shape=shapes.like_first,
        kernel=_edged(_kernel(host, traced), _EDGES[host])
        if host in _EDGES
        else _kernel(host, traced),
        gradient=gradient,
        reference=_reference(host),
        samples=unary_samples(low, high),
    )


_register_special("Erf", host="erf", traced="erf", gradient=gradient_erf, low=-2, high=1.5)
_register_special("Erfc", host="erfc", traced="erfc", gradient=gradient_erfc, low=-2, high=1.5)
_register_special(
    "Lgamma", host="gammaln", traced="lgamma", gradient=gradient_lgamma, low=0.3, high=6
)
_register_special(
    "Digamma", host="psi", traced="digamma", gradient=gradient_digamma, low=0.3, high=6
)
_register_special(
    "BesselI0e", host="i0e", traced="bessel_i0e", gradient=gradient_bessel_i0e, low=-3, high=5.2
)
_register_special(
    "BesselI1e", host="i1e", traced="bessel_i1e", gradient=gradient_bessel_i1e, low=-3, high=5.2
)


def _register_special_of_two(
    name: str,
    inputs: str,
    two_kernel: Callable[..., Any],
    gradient: Callable[..., Any],
    reference_kernel: Callable[..., Any],
    samples: Callable[..., Any],
) -> None:
    register_op(
        name,
        inputs=inputs,
        outputs="z: T",
        attrs="T: {float, double}",
        shape=shapes.broadcast,
        kernel=two_kernel,
        gradient=gradient,
        reference=reference_kernel,
        samples=samples,
    )


_register_special_of_two(
    "Igamma",
    inputs="a: T, x: T",
    two_kernel=_edged(_kernel("gammainc", "igamma"), _edge_igamma),
    gradient=gradient_igamma,
    reference_kernel=_reference("gammainc"),
    samples=samples_gamma,
)
_register_special_of_two(
    "Igammac",
    inputs="a: T, x: T",
    two_kernel=_edged(_kernel("gammaincc", "igammac"), _edge_igammac),
    gradient=gradient_igammac,
    reference_kernel=_reference("gammaincc"),
    samples=samples_gamma,
)
_register_special_of_two(
    "Zeta",
    inputs="x: T, q: T",
    two_kernel=_edged(_kernel("zeta", "zeta"), _edge_zeta),
    gradient=gradient_zeta,
    reference_kernel=_reference("zeta"),
    samples=samples_zeta,
)
_register_special_of_two(
    "Polygamma",
    inputs="a: T, x: T",
    two_kernel=_edged(kernel_polygamma, _edge_polygamma),
    gradient=gradient_polygamma,
    reference_kernel=reference_polygamma,
    samples=samples_polygamma,
)
register_op(
    "IgammaGradA",
    inputs="a: T, x: T",
    outputs="z: T",
    attrs="T: {float, double}",
    shape=shapes.broadcast,
    kernel=_edged(kernel_igamma_grad_a, _edge_igamma_grad_a),
    reference=reference_igamma_grad_a,
    samples=samples_gamma_grad,
    runs_on=RunsOn.XLA,
)
register_op(
    "Betainc",
    inputs="a: T, b: T, x: T",
    outputs="z: T",
    attrs="T: {float, double}",
    shape=shape_betainc,
    kernel=_betainc_kernel,
    gradient=gradient_betainc,
    reference=_reference("betainc"),
    samples=samples_betainc,
)


@export("erf", "math.erf")
@also_of_sparse
def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the Gauss error function.

    Args:
        x: a tensor or SparseTensor.
        name: the name of the node.

    Returns:
        What `x` is, of the same shape.
    """
    return build.Erf(x, name=name)


@export("erfc", "math.erfc")
def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns 1 - erf(x), accurate for large x.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Erfc(x, name=name)


@export("lgamma", "math.lgamma")
def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns log |gamma(x)|.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Lgamma(x, name=name)


@export("digamma", "math.digamma")
def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the derivative of `tf.lgamma`.

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Digamma(x, name=name)


@export("math.bessel_i0e")
def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the Bessel function i0(x) times exp(-|x|).

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.BesselI0e(x, name=name)


@export("math.bessel_i1e")
def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the Bessel function i1(x) times exp(-|x|).

    Args:
        x: a tensor.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.BesselI1e(x, name=name)


def _bessel(op_type: str, x: TensorLike, name: str | None, default: str) -> Tensor:
    with name_scope(name, default, [x]):
        x = convert_to_tensor(x)
        return build.Exp(build.Abs(x)) * getattr(build, op_type)(x)


@export("math.bessel_i0")
def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the modified Bessel function of the first kind of order 0.

    Args:
        x: a tensor of floating-point numbers.
        name: the name scope.

    Returns:
        A tensor of the same shape.
    """
    return _bessel("BesselI0e", x, name, "bessel_i0")


@export("math.bessel_i1")
def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the modified Bessel function of the first kind of order 1.

    Args:
        x: a tensor of floating-point numbers.
        name: the name scope.

    Returns:
        A tensor of the same shape.
    """
    return _bessel("BesselI1e", x, name, "bessel_i1")


@export("igamma", "math.igamma")
def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the lower regularized incomplete gamma function P(a, x).

    Args:
        a: a tensor of type float32 or float64.
        x: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.Igamma(a, x, name=name)


@export("igammac", "math.igammac")
def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the upper regularized incomplete gamma function Q(a, x) = 1 - P(a, x).

    Args:
        a: a tensor of type float32 or float64.
        x: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.Igammac(a, x, name=name)


@export("zeta", "math.zeta")
def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """Returns the Hurwitz zeta function: the sum over n >= 0 of (q + n) to the power -x.

    Args:
        x: a tensor of type float32 or float64.
        q: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.Zeta(x, q, name=name)


@export("polygamma", "math.polygamma")
def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the derivatives of order `a` of `tf.digamma`.

    Args:
        a: a tensor of type float32 or float64 that holds whole numbers.
        x: a tensor of the same type.
        name: the name of the node.

    Returns:
        A tensor of the broadcast shape.
    """
    return build.Polygamma(a, x, name=name)


@export("betainc", "math.betainc")
def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Returns the regularized incomplete beta function I_x(a, b).

    Args:
        a: a tensor of type float32 or float64.
        b: a tensor of the same type and shape.
        x: a tensor of the same type and shape.
        name: the name of the node.

    Returns:
        A tensor of the same shape.
    """
    return build.Betainc(a, b, x, name=name)


@export("lbeta", "math.lbeta")
def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """Returns log |beta(x)| over the last axis: the sum of lgamma(x) minus lgamma of the sum.

    Args:
        x: a tensor of shape [..., n].
        name: the name scope.

    Returns:
        A tensor of shape [...].
    """
    with name_scope(name, "lbeta", [x]):
        x = convert_to_tensor(x, name="x")
        parts = build.Sum(build.Lgamma(x), [-1])
        return parts - build.Lgamma(build.Sum(x, [-1]))

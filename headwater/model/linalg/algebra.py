"""How the adjoint, inverse, root or product of linear operators is made, by their classes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from headwater.graph import name_scope

Registry = dict[tuple[type, ...], Callable[..., Any]]
_ADJOINTS: Registry = {}
_CHOLESKY_ROOTS: Registry = {}
_INVERSES: Registry = {}
_PRODUCTS: Registry = {}
_SOLUTIONS: Registry = {}


def _registered_function(classes: list[type], registry: Registry) -> Callable[..., Any] | None:
    """Returns the function of the nearest base classes, or None."""
    lines = [enumerate(cls.__mro__) for cls in classes]
    candidates = sorted(
        itertools.product(*lines), key=lambda steps: sum(distance for distance, _ in steps)
    )
    for steps in candidates:
        function = registry.get(tuple(cls for _, cls in steps))
        if function is not None:
            return function
    return None


def _registered_adjoint(type_a: type) -> Callable[..., Any] | None:
    return _registered_function([type_a], _ADJOINTS)


def _registered_cholesky(type_a: type) -> Callable[..., Any] | None:
    return _registered_function([type_a], _CHOLESKY_ROOTS)


def _registered_inverse(type_a: type) -> Callable[..., Any] | None:
    return _registered_function([type_a], _INVERSES)


def _registered_matmul(type_a: type, type_b: type) -> Callable[..., Any] | None:
    return _registered_function([type_a, type_b], _PRODUCTS)


def _registered_solve(type_a: type, type_b: type) -> Callable[..., Any] | None:
    return _registered_function([type_a, type_b], _SOLUTIONS)


def _apply(
    function: Callable[..., Any] | None, what: str, operators: tuple[Any, ...], name: str | None
):
    if function is None:
        classes = " and ".join(type(op).__name__ for op in operators)
        raise ValueError(f"No {what} registered for {classes}")
    with name_scope(name, what, [parent for op in operators for parent in op.graph_parents]):
        return function(*operators)


def adjoint(lin_op_a: Any, name: str | None = None) -> Any:
    """Returns the operator of the conjugate transpose.

    Raises:
        ValueError: if nothing is registered for the class.
    """
    return _apply(_registered_adjoint(type(lin_op_a)), "Adjoint", (lin_op_a,), name)


def cholesky(lin_op_a: Any, name: str | None = None) -> Any:
    """Returns the operator of the Cholesky root.

    Raises:
        ValueError: if nothing is registered for the class.
    """
    return _apply(_registered_cholesky(type(lin_op_a)), "Cholesky", (lin_op_a,), name)


def inverse(lin_op_a: Any, name: str | None = None) -> Any:
    """Returns the operator of the inverse.

    Raises:
        ValueError: if nothing is registered for the class.
    """
    return _apply(_registered_inverse(type(lin_op_a)), "Inverse", (lin_op_a,), name)


def matmul(lin_op_a: Any, lin_op_b: Any, name: str | None = None) -> Any:
    """Returns the operator of the product of two operators.

    Raises:
        ValueError: if nothing is registered for the classes.
    """
    function = _registered_matmul(type(lin_op_a), type(lin_op_b))
    return _apply(function, "Matmul", (lin_op_a, lin_op_b), name)


def solve(lin_op_a: Any, lin_op_b: Any, name: str | None = None) -> Any:
    """Returns the operator X with ``a @ X == b`` for two operators.

    Raises:
        ValueError: if nothing is registered for the classes.
    """
    function = _registered_solve(type(lin_op_a), type(lin_op_b))
    return _apply(function, "Solve", (lin_op_a, lin_op_b), name)


class _Register:
    """Decorator that registers a function for classes of operators."""

    _registry: Registry
    _what: str

    def __init__(self, *classes: type) -> None:
        self._key = classes

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(function):
            raise TypeError(f"{self._what}_fn must be callable, received: {function}")
        if self._key in self._registry:
            names = " and ".join(cls.__name__ for cls in self._key)
            raise ValueError(f"{self._what.title()}({names}) has already been registered.")
        self._registry[self._key] = function
        return function


class RegisterAdjoint(_Register):
    """Decorator that registers how the adjoint of a class of operators is made."""

    _registry, _what = _ADJOINTS, "adjoint"

    def __init__(self, lin_op_cls_a: type) -> None:
        super().__init__(lin_op_cls_a)


class RegisterCholesky(_Register):
    """Decorator that registers how the Cholesky root of a class of operators is made."""

    _registry, _what = _CHOLESKY_ROOTS, "cholesky"

    def __init__(self, lin_op_cls_a: type) -> None:
        super().__init__(lin_op_cls_a)


class RegisterInverse(_Register):
    """Decorator that registers how the inverse of a class of operators is made."""

    _registry, _what = _INVERSES, "inverse"

    def __init__(self, lin_op_cls_a: type) -> None:
        super().__init__(lin_op_cls_a)


class RegisterMatmul(_Register):
    """Decorator that registers how the product of two classes of operators is made."""

    _registry, _what = _PRODUCTS, "matmul"

    def __init__(self, lin_op_cls_a: type, lin_op_cls_b: type) -> None:
        super().__init__(lin_op_cls_a, lin_op_cls_b)


class RegisterSolve(_Register):
    """Decorator that registers how a system of two classes of operators is solved."""

    _registry, _what = _SOLUTIONS, "solve"

    def __init__(self, lin_op_cls_a: type, lin_op_cls_b: type) -> None:
        super().__init__(lin_op_cls_a, lin_op_cls_b)

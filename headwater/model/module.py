"""`tf.Module`: a named object that finds its variables and the modules inside."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any

from headwater.base import nest
from headwater.base.export import export
from headwater.graph import name_scope
from headwater.model.layers.names import snake_case
from headwater.model.trackable.auto import AutoTrackable
from headwater.model.variables.variable import Variable

_IDENTIFIER = re.compile(r"^[a-zA-Z_]([a-zA-Z0-9_])*$")


@export("Module")
class Module(AutoTrackable):
    """A named object whose variables and modules are found among its attributes.

    Args:
        name: the name, a Python identifier; that of the class in snake case by default.

    Raises:
        ValueError: if the name is not an identifier.

    Example:
        >>> class Scale(tf.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = tf.Variable(2.0, name="factor")
        >>> print([v.name for v in Scale().variables])
        ['factor:0']
    """

    # Attributes that are not searched for variables.
    _TF_MODULE_IGNORED_PROPERTIES = frozenset(
        ("_self_unconditional_checkpoint_dependencies", "_self_unconditional_dependency_names")
    )

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = snake_case(type(self).__name__)
        if not _IDENTIFIER.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """The name scope of the module, to enter in a with block."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> Sequence[Any]:
        """The variables of the module and of those inside."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self) -> Sequence[Any]:
        """The trainable ones of `variables`."""
        return tuple(self._flatten(predicate=_is_trainable_variable))

    @property
    def submodules(self) -> tuple[Any, ...]:
        """The modules inside, at any depth."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[Any], Any] | None = None,
        with_path: bool = False,
    ) -> Iterator[Any]:
        """Finds attributes, and elements of structures that are attributes.

        Args:
            recursive: whether modules inside are searched.
            predicate: which values are found; all if None.
            attribute_traversal_key: a function of an item (name, value) that orders attributes; by
                name if None.
            with_path: whether pairs (path, value) are found.
        """
        if predicate is None:

            def predicate(_: Any) -> bool:
                return True

        return _found_in(
            self, recursive, predicate, attribute_traversal_key, with_path, (), {id(self)}
        )

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Makes a method that runs in the name scope of its module.

        Args:
            method: a method of a Module.

        Returns:
            The method.
        """

        @wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable)


def _is_trainable_variable(value: Any) -> bool:
    return _is_variable(value) and value.trainable


def _is_module(value: Any) -> bool:
    return isinstance(value, Module)


def _found_in(
    module: Module,
    recursive: bool,
    predicate: Callable[[Any], bool],
    traversal_key: Callable[[Any], Any] | None,
    with_path: bool,
    module_path: tuple[Any, ...],
    seen: set[int],
) -> Iterator[Any]:
    inside: list[tuple[tuple[Any, ...], Module]] = []
    attributes = vars(module)
    for name in sorted(attributes, key=traversal_key):
        if name in module._TF_MODULE_IGNORED_PROPERTIES:
            continue
        try:
            leaves = nest.flatten_with_tuple_paths(attributes[name])
        except TypeError:
            # Keys of a dict that cannot be sorted.
            leaves = []
        for leaf_path, leaf in leaves:
            path = (*module_path, name, *leaf_path)
            if id(leaf) in seen:
                continue
            seen.add(id(leaf))
            if predicate(leaf):
                yield (path, leaf) if with_path else leaf
            if recursive and isinstance(leaf, Module):
                inside.append((path, leaf))
    for path, submodule in inside:
        yield from _found_in(submodule, recursive, predicate, traversal_key, with_path, path, seen)

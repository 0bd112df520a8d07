"""Templates: functions that make their variables in the first call and share them afterwards."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.base.typing import NestedTensors
from headwater.graph import get_default_graph
from headwater.graph import traceback as graph_traceback
from headwater.graph.graph_keys import GraphKeys
from headwater.model.trackable.base import Trackable
from headwater.model.variables.dependencies import capture_dependencies
from headwater.model.variables.variable_scope import (
    VariableScope,
    pure_variable_scope,
    unique_scope_name,
    variable_scope,
)


@export("make_template", "contrib.eager.make_template")
def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> Template:
    """Wraps a function so that all calls share the variables that it gets by `get_variable`.

    Args:
        name_: the name of the variable scope, made unique.
        func_: the function.
        create_scope_now_: whether the scope is made now and not in the first call.
        unique_name_: the name of the scope as it is.
        custom_getter_: a getter for the variables; see `variable_scope`.
        **kwargs: keyword arguments for every call.

    Returns:
        A callable Template.

    Raises:
        ValueError: if `name_` is None.
    """
    if kwargs:
        func_ = partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)


class Template(Trackable):
    """A function with variables of its own; see `make_template` for the arguments."""

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Callable[..., Any] | None = None,
    ) -> None:
        if name is None:
            raise ValueError("name cannot be None.")
        self._func = func
        self._name = name
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._stack = graph_traceback.capture(0)
        self._variable_scope: VariableScope | None = None
        self._variables_created = False
        if create_scope_now:
            given = unique_name or unique_scope_name(name)
            with pure_variable_scope(given, custom_getter=custom_getter) as scope:
                self._variable_scope = scope

    def __call__(self, *args: Any, **kwargs: Any) -> NestedTensors:
        """Calls the function in the template's variable scope."""
        if self._variable_scope is not None:
            # The first call makes the variables unless an outer scope forbids it.
            reuse = self._variables_created or None
            with variable_scope(self._variable_scope, reuse=reuse):
                return self._call(args, kwargs)
        scope = variable_scope(self._unique_name, self._name, custom_getter=self._custom_getter)
        with scope as self._variable_scope:
            return self._call(args, kwargs)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NestedTensors:
        graph = get_default_graph()
        trainable = graph.get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
        known, known_trainable = (
            len(graph.get_collection(GraphKeys.GLOBAL_VARIABLES)),
            len(trainable),
        )
        try:
            with capture_dependencies(self):
                result = self._func(*args, **kwargs)
            if self._variables_created:
                if len(trainable) > known_trainable:
                    raise ValueError(
                        "Trainable variable created when calling a template after the first "
                        "time, perhaps you used tf.Variable when you meant tf.get_variable: "
                        f"{trainable[known_trainable:]}"
                    )
                if known != len(graph.get_collection(GraphKeys.GLOBAL_VARIABLES)):
                    logging.info(
                        "New local variable created when calling a template after the first time, "
                        "perhaps you used tf.Variable when you meant tf.get_variable."
                    )
            self._variables_created = True
            return result
        except Exception as error:
            text = error.args[0] if error.args else ""
            error.args = (f"{text}\n\noriginally defined at:\n{self._origin()}", *error.args[1:])
            raise

    def _origin(self) -> str:
        frames = reversed(graph_traceback.user_lines(self._stack)[:5])
        return "".join(
            f'  File "{file}", line {line}, in {function}\n    {text}\n'
            for file, line, function, text in frames
        )

    @property
    def name(self) -> str:
        """The given name."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function."""
        return self._func

    @property
    def variable_scope(self) -> VariableScope | None:
        """The variable scope, or None before it is made."""
        return self._variable_scope

    @property
    def var_scope(self) -> VariableScope | None:
        """Older name of `variable_scope`."""
        return self._variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The prefix of the variables' names, with a slash, or None before it is made."""
        if self._variable_scope is None:
            return None
        name = self._variable_scope.name
        return name if not name or name.endswith("/") else name + "/"

    def _collection(self, key: str) -> list[Any]:
        if self._variable_scope is None:
            return []
        return get_default_graph().get_collection(key, self.variable_scope_name)

    @property
    def variables(self) -> list[Any]:
        """The global and local variables of the template."""
        return self.global_variables + self.local_variables

    @property
    def global_variables(self) -> list[Any]:
        """The global variables of the template."""
        return self._collection(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Any]:
        """The local variables of the template."""
        return self._collection(GraphKeys.LOCAL_VARIABLES)

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable variables of the template."""
        return self._collection(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The variables of the template that are not trainable."""
        trainable = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trainable]

    @property
    def weights(self) -> list[Any]:
        """The global and local variables of the template."""
        return self.variables

    @property
    def trainable_weights(self) -> list[Any]:
        """The trainable variables of the template."""
        return self.trainable_variables

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables of the template that are not trainable."""
        return self.non_trainable_variables

"""Which kind of variable `tf.Variable` makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.model.variables.ref_variable import RefVariable
from headwater.model.variables.resource_variable import ResourceVariable
from headwater.model.variables.variable_creation import set_default_creator
from headwater.model.variables.variable_scope import get_variable_scope

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable

_default = {"resource": False}


@export("enable_resource_variables")
def enable_resource_variables() -> None:
    """Makes resource variables the default kind."""
    _default["resource"] = True


@export("disable_resource_variables")
def disable_resource_variables() -> None:
    """Makes reference variables the default kind again."""
    _default["resource"] = False


@export("resource_variables_enabled")
def resource_variables_enabled() -> bool:
    """Whether resource variables are the default kind."""
    return _default["resource"]


def make_variable(
    use_resource: bool | None = None, trackable_parent: Any = None, **kwargs: Any
) -> Variable:
    """Makes a variable of the kind that is asked for, by itself, its scope, or the default.

    Args:
        use_resource: the kind; None to let the scope decide.
        trackable_parent: ignored; creators tell each other what tracks the variable.
        **kwargs: the arguments of the variable.
    """
    if use_resource is None:
        use_resource = get_variable_scope().use_resource
    if use_resource is None:
        use_resource = _default["resource"]
    return (ResourceVariable if use_resource else RefVariable)(**kwargs)


set_default_creator(make_variable)

"""The public names of layers, and functions that make one and apply it: tf.layers.conv2d."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from headwater.base.export import export
from headwater.graph import Tensor

_Parameter = inspect.Parameter


def export_layer(name: str) -> Callable[[Any], Any]:
    """Exports a class of layers that differs from its base by class attributes only.

    Its documentation is its own first line and the arguments of its base.

    Args:
        name: the name below tf.layers.

    Returns:
        A decorator of the class.
    """

    def decorator(layer_class: Any) -> Any:
        arguments = (inspect.getdoc(layer_class.__base__) or "").partition("Args:\n")[2]
        layer_class.__doc__ = f"{layer_class.__doc__}\n\nArgs:\n{arguments}\n"
        return export(f"layers.{name}")(layer_class)

    return decorator


def export_function(layer_class: Any, name: str, summary: str) -> Callable[..., Tensor]:
    """Makes the function that applies a new layer, and exports it as tf.layers.<name>.

    Its arguments are the inputs, those of the layer's class, and `reuse` if there are variables.

    Args:
        layer_class: the class of the layer.
        name: the name of the function.
        summary: the first line of its documentation.

    Returns:
        The function.
    """
    inner = list(inspect.signature(layer_class).parameters.values())
    parameters = [_Parameter("inputs", _Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [item for item in inner if item.kind is not _Parameter.VAR_KEYWORD]
    has_variables = "trainable" in (item.name for item in inner)
    if has_variables:
        parameters.append(_Parameter("reuse", _Parameter.POSITIONAL_OR_KEYWORD, default=None))
    signature = inspect.Signature(parameters)

    def function(*args: Any, **kwargs: Any) -> Tensor:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        arguments = dict(bound.arguments)
        inputs = arguments.pop("inputs")
        if has_variables:
            arguments["_reuse"] = arguments.pop("reuse", None)
            arguments["_scope"] = arguments.get("name")
        return layer_class(**arguments).apply(inputs)

    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature  # type: ignore[attr-defined]
    described = inspect.getdoc(layer_class) or ""
    arguments_text = described.partition("Args:\n")[2].partition("    **kwargs")[0]
    reuse_text = (
        "    reuse: whether the variables of a layer of this name are used again.\n"
        if has_variables
        else ""
    )
    function.__doc__ = (
        f"{summary}; see {layer_class.__name__}.\n\nArgs:\n    inputs: a tensor.\n"
        f"{arguments_text}{reuse_text}\nReturns:\n    A tensor.\n"
    )
    export(f"layers.{name}")(function)
    return function

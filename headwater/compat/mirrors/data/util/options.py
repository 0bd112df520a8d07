"""tensorflow.python.data.util.options: the class of which all options are, and its properties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.data.datasets.options import OptionsBase, Setting

__all__ = ["OptionsBase", "create_option", "merge_options"]


def create_option(
    name: str,
    ty: type,
    docstring: str,
    default_factory: Callable[[], Any] = lambda: None,
) -> Any:
    """A property of a class of options.

    Args:
        name: its name.
        ty: the type of its values.
        docstring: its documentation.
        default_factory: makes the value that it has before it is set.
    """
    return Setting(ty, docstring, default_factory)


def merge_options(*options_list: Any) -> Any:
    """New options with the settings of several.

    Raises:
        TypeError: if they are no options, or not of one kind.
        ValueError: if there are none, or if two have different values.
    """
    if not options_list:
        raise ValueError("At least one options should be provided")
    first = options_list[0]
    for options in options_list:
        if not isinstance(options, OptionsBase):
            kinds = f"{type(options)} vs {type(first)}"
            if isinstance(first, OptionsBase):
                raise TypeError(f"Incompatible options type: {kinds}")
            raise TypeError("The inputs should inherit from `OptionsBase`")
    result = type(first)()
    for options in options_list:
        result = result._merged(options)
    return result

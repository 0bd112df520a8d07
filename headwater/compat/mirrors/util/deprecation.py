"""tensorflow.python.util.deprecation."""

from __future__ import annotations

from typing import Any

from headwater.base.deprecated_api import (
    DeprecatedArgSpec,
    DeprecatedNamesAlreadySet,
    deprecated,
    deprecated_alias,
    deprecated_arg_values,
    deprecated_args,
    deprecated_argument_lookup,
    deprecated_endpoints,
    rewrite_argument_docstring,
    silence,
)

__all__ = [
    "HiddenTfApiAttribute",
    "DeprecatedArgSpec",
    "DeprecatedNamesAlreadySet",
    "deprecated",
    "deprecated_alias",
    "deprecated_arg_values",
    "deprecated_args",
    "deprecated_argument_lookup",
    "deprecated_endpoints",
    "hide_attribute_from_api",
    "rewrite_argument_docstring",
    "silence",
]


class HiddenTfApiAttribute(property):
    """An attribute of a base class that a subclass does not have.

    Args:
        deprecation_message: the text of the error.
    """

    def __init__(self, deprecation_message: Any) -> None:
        def hidden(unused_self: Any) -> Any:
            raise AttributeError(deprecation_message)

        super().__init__(hidden)


hide_attribute_from_api = HiddenTfApiAttribute

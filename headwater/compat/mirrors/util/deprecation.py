"""tensorflow.python.util.deprecation."""

from headwater.base.deprecated_api import (
    DeprecatedArgSpec,
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
    "DeprecatedArgSpec",
    "deprecated",
    "deprecated_alias",
    "deprecated_arg_values",
    "deprecated_args",
    "deprecated_argument_lookup",
    "deprecated_endpoints",
    "rewrite_argument_docstring",
    "silence",
]

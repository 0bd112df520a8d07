"""Names of other modules that are visible in `tf.contrib.slim`, and that programs use there."""

from __future__ import annotations

from typing import Any

from headwater.base import namespace
from headwater.base.export import export_module, export_value
from headwater.contrib import framework as _framework

# This package is imported on demand, when the public modules are there.
_public = namespace.root()
framework: Any = _framework
export_module("contrib.slim.logging", _public.logging)
export_module("contrib.slim.nn", _public.nn)
export_module("contrib.slim.resource_loader", _public.resource_loader)
export_module("contrib.slim.summary", _public.summary)
export_module("contrib.slim.train", _public.train)
export_module("contrib.slim.contrib_framework", framework)
export_module("contrib.slim.nest", framework.nest)
export_value("contrib.slim.deprecated", framework.deprecated)
export_value("contrib.slim.deprecated_arg_values", framework.deprecated_arg_values)

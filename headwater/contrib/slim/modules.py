"""Names of other modules that are visible in `tf.contrib.slim`, and that programs use there."""

from __future__ import annotations

from headwater.base.export import export_lazy

export_lazy("contrib.slim.logging", "headwater", "logging")
export_lazy("contrib.slim.nn", "headwater", "nn")
export_lazy("contrib.slim.resource_loader", "headwater", "resource_loader")
export_lazy("contrib.slim.summary", "headwater", "summary")
export_lazy("contrib.slim.train", "headwater", "train")
export_lazy("contrib.slim.contrib_framework", "headwater.contrib", "framework")
export_lazy("contrib.slim.nest", "headwater.contrib.framework", "nest")
export_lazy("contrib.slim.deprecated", "headwater.contrib.framework", "deprecated")
export_lazy(
    "contrib.slim.deprecated_arg_values", "headwater.contrib.framework", "deprecated_arg_values"
)

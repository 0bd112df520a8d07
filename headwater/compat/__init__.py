"""Old and internal names of TensorFlow, and the import hook."""

from headwater.base.export import export_lazy, export_module
from headwater.compat import sysconfig, v1, v2, versions

__all__ = ["sysconfig", "v1", "v2", "versions"]

export_module("compat.v1", v1)
export_module("compat.v2", v2)
export_lazy("install", "headwater.compat.install", "install")

"""Old and internal names of TensorFlow, and the import hook."""

from headwater.base.export import export_lazy
from headwater.compat import sysconfig, versions

__all__ = ["sysconfig", "versions"]

export_lazy("compat.v1", "headwater.compat.v1")
export_lazy("compat.v2", "headwater.compat.v2")
export_lazy("install", "headwater.compat.install", "install")
# Its name up to release 0.8.
export_lazy("contrib.skflow", "headwater.contrib.learn")

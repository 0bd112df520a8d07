"""Headwater: TensorFlow 1.x programs on XLA. ``import headwater as tf``."""

import gc as _gc
import os as _os
import sys
from importlib import import_module

from headwater.base import namespace
from headwater.base.version import __version__ as __version__

if _os.environ.get("HEADWATER_PROFILE"):
    import_module(f"{__name__}.profiling.program_profile").profile_this_process(
        _os.environ["HEADWATER_PROFILE"]
    )
# Importing leaves no garbage, and collecting it would take a tenth of the time.
_collecting = _gc.isenabled()
_gc.disable()
# What has public names or ops; the layers between are imported by these.
_LAYERS = (
    "base",
    "io",
    "graph",
    "ops",
    "session",
    "model",
    "train",
    "data",
    "keras",
    "distributed",
    "serving",
    "profiling",
    "estimator",
    "contrib",
)
import_module(f"{__name__}.protos.public")
namespace.import_layers(_LAYERS)
import_module(f"{__name__}.testing")
import_module(f"{__name__}.compat")
namespace.build(sys.modules[__name__])
if _collecting:
    _gc.enable()

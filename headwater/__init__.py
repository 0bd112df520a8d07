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
# Importing a layer registers its ops and exports; the public names are set from the exports.
# Modules that need protobuf wait until a program asks for a proto.
_LATER = frozenset(
    f"{__name__}.{module}"
    for module in (
        "model.defun",
        "model.functional_ops",
    )
)
# Importing leaves no garbage, and collecting it would take a tenth of the time.
_collecting = _gc.isenabled()
_gc.disable()
namespace.import_all(f"{__name__}.base")
import_module(f"{__name__}.protos.public")
_LAYERS = "io graph ops session model train data keras distributed serving profiling".split()
for _layer in (*_LAYERS, "estimator", "contrib"):
    namespace.import_all(f"{__name__}.{_layer}", _LATER)
import_module(f"{__name__}.testing")
import_module(f"{__name__}.compat")
namespace.build(sys.modules[__name__])
if _collecting:
    _gc.enable()

"""Paths below which releases had all modules of another package: by prefix."""

from __future__ import annotations

# TensorBoard became a package of its own.
_EVENTS = "tensorboard.backend.event_processing"
# {prefix: the prefix that the modules have here}
PREFIXES = {
    "tensorflow._api.v1": "tensorflow",
    "tensorflow._api.v2": "tensorflow.compat.v2",
    "tensorflow.contrib.keras.api.keras": "tensorflow.keras",
    "tensorflow.contrib.keras.python.keras": "tensorflow.python.keras",
    "tensorflow.g3doc.tutorials": "tensorflow.examples.tutorials",
    "tensorflow.python.debug.debug_data": "tensorflow.python.debug.lib.debug_data",
    "tensorflow.python.debug.debug_utils": "tensorflow.python.debug.lib.debug_utils",
    "tensorflow.python.debug.stepper": "tensorflow.python.debug.lib.stepper",
    "tensorflow.python.keras._impl.keras": "tensorflow.python.keras",
    **{
        f"tensorflow.python.summary.{name}": f"{_EVENTS}.{name}"
        for name in ("event_accumulator", "event_file_inspector", "event_multiplexer")
    },
    "tensorflow.python.summary.impl": _EVENTS,
    "tensorflow.tensorboard": "tensorboard",
    "tensorflow.tools.api.generator.api": "tensorflow",
    "tensorflow_core": "tensorflow",
}
# Release 1.15 has its modules below this package; editors write imports from it.
OTHER_ROOT = "tensorflow_core"


def present_path(path: str) -> str | None:
    """Returns the path of a module that had another one, or None.

    Args:
      path: a full name of a module.
    """
    for old, new in PREFIXES.items():
        if path == old or path.startswith(old + "."):
            return new + path[len(old) :]
    return None


def is_above(path: str) -> bool:
    """Tells whether a package has nothing but the packages of such a prefix."""
    return any(old.startswith(path + ".") for old in PREFIXES)

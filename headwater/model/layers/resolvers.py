"""What layers find in tf.keras, which stands above them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base import declarations

# Functions of tf.keras by what they find: those that know names of initializers and others, the
# one that makes the metric of a mean, and the one that knows the learning phase.
resolvers: dict[str, Callable[[Any], Any]] = {}
HOOK = "layer_resolvers"


def resolver(kind: str) -> Callable[[Any], Any]:
    """The function of tf.keras that finds something; imports the module that sets it.

    Raises:
        KeyError: if it is set by a part of tf.keras that is not loaded.
    """
    load_resolvers()
    return resolvers[kind]


def load_resolvers() -> None:
    """Imports the module that sets the functions, if nobody has done so."""
    if not resolvers:
        declarations.load(declarations.HOOK, HOOK)


def is_training(training: Any) -> Any:
    """Whether a layer is being trained: the argument, or else the learning phase of tf.keras."""
    return resolver("training")(None) if training is None else training

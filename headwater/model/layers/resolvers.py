"""What layers find in tf.keras, which stands above them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Functions of tf.keras by what they find: those that know names of initializers and others, and the
# one that makes the metric of a mean. They are set when tf.keras is loaded.
resolvers: dict[str, Callable[[Any], Any]] = {}

"""`tf.layers.experimental`: layers that name and own their variables as those of Keras do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headwater.base.export import export


class _Style:
    """Whether new layers of `tf.layers` have the style of Keras."""

    of_keras = False


def is_keras_style() -> bool:
    """Tells whether layers that are made now have the style of Keras."""
    return _Style.of_keras


@export("layers.experimental.keras_style_scope")
@contextmanager
def keras_style_scope() -> Iterator[None]:
    """A with block in which layers of `tf.layers` are made in the style of Keras.

    Such a layer owns its variables, which no other layer reuses, and takes neither `reuse` nor
    `scope`.

    Returns:
        A context manager.
    """
    before, _Style.of_keras = _Style.of_keras, True
    try:
        yield
    finally:
        _Style.of_keras = before


@export("layers.experimental.set_keras_style")
def set_keras_style() -> None:
    """Gives all layers of `tf.layers` that are made from now on the style of Keras."""
    _Style.of_keras = True

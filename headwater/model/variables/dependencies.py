"""Variables that are made as dependencies of an object."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike, InitializerLike, ShapeLike
from headwater.model.trackable.base import Trackable
from headwater.model.variables.initializers import Zeros
from headwater.model.variables.random_initializers import GlorotUniform
from headwater.model.variables.variable import Variable
from headwater.model.variables.variable_creation import variable_creator_scope


def default_getter(
    name: str,
    shape: ShapeLike | None,
    dtype: DTypeLike,
    initializer: InitializerLike | None = None,
    partition_info: Any = None,
    **kwargs: Any,
) -> Variable:
    """Makes a resource variable that no variable scope names.

    Args:
        name: the name.
        shape: the shape; unused if the initializer is a value.
        dtype: the type.
        initializer: an initializer or a value; by default as `tf.get_variable` has it.
        partition_info: ignored.
        **kwargs: further arguments of `tf.Variable`.

    Raises:
        ValueError: if the initializer is a value and there is a shape.
    """
    dtype = dtypes.as_dtype(dtype)
    if initializer is None:
        initializer = GlorotUniform() if dtype.is_floating else Zeros()
    value: Any = initializer
    if not callable(initializer) and shape is not None:
        raise ValueError("If initializer is a constant, do not specify shape.")
    if callable(initializer):
        made = initializer() if isinstance(initializer, type) else initializer

        def value() -> Any:
            return made(shape, dtype=dtype)

    return Variable(
        initial_value=value, name=name, dtype=dtype.base_dtype, use_resource=True, **kwargs
    )


def add_variable(
    trackable: Trackable,
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    initializer: InitializerLike | None = None,
    trainable: bool = True,
) -> Variable:
    """Makes a resource variable that an object depends on.

    Args:
        trackable: the object.
        name: the name of the variable and of the dependency.
        shape: the shape.
        dtype: the type.
        initializer: an initializer or a value.
        trainable: whether optimizers change it by default.

    Returns:
        The variable.
    """
    return trackable._add_variable_with_custom_getter(
        name=name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        getter=default_getter,
        trainable=trainable,
    )


@export("contrib.checkpoint.capture_dependencies")
@contextmanager
def capture_dependencies(template: Any) -> Iterator[None]:
    """A with block whose new variables become dependencies of a template.

    Args:
        template: a trackable object with a `variable_scope`. Variables below this scope are tracked
            under their names in it; those of a template inside belong to that template, which is
            tracked instead.
    """
    prefix = template.variable_scope.name

    def creator(
        next_creator: Callable[..., Any],
        name: str | None = None,
        initial_value: Any = None,
        trackable_parent: tuple[Any, str] | None = None,
        **kwargs: Any,
    ) -> Any:
        def following(**inner: Any) -> Any:
            return next_creator(
                name=name,
                initial_value=initial_value,
                trackable_parent=(template, prefix),
                **kwargs,
            )

        if name is None or not name.startswith(prefix):
            return following()
        if trackable_parent is None:
            return template._add_variable_with_custom_getter(
                name=name[len(prefix) + 1 :], getter=following, overwrite=True
            )
        parent, parent_prefix = trackable_parent
        template._track_trackable(parent, name=parent_prefix[len(prefix) + 1 :], overwrite=True)
        return following()

    with variable_creator_scope(creator):
        yield

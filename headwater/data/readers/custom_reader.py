"""Readers that a program writes in Python, as ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from headwater.base.export import export
from headwater.base.handles import handle_of
from headwater.base.typing import ArrayModule
from headwater.graph import RunsOn, register_op, shapes
from headwater.ops.readers.reader_resource import Reader

ReaderClass = TypeVar("ReaderClass", bound=type[Reader])


@export("user_ops.register_reader")
def register_reader(op_type: str, attrs: str = "") -> Callable[[ReaderClass], ReaderClass]:
    """Class decorator that makes an op of a reader written in Python.

    The op has no inputs and one output, the handle `reader_handle: Ref(string)`. Its function is
    `gen_user_ops.some_reader` for the type "SomeReader"; its handle is what the constructor of
    `tf.ReaderBase` takes.

    Args:
        op_type: the op type.
        attrs: the attrs in the op language, such as "skip_lines: int = 0"; the class is called
            with them as keyword arguments.

    Returns:
        The decorator of a subclass of `tf.user_ops.Reader`.

    Raises:
        ValueError: if there is such an op type, or an attr is not of the op language.

    Example:
        >>> @tf.user_ops.register_reader("WordReader")
        ... class WordReader(tf.user_ops.Reader):
        ...     def on_work_started(self):
        ...         self.words = iter(self.current_work.split())
        ...     def read(self):
        ...         word = next(self.words, None)
        ...         return None if word is None else (self.current_work, word)
        >>> from headwater.graph import build
        >>> reader = tf.ReaderBase(build.WordReader(name="words"))
        >>> queue = tf.FIFOQueue(1, tf.string)
        >>> key, value = reader.read(queue)
        >>> with tf.Session() as session:
        ...     session.run(queue.enqueue("to be"))
        ...     print(session.run(value), session.run(value))
        b'to' b'be'
    """

    def register(reader_class: ReaderClass) -> ReaderClass:
        record: Any = None

        def make(values: dict[str, Any]) -> Reader:
            own = [a.name for a in record.schema.attrs if a.name not in _NAMES]
            return reader_class(**{name: values[name] for name in own})

        names = ", ".join(f"{name}: string = ''" for name in _NAMES)
        record = register_op(
            op_type,
            outputs="reader_handle: Ref(string)",
            attrs=", ".join(filter(None, (attrs, names))),
            shape=shapes.scalar,
            kernel=kernel_custom_reader,
            state=make,
            resource="reader",
            stateful=True,
            runs_on=RunsOn.HOST,
        )
        return reader_class

    return register


_NAMES = ("container", "shared_name")


def kernel_custom_reader(xp: ArrayModule, *, op_name: str, state: Reader) -> Any:
    state.set_name(op_name)
    return handle_of(state), state

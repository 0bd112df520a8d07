"""tensorflow.python.util.protobuf.compare."""

from __future__ import annotations

from typing import Any

from headwater.testing.proto_comparison import ProtoTestCase, text_format


def assertProtoEqual(
    self: Any,
    a: Any,
    b: Any,
    check_initialized: bool = True,
    normalize_numbers: bool = False,
    msg: str | None = None,
) -> None:
    """Fails a test if two protos differ.

    Args:
      self: the test case.
      a: a proto, or the text of one of the type of `b`.
      b: a proto.
      check_initialized: accepted; messages of proto3 have no required fields.
      normalize_numbers: whether numbers are rounded to what their types can tell apart.
      msg: put before the text of the error.
    """
    if isinstance(a, str):
        parsed = type(b)()
        text_format.Merge(a, parsed)
        a = parsed
    if not normalize_numbers and a == b:
        return
    ProtoTestCase._AssertProtoEquals(self, a, b, msg)
    if not normalize_numbers:
        self.fail(f"{msg or 'The protos differ in the last digits of numbers'}:\n{a}\n{b}")


def ProtoEq(a: Any, b: Any) -> bool:
    """Tells whether two protos are equal."""
    return a == b


class ProtoAssertions:
    """Gives a test case `assertProtoEqual`."""

    def assertProtoEqual(self, *args: Any, **kwargs: Any) -> None:
        """`assertProtoEqual` of this module."""
        assertProtoEqual(self, *args, **kwargs)


def NormalizeNumberFields(pb: Any) -> Any:
    """Rounds the numbers of a message in place to what its text shows.

    Args:
      pb: the message.

    Returns:
      The message: whole numbers as such, floats with seven digits, in fields of doubles as well.
    """
    for field, value in pb.ListFields():
        if field.type in (field.TYPE_DOUBLE, field.TYPE_FLOAT):
            if hasattr(value, "append"):
                value[:] = [_rounded(number) for number in value]
            else:
                setattr(pb, field.name, _rounded(value))
        elif field.type == field.TYPE_MESSAGE:
            parts = [value]
            if hasattr(value, "values"):  # a map
                parts = [part for part in value.values() if hasattr(part, "ListFields")]
            elif hasattr(value, "append") or hasattr(value, "add"):
                parts = list(value)
            for part in parts:
                NormalizeNumberFields(part)
    return pb


def _rounded(number: float) -> float:
    return round(number, 7)

"""Assertions about protocol buffers."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from absl.testing import absltest

from headwater.base.lazy import LazyModule
from headwater.graph.versions import GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER

protobuf_message: Any = LazyModule("google.protobuf.message")
text_format: Any = LazyModule("google.protobuf.text_format")

# Significant digits that count in comparisons.
_FLOAT_DIGITS, _DOUBLE_DIGITS = 7, 13


def _round_numbers(message: Any) -> None:
    """Rounds the floating-point numbers of a proto to the precision of their types."""
    for field, value in message.ListFields():
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            entry_value = field.message_type.fields_by_name["value"]
            if entry_value.message_type is not None:
                for part in value.values():
                    _round_numbers(part)
            continue
        is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
        parts = value if is_list else [value]
        if field.message_type is not None:
            for part in parts:
                _round_numbers(part)
        elif field.cpp_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
            is_float = field.cpp_type == field.CPPTYPE_FLOAT
            digits = _FLOAT_DIGITS if is_float else _DOUBLE_DIGITS
            rounded = [float(f"{part:.{digits}g}") for part in parts]
            if is_list:
                value[:] = rounded
            else:
                setattr(message, field.name, rounded[0])


def proto_text(message: Any) -> str:
    """Returns the text of a proto, with numbers rounded to the precision of their types."""
    copy = type(message)()
    copy.CopyFrom(message)
    _round_numbers(copy)
    return str(text_format.MessageToString(copy))


class ProtoTestCase(absltest.TestCase):
    """A test case with assertions about protocol buffers."""

    def _AssertProtoEquals(self, a: Any, b: Any, msg: Any = None) -> None:
        texts = proto_text(a), proto_text(b)
        if texts[0] != texts[1]:
            found, wanted = (text.splitlines(keepends=True) for text in texts)
            lines = difflib.ndiff(found, wanted)
            self.fail(("" if msg is None else f"{msg}:") + "\n" + "".join(lines))

    def assertProtoEquals(
        self, expected_message_maybe_ascii: Any, message: Any, msg: Any = None
    ) -> None:
        """Asserts that two protos are equal.

        Args:
          expected_message_maybe_ascii: a proto, or the text of one.
          message: a proto.
          msg: put before the text of the error.

        Raises:
          AssertionError: if they differ or are not of the same type.
        """
        expected = expected_message_maybe_ascii
        if isinstance(expected, str) and isinstance(message, protobuf_message.Message):
            parsed = type(message)()
            text_format.Merge(expected, parsed)
            expected = parsed
        same_type = type(expected) is type(message)
        if same_type and not isinstance(message, protobuf_message.Message) and expected == message:
            # The values of a repeated field.
            return
        if not same_type or not isinstance(message, protobuf_message.Message):
            self.fail(
                f"Can't compare protos of type {type(expected)} and {type(message)}."
                + ("" if msg is None else f" {msg}")
            )
        self._AssertProtoEquals(expected, message, msg)

    def assertProtoEqualsVersion(
        self,
        expected: str,
        actual: Any,
        producer: int = GRAPH_DEF_VERSION,
        min_consumer: int = GRAPH_DEF_VERSION_MIN_CONSUMER,
        msg: Any = None,
    ) -> None:
        """Asserts that a GraphDef has the given nodes and versions.

        Args:
          expected: the text of a GraphDef without versions.
          actual: a GraphDef.
          producer: the version that made it.
          min_consumer: the oldest version that may read it.
          msg: put before the text of the error.

        Raises:
          AssertionError: if they differ.
        """
        versions = f"versions {{ producer: {producer} min_consumer: {min_consumer} }}"
        self.assertProtoEquals(f"{versions};\n{expected}", actual, msg=msg)

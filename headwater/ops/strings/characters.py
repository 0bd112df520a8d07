"""The characters of one text as tensors, and texts of code points."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope


def _single(input: Tensor) -> Tensor:
    """A scalar text as a vector of one."""
    if input._shape != ():
        raise NotImplementedError(
            "The characters of a single text are returned as a vector; for tensors of texts of "
            f"shape {input.shape} there are no RaggedTensors yet."
        )
    return build.Reshape(input, [1], name="Reshape")


@export("strings.unicode_decode")
def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the code points of a text.

    Args:
        input: a string scalar.
        input_encoding: the encoding of the text.
        errors: "replace", "ignore" or "strict": what becomes of bytes that are not valid.
        replacement_char: the code point that replaces them.
        replace_control_characters: whether control characters count as not valid.
        name: the name of the nodes.

    Returns:
        An int32 vector.
    """
    with name_scope(name, "UnicodeDecode", [input]):
        text = convert_to_tensor(input, dtype=dtypes.string, name="input")
        return build.UnicodeDecode(
            _single(text),
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
        ).char_values


@export("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the code points of a text, and where each begins.

    Args:
        input: a string scalar.
        input_encoding: the encoding of the text.
        errors: "replace", "ignore" or "strict": what becomes of bytes that are not valid.
        replacement_char: the code point that replaces them.
        replace_control_characters: whether control characters count as not valid.
        name: the name of the nodes.

    Returns:
        An int32 vector of code points, and an int64 vector of the places of their first bytes.
    """
    with name_scope(name, "UnicodeDecodeWithOffsets", [input]):
        text = convert_to_tensor(input, dtype=dtypes.string, name="input")
        result = build.UnicodeDecodeWithOffsets(
            _single(text),
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
            replace_control_characters=replace_control_characters,
        )
        return result.char_values, result.char_to_byte_starts


def _numbers_to(last: Tensor) -> Tensor:
    """0, 1, 2... up to an int64 scalar."""
    zero, one = (convert_to_tensor(number, dtype=dtypes.int64) for number in (0, 1))
    return build.Range(zero, build.AddV2(last, one), one)


def _encoded_one_by_one(codes: Tensor, encoding: str) -> Tensor:
    """Each code point as a text of its own, in the encoding of the whole."""
    count = build.Size(codes, out_type=dtypes.int64)
    splits = _numbers_to(count)
    return build.UnicodeEncode(codes, splits, output_encoding=encoding)


@export("strings.unicode_split")
def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor:
    """Returns the characters of a text.

    Args:
        input: a string scalar.
        input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE", also that of the characters.
        errors: "replace", "ignore" or "strict": what becomes of bytes that are not valid.
        replacement_char: the code point that replaces them.
        name: the name of the nodes.

    Returns:
        A string vector.
    """
    with name_scope(name, "UnicodeSplit", [input]):
        text = convert_to_tensor(input, dtype=dtypes.string, name="input")
        codes = build.UnicodeDecode(
            _single(text),
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
        ).char_values
        return _encoded_one_by_one(codes, input_encoding)


@export("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the characters of a text, and where each begins.

    Args:
        input: a string scalar.
        input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE", also that of the characters.
        errors: "replace", "ignore" or "strict": what becomes of bytes that are not valid.
        replacement_char: the code point that replaces them.
        name: the name of the nodes.

    Returns:
        A string vector, and an int64 vector of the places of their first bytes.
    """
    with name_scope(name, "UnicodeSplitWithOffsets", [input]):
        text = convert_to_tensor(input, dtype=dtypes.string, name="input")
        result = build.UnicodeDecodeWithOffsets(
            _single(text),
            input_encoding=input_encoding,
            errors=errors,
            replacement_char=replacement_char,
        )
        return _encoded_one_by_one(result.char_values, input_encoding), result.char_to_byte_starts


@export("strings.unicode_encode")
def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor:
    """Writes code points as texts.

    Args:
        input: an int32 tensor of known rank; its last axis goes along a text.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: "replace", "ignore" or "strict".
        replacement_char: a code point.
        name: the name of the nodes.

    Returns:
        A string tensor with one dimension less.

    Raises:
        ValueError: if the rank is unknown or 0.
    """
    with name_scope(name, "UnicodeEncode", [input]):
        codes = convert_to_tensor(input, dtype=dtypes.int32)
        if codes._shape is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        rank = len(codes._shape)
        if not rank:
            raise ValueError("input_tensor's rank must be at least 1.")
        shape = build.Shape(codes, out_type=dtypes.int64)
        leading = build.Slice(shape, np.zeros(1, np.int64), np.array([rank - 1], np.int64))
        length = build.Reshape(
            build.Slice(shape, np.array([rank - 1], np.int64), np.ones(1, np.int64)), []
        )
        rows = build.Prod(leading, np.zeros(1, np.int32))
        numbers = _numbers_to(rows)
        texts = build.UnicodeEncode(
            build.Reshape(codes, [-1]),
            build.Mul(numbers, length),
            output_encoding=output_encoding,
            errors=errors,
            replacement_char=replacement_char,
        )
        result = build.Reshape(texts, leading)
        result._shape = codes._shape[:-1]
        return result


@export("strings.bytes_split")
def bytes_split(input: Any, name: str | None = None) -> Tensor:
    """Returns the bytes of a text as texts of one byte.

    Args:
        input: a string scalar.
        name: the name of the nodes.

    Returns:
        A string vector.
    """
    with name_scope(name, "StringsByteSplit", [input]):
        text = convert_to_tensor(input, dtype=dtypes.string, name="input")
        return build.StringSplit(_single(text), "", skip_empty=False).values

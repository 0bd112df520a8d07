"""Texts and code points: UnicodeDecode, UnicodeEncode, UnicodeTranscode, UnicodeScript."""

from __future__ import annotations

import functools
import gzip
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base.dtypes import DType
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.ops.strings.codecs import ErrorRules, decoded, encoded, known_encoding
from headwater.ops.strings.elements import each, invalid, strings


def kernel_unicode_decode_with_offsets(
    xp: ArrayModule,
    x: np.ndarray,
    *,
    input_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
    Tsplits: DType,
) -> tuple[Array, ...]:
    encoding = known_encoding(input_encoding)
    rules = ErrorRules(errors, replacement_char, replace_control_characters)
    rules.check()
    codes: list[Any] = []
    starts: list[int] = []
    splits = [0]
    for value in x.ravel().tolist():
        for character in rules.applied(decoded(value, encoding)):
            codes.append(character.code)
            starts.append(character.start)
        splits.append(len(codes))
    return (
        np.array(splits, Tsplits.numpy_dtype),
        np.array(codes, np.int32),
        np.array(starts, np.int64),
    )


def kernel_unicode_decode(
    xp: ArrayModule,
    x: np.ndarray,
    *,
    input_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
    Tsplits: DType,
) -> tuple[Array, ...]:
    return kernel_unicode_decode_with_offsets(
        xp,
        x,
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        Tsplits=Tsplits,
    )[:2]


def kernel_unicode_transcode(
    xp: ArrayModule,
    x: np.ndarray,
    *,
    input_encoding: str,
    output_encoding: str,
    errors: str,
    replacement_char: int,
    replace_control_characters: bool,
) -> np.ndarray:
    encoding = known_encoding(input_encoding)
    rules = ErrorRules(errors, replacement_char, replace_control_characters)
    rules.check()

    def transcoded(value: bytes) -> bytes:
        characters = rules.applied(decoded(value, encoding))
        return encoded([c.code for c in characters if c.code is not None], output_encoding)

    return each(transcoded, x)


def kernel_unicode_encode(
    xp: ArrayModule,
    values: np.ndarray,
    splits: np.ndarray,
    *,
    errors: str,
    output_encoding: str,
    replacement_char: int,
) -> np.ndarray:
    ErrorRules(errors, replacement_char, False).check()
    ends = splits.tolist()
    if not ends or ends[0] != 0 or ends[-1] > len(values) or sorted(ends) != ends:
        invalid(
            f"The splits {ends} of the texts must rise from 0 to at most {len(values)}, the "
            "number of code points."
        )
    codes = values.tolist()
    if errors == "strict" and any(not 0 <= code <= 0x10FFFF for code in codes):
        invalid("Code point value out of valid Unicode range.")
    if errors == "ignore":
        kept = [0 <= code <= 0x10FFFF for code in codes]
        ends = [sum(kept[:end]) for end in ends]
        codes = [code for code, keep in zip(codes, kept) if keep]
    texts = [encoded(codes[a:b], output_encoding) for a, b in itertools.pairwise(ends)]
    return strings(texts, (len(texts),))


@functools.cache
def _scripts() -> tuple[np.ndarray, np.ndarray]:
    """The first code point of each range, and its script (UScriptCode of ICU)."""
    path = Path(__file__).with_name("unicode_scripts.tsv.gz")
    rows = [line.split("\t") for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    starts = np.array([int(start, 16) for start, _ in rows], np.int64)
    return starts, np.array([int(script) for _, script in rows], np.int32)


def kernel_unicode_script(xp: ArrayModule, x: np.ndarray) -> np.ndarray:
    starts, scripts = _scripts()
    found = scripts[np.maximum(np.searchsorted(starts, x, "right") - 1, 0)]
    return np.where((x < 0) | (x > 0x10FFFF), np.int32(-1), found).astype(np.int32)


def shape_unicode_decode(c: shapes.ShapeContext) -> Sequence[Shape]:
    count = None if c.shapes[0] is None else shapes.number_of_elements(c.shapes[0])
    splits = (None if count is None else count + 1,)
    return [splits, (None,), (None,)][: len(c.record.schema.outputs)]


def shape_unicode_encode(c: shapes.ShapeContext) -> Shape:
    c.with_rank("input_values", 1)
    splits = c.with_rank("input_splits", 1)
    return (None if splits[0] is None else splits[0] - 1,)


_TEXTS = np.array(["h\u00e9\u20ac\U0001f600".encode(), b"", b"a\xffb\x01"], object)


def samples_unicode_decode() -> Iterator[Sample]:
    for rule in ("replace", "ignore"):
        yield Sample(_TEXTS, input_encoding="UTF-8", errors=rule)
    yield Sample(_TEXTS, input_encoding="ISO-8859-1", replace_control_characters=True)


def samples_unicode_transcode() -> Iterator[Sample]:
    for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        yield Sample(_TEXTS, input_encoding="UTF-8", output_encoding=encoding)


def samples_unicode_encode() -> Iterator[Sample]:
    values = np.array([104, 233, 8364, 128512], np.int32)
    for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        yield Sample(values, np.array([0, 2, 2, 4], np.int64), output_encoding=encoding)


def samples_unicode_script() -> Iterator[Sample]:
    yield Sample(np.array([[97, 945], [-1, 0x4E00]], np.int32))


_RULE = "errors: {{{}}} = 'replace', replacement_char: int = 65533"
_DECODE_RULE = (
    _RULE.format("'strict', 'replace', 'ignore'") + ", replace_control_characters: bool = false"
)


def _register_unicode_decode(name: str, outputs: str, kernel: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="input: string",
        outputs=f"row_splits: Tsplits, char_values: int32{outputs}",
        attrs=f"input_encoding: string, {_DECODE_RULE}, Tsplits: {{int32, int64}} = int64",
        shape=shape_unicode_decode,
        kernel=kernel,
        samples=samples_unicode_decode,
        runs_on=RunsOn.HOST,
        dynamic_shape=True,
    )


_register_unicode_decode("UnicodeDecode", "", kernel_unicode_decode)
_register_unicode_decode(
    "UnicodeDecodeWithOffsets", ", char_to_byte_starts: int64", kernel_unicode_decode_with_offsets
)
register_op(
    "UnicodeTranscode",
    inputs="input: string",
    outputs="output: string",
    attrs="input_encoding: string, output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}, "
    f"{_DECODE_RULE}",
    shape=shapes.like_first,
    kernel=kernel_unicode_transcode,
    samples=samples_unicode_transcode,
    runs_on=RunsOn.HOST,
)
register_op(
    "UnicodeEncode",
    inputs="input_values: int32, input_splits: Tsplits",
    outputs="output: string",
    attrs=_RULE.format("'ignore', 'replace', 'strict'").replace(
        ", replacement_char",
        ", output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}, replacement_char",
    )
    + ", Tsplits: {int32, int64} = int64",
    shape=shape_unicode_encode,
    kernel=kernel_unicode_encode,
    samples=samples_unicode_encode,
    runs_on=RunsOn.HOST,
)
register_op(
    "UnicodeScript",
    inputs="input: int32",
    outputs="output: int32",
    shape=shapes.like_first,
    kernel=kernel_unicode_script,
    samples=samples_unicode_script,
    runs_on=RunsOn.HOST,
)


@export("strings.unicode_transcode")
def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Writes texts in another encoding.

    Args:
        input: a string tensor.
        input_encoding: the encoding of the texts.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: "replace", "ignore" or "strict": what becomes of bytes that are not valid.
        replacement_char: the code point that replaces them.
        replace_control_characters: whether control characters count as not valid.
        name: the name of the node.

    Returns:
        A string tensor of the same shape.
    """
    return build.UnicodeTranscode(
        input,
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )


@export("strings.unicode_script")
def unicode_script(input: TensorLike, name: str | None = None) -> Tensor:
    """Returns the scripts of code points.

    Args:
        input: an int32 tensor of code points.
        name: the name of the node.

    Returns:
        An int32 tensor of the same shape: ICU's numbers of scripts; -1 for values that are not code
        points.
    """
    return build.UnicodeScript(input, name=name)

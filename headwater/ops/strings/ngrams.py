"""Sequences of neighbouring strings: StringNGrams."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from headwater.base import cancellation
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, register_op, shapes
from headwater.ops.strings.elements import as_bytes, invalid, strings


def shape_string_ngrams(c: shapes.ShapeContext) -> list[Shape]:
    c.with_rank("data", 1)
    return [(None,), c.with_rank("data_splits", 1)]


def kernel_string_ngrams(
    xp: ArrayModule,
    data: np.ndarray,
    data_splits: np.ndarray,
    *,
    separator: str | bytes,
    ngram_widths: list[int],
    left_pad: str | bytes,
    right_pad: str | bytes,
    pad_width: int,
    preserve_short_sequences: bool,
) -> tuple[Array, ...]:
    between, left, right = map(as_bytes, (separator, left_pad, right_pad))
    splits = data_splits.tolist()
    for split in splits:
        if not 0 <= split <= len(data):
            invalid(f"Invalid split value {split}, must be in [0,{len(data)}]")
    words = data.tolist()
    ngrams: list[bytes] = []
    ends = [0] if splits else []
    for start, end in itertools.pairwise(splits):
        row = words[start:end]
        made = len(ngrams)
        for width in ngram_widths:
            pad = _pad(pad_width, width)
            # Between the pads of an empty row TensorFlow has the preceding word.
            middle = row or words[start - 1 : start]
            padded = [left] * pad + middle + [right] * pad
            count = max(len(row) + 2 * pad - width + 1, 0)
            length = width + len(middle) - len(row)
            # Where neither pads nor words are left over, there is nothing to take.
            starts = cancellation.checked(range(count))
            ngrams.extend(between.join(padded[i : i + length]) for i in starts)
        if preserve_short_sequences and len(ngrams) == made and row:
            # All of a sequence that is too short, with as much padding as the widest may have.
            pad = max(pad_width, 0)
            ngrams.append(between.join([left] * pad + row + [right] * pad))
        ends.append(len(ngrams))
    return strings(ngrams, (len(ngrams),)), np.array(ends, data_splits.dtype)


def _pad(pad_width: int, width: int) -> int:
    return width - 1 if pad_width < 0 else min(pad_width, width - 1)


def samples_string_ngrams() -> Iterator[Sample]:
    data = np.array([b"a", b"b", b"c", b"d"], object)
    for kind in (np.int32, np.int64):
        splits = np.array([0, 3, 4], kind)
        yield Sample(
            data,
            splits,
            separator=" ",
            ngram_widths=[2, 1],
            left_pad="<",
            right_pad=">",
            pad_width=-1,
            preserve_short_sequences=False,
        )


register_op(
    "StringNGrams",
    inputs="data: string, data_splits: Tsplits",
    outputs="ngrams: string, ngrams_splits: Tsplits",
    attrs="separator: string, ngram_widths: list(int) >= 0, left_pad: string, "
    "right_pad: string, pad_width: int, preserve_short_sequences: bool, "
    "Tsplits: {int32, int64} = int64",
    shape=shape_string_ngrams,
    kernel=kernel_string_ngrams,
    samples=samples_string_ngrams,
    runs_on=RunsOn.HOST,
    dynamic_shape=True,
)

"""Columns that are read at once have the values of the parser of single fields."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headwater as tf
from headwater.base import dtypes
from headwater.ops.parsing import csv, csv_columns

NUMBERS = st.one_of(
    st.integers(-(10**19), 10**19).map(str),
    st.integers(-(10**9), 10**9).map(str),
    st.floats(width=32).map(repr),
    st.decimals(-(10**9), 10**9, places=6).map(str),
    st.from_regex(r"-?[0-9]{0,9}\.?[0-9]{0,9}", fullmatch=True),
    st.sampled_from(["", "NA", "-", ".", "-.", "+1", " 7 ", "1e5", "0x1f", "1_0", "--1", "1.2.3"]),
    st.text("0123456789.-+eE NAx:/", max_size=9),
)
TYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)


def decoded(records, types, defaults, missing, few, select_cols=(), quoted=True):
    """The columns, or the text of the error."""
    before = csv_columns._FEW_FIELDS
    csv_columns._FEW_FIELDS = few
    try:
        return csv.kernel_decode_csv(
            np,
            np.array(records, object),
            defaults,
            OUT_TYPE=types,
            field_delim=",",
            use_quote_delim=quoted,
            na_value=missing,
            select_cols=list(select_cols),
        )
    except tf.errors.InvalidArgumentError as error:
        return error.message
    finally:
        csv_columns._FEW_FIELDS = before


def alike(records, types, defaults, missing, **options):
    at_once, singly = (
        decoded(records, types, defaults, missing, few, **options) for few in (0, 1 << 62)
    )
    if isinstance(singly, str):
        assert at_once == singly
        return
    for mine, other in zip(at_once, singly, strict=True):
        assert mine.dtype == other.dtype and mine.shape == other.shape
        np.testing.assert_array_equal(mine, other)
        if mine.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(mine), np.signbit(other))


@settings(deadline=None, max_examples=120)
@given(
    st.sampled_from(TYPES),
    st.lists(NUMBERS, min_size=1, max_size=12),
    st.sampled_from(["", "NA", "7"]),
    st.booleans(),
)
def test_any_fields(dtype, fields, missing, required):
    shown = [field for field in fields if field != ""] or ["0"]
    records = [f"{field},x{i}".encode() for i, field in enumerate(shown)]
    default = np.array([] if required else [b"z" if dtype == dtypes.string else 5])
    alike(records, [dtype, dtypes.string], [default, np.array([b""], object)], missing)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text('0,"\n;', max_size=6), min_size=1, max_size=5))
def test_any_records(texts):
    defaults = [np.array([b"d"], object), np.array([4])]
    alike([text.encode() for text in texts], [dtypes.string, dtypes.int64], defaults, "")


def test_ends_of_lines_before_fields():
    records = [b"\r\na,1,c", b"d,2,\ne"] * 3
    types = [dtypes.string, dtypes.int64, dtypes.string]
    defaults = [np.array([b""], object), np.array([0]), np.array([b""], object)]
    alike(records, types, defaults, "", quoted=False)
    first, _, third = decoded(records, types, defaults, "", 0, quoted=False)
    assert first[0] == b"a" and third[1] == b"e"


def test_numbers_at_the_limits():
    integers = [b"9" * n for n in (1, 7, 8, 9, 15, 16, 17, 18)] + [b"-" + b"9" * 16, b"-0", b"000"]
    floats = [b"-0", b"0.1", b"999999999999999", b"9999999999999999", b".000000000000001", b"5."]
    for dtype in TYPES[:4]:
        default = [np.array([0], dtype.numpy_dtype)]
        alike(integers, [dtype], default, "")
        for field in (*integers, *floats):
            alike([field, b"1"], [dtype], default, "")
    alike(floats, [dtypes.float64], [np.array([0.0])], "")


def test_many_records_of_selected_columns():
    rng = np.random.RandomState(0)
    numbers = rng.randint(-(10**6), 10**6, (700, 3))
    records = [b"%d,%d,%d.25,w" % tuple(row) for row in numbers]
    options = {"select_cols": [0, 2, 3]}
    defaults = [np.array([0]), np.array([0.0]), np.array([b""], object)]
    types = [dtypes.int64, dtypes.float64, dtypes.string]
    alike(records, types, defaults, "", **options)
    first, second, third = decoded(records, types, defaults, "", 0, **options)
    np.testing.assert_array_equal(first, numbers[:, 0])
    np.testing.assert_array_equal(np.abs(second) % 1, 0.25)
    assert set(third.tolist()) == {b"w"}
    records[600] = b"1,2"
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expect 3 fields but have 1 in rec"):
        tf.Session().run(tf.decode_csv(records, [[0], [0.0], [""]], select_cols=[0, 2, 3]))

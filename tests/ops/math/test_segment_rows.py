import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.ops.math.segment_rows import reduce_rows


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "int32", "uint16", "complex64"])
@given(
    st.integers(0, 700),
    st.lists(st.integers(1, 40), max_size=2),
    st.integers(1, 50),
    st.integers(0, 9),
)
@settings(max_examples=25)
def test_sums_of_rows_whatever_the_order_of_the_segments(dtype, count, width, segments, seed):
    random = np.random.RandomState(seed)
    ids = random.randint(-1, segments, count).astype(random.choice(["int32", "int64"]))
    rows = random.randint(0, 9, (count, *width)).astype(dtype)
    expected = np.zeros((segments, *width), dtype)
    np.add.at(expected, ids[ids >= 0], rows[ids >= 0])
    for order in (slice(None), np.argsort(ids, kind="stable")):
        found = reduce_rows(np.add, rows[order], ids[order], segments, 0)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_infinities_stay_in_their_segments():
    rows = np.ones((1000, 40), np.float32)
    rows[3, 5], rows[500, 6] = np.inf, np.nan
    found = reduce_rows(np.add, rows, np.arange(1000) // 250, 4, 0)
    assert np.isposinf(found[0, 5])
    assert np.isnan(found[2, 6])
    assert np.isfinite(found).sum() == found.size - 2

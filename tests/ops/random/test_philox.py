"""The generator itself: its blocks, its counter, its start."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.base.lazy import jax, jnp
from headwater.ops.random import distributions, philox

COUNTERS = st.integers(0, 2**128 - 1)


def words_of(key, counter):
    """One block by Python integers."""
    c = [counter >> 32 * i & 0xFFFFFFFF for i in range(4)]
    k = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        first, second = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [
            second >> 32 ^ c[1] ^ k[0],
            second & 0xFFFFFFFF,
            first >> 32 ^ c[3] ^ k[1],
            first & 0xFFFFFFFF,
        ]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def counter_of(stream):
    return sum(int(word) << 32 * i for i, word in enumerate(stream[2:]))


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [
        # The known answers of the authors' Random123 library.
        (0, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (2**64 - 1, 2**128 - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            0x299F31D0A4093822,
            0x0370734413198A2E85A308D3243F6A88,
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_blocks_are_the_known_answers(key, counter, words):
    stream = philox.make_stream(key, counter)
    assert distributions.words(np, stream, 4).tolist() == list(words)
    assert words_of(key, counter) == list(words)
    assert np.asarray(distributions.words(jnp, stream, 4)).tolist() == list(words)


@given(st.integers(0, 2**64 - 1), COUNTERS)
def test_counter_carries_over_all_words(key, counter):
    stream = philox.make_stream(key, counter)
    expected = [w for i in range(3) for w in words_of(key, (counter + i) % 2**128)]
    assert distributions.words(np, stream, 12).tolist() == expected


@given(COUNTERS, st.integers(0, 2**64 - 1))
def test_skip_adds_to_the_counter(counter, blocks):
    stream = philox.skip(np, philox.make_stream(7, counter), blocks)
    assert stream.dtype == np.uint32
    assert stream[:2].tolist() == [7, 0]
    assert counter_of(stream) == (counter + blocks) % 2**128


@pytest.mark.parametrize("counter", [0, 2**32 - 2, 2**64 - 2, 2**96 - 2, 2**128 - 2])
def test_compiled_counter_is_that_of_the_host(counter):
    stream = philox.make_stream(0xFFFFFFFF00000001, counter)

    def program(xp, stream):
        return philox.skip(xp, stream, 2**33 + 3), distributions.words(xp, stream, 14)

    for value, expected in zip(jax.jit(lambda c: program(jnp, c))(stream), program(np, stream)):
        np.testing.assert_array_equal(value, expected)


def test_seeds_are_the_key_and_the_high_half_of_the_counter():
    stream = philox.initial_stream(0x1234567800000001, -2)
    assert stream.tolist() == [1, 0x12345678, 0, 0, 0xFFFFFFFE, 0xFFFFFFFF]


def test_without_seeds_the_start_differs_each_time():
    streams = {philox.initial_stream(0, 0).tobytes() for _ in range(5)}
    assert len(streams) == 5


@pytest.mark.parametrize("count", [0, 1, distributions.NUMPY_PIECE * 4 + 5])
def test_pieces_make_one_stream(count):
    stream = philox.make_stream(3, 2**40)
    whole = philox.interleave(np, philox.blocks(np, stream, -(-count // 4)), np.uint32)[:count]
    np.testing.assert_array_equal(distributions.words(np, stream, count), whole)
    assert distributions.words(np, stream, count).dtype == np.uint32

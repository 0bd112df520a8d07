"""Strings: hash functions against published values, regular expressions, number texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater as tf
from headwater.ops.strings.codecs import decoded, encoded
from headwater.ops.strings.hashes import siphash
from headwater.ops.strings.parsing import parse_float, parse_integer


def test_siphash_of_its_paper():
    # Aumasson and Bernstein, SipHash (2012), appendix A.
    key = (0x0706050403020100, 0x0F0E0D0C0B0A0908)
    assert siphash(key, bytes(range(15))) == 0xA129CA6149BE45E5


@given(st.text(), st.sampled_from(["UTF-8", "UTF-16-BE", "UTF-32-BE"]))
def test_decoding_undoes_encoding(text, name):
    python_name = {"UTF-8": "utf-8"}.get(name, name.lower())
    valid = [ord(c) for c in text if not 0xD800 <= ord(c) <= 0xDFFF]
    data = encoded(valid, name)
    characters = decoded(data, python_name)
    assert [c.code for c in characters] == valid
    ends = [c.start for c in characters[1:]] + [len(data)]
    for character, end in zip(characters, ends):
        part = data[character.start : end]
        assert part.decode(python_name) == chr(character.code)


@given(st.binary(max_size=30))
def test_bad_bytes_decode_as_in_python(data):
    codes = [c.code for c in decoded(data, "utf-8")]
    shown = "".join("\ufffd" if code is None else chr(code) for code in codes)
    assert shown == data.decode("utf-8", "replace")


@given(st.floats(width=32, allow_nan=False))
def test_numbers_are_read_back(number):
    text = repr(float(number)).encode()
    assert parse_float(text, tf.float32) == np.float32(number)


def test_halves_of_float32_are_rounded_once():
    # The double nearest to this text lies in the middle of two floats.
    assert parse_float(b"1.000000059604644775390625000001", tf.float32) == np.float32(1.0000001)
    assert parse_float(b"1.000000059604644775390625", tf.float32) == np.float32(1.0)


@pytest.mark.parametrize("text", [b"", b"+1", b"1.0", b"0x1", b"2147483648", b"1_0"])
def test_texts_of_no_int32(text):
    assert parse_integer(text, tf.int32) is None


def test_parts_and_characters_of_several_texts_are_ragged():
    parts = tf.string_split(["a b", "", "c"], result_type="RaggedTensor")
    codes = tf.strings.unicode_decode(["ab", "c"], "UTF-8")
    with tf.Session() as session:
        found, points = session.run([parts, codes])
    assert found.to_list() == [[b"a", b"b"], [], [b"c"]]
    assert points.to_list() == [[97, 98], [99]]


def test_unicode_split_gives_characters():
    text = "h\u00e9\U0001f600".encode()
    with tf.Session() as session:
        characters, starts = session.run(tf.strings.unicode_split_with_offsets(text, "UTF-8"))
        again = session.run(tf.strings.unicode_encode([[104, 233], [128512, 97]], "UTF-8"))
        single = session.run(tf.strings.bytes_split("abc"))
    assert characters.tolist() == [b"h", b"\xc3\xa9", b"\xf0\x9f\x98\x80"]
    assert starts.tolist() == [0, 1, 3]
    assert again.tolist() == [b"h\xc3\xa9", b"\xf0\x9f\x98\x80a"]
    assert single.tolist() == [b"a", b"b", b"c"]


def test_strings_follow_compiled_ops(monkeypatch):
    monkeypatch.setenv("HEADWATER_JIT", "always")
    numbers = tf.placeholder(tf.float32, [None])
    text = tf.as_string(numbers * 2, precision=1)
    length = tf.cast(tf.strings.length(text), tf.float32) + numbers
    with tf.Session() as session:
        assert session.run(length, {numbers: [1.0, 10.0]}).tolist() == [4.0, 14.0]

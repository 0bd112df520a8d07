"""Regular expressions: RegexFullMatch and RegexReplace, with values of TensorFlow 1.15.5."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater as tf

TEXTS = [b"a1b22", b"", "h\u00e9 llo".encode(), b"\xff\xfea", b"aXbX", b"a\nb", b"aaa", b"a\0b"]


@pytest.fixture
def run():
    session = tf.Session()
    return session.run


@pytest.mark.parametrize(
    ("pattern", "rewrite", "replaced", "first_replaced"),
    [
        ("[0-9]+", "#", b"a#b#", b"a#b22"),
        ("x*", "#", b"#a#1#b#2#2#", b"#a1b22"),
        ("b|1", "<\\0>", b"a<1><b>22", b"a<1>b22"),
        ("([a-z])(.)", "\\2\\1", b"1a2b2", b"1ab22"),
        ("[0-9]", "\\9", b"ab", b"ab22"),  # a group that is not there is empty
        ("[0-9]", "\\12", b"a2b22", b"a2b22"),
        ("b", "x\\a", b"a1x22", b"a1b22"),  # \\a is not valid
        ("(a*)*", "-", b"-1-b-2-2-", b"-1b22"),
        ("(?i)A", "", b"1b22", b"1b22"),
        ("2$", "!", b"a1b2!", b"a1b2!"),
        ("(?U)2+", "!", b"a1b!!", b"a1b!2"),
        ("zzz", "!", b"a1b22", b"a1b22"),
    ],
)
def test_replacing(run, pattern, rewrite, replaced, first_replaced):
    for name in (str, tf.constant):
        result = tf.regex_replace("a1b22", name(pattern), name(rewrite))
        first = tf.regex_replace("a1b22", name(pattern), name(rewrite), replace_global=False)
        assert run([result, first]) == [replaced, first_replaced]


def test_characters_and_bytes(run):
    text = ["h\u00e9".encode(), b"\xff\xfea", b"\xc3"]
    assert run(tf.regex_replace(text, ".", "<\\0>")).tolist() == [
        b"<h><\xc3\xa9>",
        b"\xff\xfe<a>",
        b"\xc3",
    ]
    assert run(tf.regex_replace(text, "", "-")).tolist() == [
        b"-h-\xc3\xa9-",
        b"-\xff-\xfe-a-",
        b"-\xc3-",
    ]
    assert run(tf.regex_replace(text, r"\C", "b")).tolist() == [b"bbb", b"bbb", b"b"]
    assert run(tf.strings.regex_full_match(text, r"\pL+")).tolist() == [True, False, False]


def test_full_matches(run):
    expected = {
        r"\A\w+\z": [True, False, False, False, True, False, True, False],
        "[^a]*": [False, True, True, False, False, False, False, False],
        "(?s).*": [True, True, True, False, True, True, True, True],
        "a(.|\n)b": [False, False, False, False, False, True, False, True],
        "(|a)+": [False, True, False, False, False, False, True, False],
    }
    for pattern, matches in expected.items():
        assert run(tf.strings.regex_full_match(TEXTS, pattern)).tolist() == matches, pattern


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "missing ): ("),
        ("a)", "missing ): a)"),
        ("[", "missing ]: ["),
        ("a**", "bad repetition operator: **"),
        ("a{2,1}", "invalid repetition size: {2,1}"),
        ("a{1001}", "invalid repetition size: {1001}"),
        ("\\8", "invalid escape sequence: \\8"),
        ("\\", "trailing \\"),
        ("(?=a)", "invalid perl operator: (?="),
        ("\\p{Foo}", "invalid character class range: \\p{Foo}"),
        ("[z-a]", "invalid character class range: z-a"),
    ],
)
def test_patterns_that_are_refused(run, pattern, reason):
    text = f"Invalid pattern: {pattern}, error: {reason}"
    for given_pattern in (pattern, tf.constant(pattern)):
        for node in (
            tf.strings.regex_full_match(["a"], given_pattern),
            tf.regex_replace(["a"], given_pattern, tf.constant("")),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError) as raised:
                run(node)
            assert raised.value.message.startswith(text)


def test_bytes_that_are_no_pattern(run):
    with pytest.raises(tf.errors.InvalidArgumentError, match="error: invalid UTF-8"):
        run(tf.strings.regex_full_match(["a"], b"\xff"))


@pytest.mark.timeout(20)
def test_patterns_that_would_backtrack(run):
    # Exponential where alternatives are tried one after the other, linear in RE2.
    for pattern in ("(a+)+b", "(a|aa)+b", "(a*)*b", "([a-z]+)*[0-9]", "(.*)(.*)(.*)(.*)(.*)x"):
        assert not run(tf.strings.regex_full_match(b"a" * 100_000, pattern))
        assert run(tf.regex_replace(b"a" * 3000, pattern, "-")) == b"a" * 3000


@given(st.text(alphabet="ab.*+?()[]{}|^$\\1-", max_size=8))
def test_patterns_are_compiled_or_refused(pattern):
    with tf.Graph().as_default(), tf.Session() as session:
        node = tf.strings.regex_full_match([b"ab", b""], pattern)
        try:
            found = session.run(node)
        except tf.errors.InvalidArgumentError as error:
            assert error.message.startswith(f"Invalid pattern: {pattern}, error: ")
        else:
            assert found.dtype == np.bool_


@given(st.text(max_size=12))
def test_quoted_patterns_match_themselves(text):
    valid = "".join(c for c in text if not 0xD800 <= ord(c) <= 0xDFFF and c != "\\")
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.strings.regex_full_match(valid.encode(), f"\\Q{valid}\\E"))

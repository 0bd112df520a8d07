"""Text and bytes of both Python eras."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from headwater.base import compat_strings


def test_as_bytes() -> None:
    assert compat_strings.as_bytes("ä") == b"\xc3\xa4"
    assert compat_strings.as_bytes("ä", "latin1") == b"\xe4"
    assert compat_strings.as_bytes(b"x") == b"x"
    assert type(compat_strings.as_bytes(bytearray(b"x"))) is bytes


def test_as_text() -> None:
    assert compat_strings.as_text(b"\xc3\xa4") == "ä"
    assert compat_strings.as_text(b"\xe4", encoding="latin1") == "ä"
    assert compat_strings.as_text("ä") == "ä"
    assert compat_strings.as_str is compat_strings.as_text


@pytest.mark.parametrize("function", [compat_strings.as_bytes, compat_strings.as_text])
def test_anything_else_is_refused(function: object) -> None:
    with pytest.raises(TypeError, match=r"^Expected binary or unicode string, got 1$"):
        function(1)  # type: ignore[operator]


def test_as_str_any() -> None:
    assert compat_strings.as_str_any(1) == "1"
    assert compat_strings.as_str_any(b"x") == "x"
    assert compat_strings.as_str_any([b"x"]) == "[b'x']"


def test_path_to_str() -> None:
    assert compat_strings.path_to_str(pathlib.PurePosixPath("/a/b")) == "/a/b"
    assert compat_strings.path_to_str(b"x") == b"x"
    assert compat_strings.path_to_str(3) == 3


def test_the_number_types_know_numpys() -> None:
    assert isinstance(np.int8(1), compat_strings.integral_types)
    assert not isinstance(np.float32(1), compat_strings.integral_types)
    assert isinstance(np.float32(1), compat_strings.real_types)
    assert isinstance(np.complex64(1), compat_strings.complex_types)
    assert isinstance("x", compat_strings.bytes_or_text_types)

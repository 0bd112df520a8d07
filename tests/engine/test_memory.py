"""Values of variables share no memory with arrays that may change."""

from __future__ import annotations

import numpy as np
import pytest

from headwater.engine.state import Memory

_ARRAY = np.arange(12.0).reshape(3, 4)
_BUFFER = bytearray(32)
_FROM_BUFFER = np.frombuffer(_BUFFER, np.float32)


class _Own(np.ndarray):
    pass


@pytest.mark.parametrize(
    ("value", "source"),
    [
        (_ARRAY, _ARRAY),
        (_ARRAY[1:], _ARRAY),
        (_ARRAY, _ARRAY[1:]),
        (_ARRAY[1:].T[1:], _ARRAY[:2].reshape(-1)),
        (_FROM_BUFFER, _FROM_BUFFER[2:]),
        (_FROM_BUFFER[1:], np.frombuffer(_BUFFER, np.int32)),
        (_ARRAY.view(_Own)[1:], _ARRAY.view(_Own)),
        (_ARRAY, np.frombuffer(memoryview(_ARRAY), np.float64)),
        (np.asarray(memoryview(_ARRAY))[1:], _ARRAY),
    ],
)
def test_shared_memory_is_copied(value, source):
    found = Memory([1.5, None, np.zeros(3), source]).unaliased(value)
    assert not np.may_share_memory(found, source)
    np.testing.assert_array_equal(found, value)


@pytest.mark.parametrize("source", [np.zeros(3), _FROM_BUFFER, _ARRAY[:1], None, 3])
def test_other_values_stay_as_they_are(source):
    memory = Memory([source])
    for value in (np.ones(2), _ARRAY[2:], np.ones((2, 2)).T, np.float32(1), "text", None):
        assert memory.unaliased(value) is value

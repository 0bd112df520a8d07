"""A function called for each of several elements, in threads."""

import threading
import time

import numpy as np
import pytest

from headwater.engine.running import element_calls
from headwater.engine.running.element_calls import ElementCalls


@pytest.fixture(autouse=True)
def two_cores(monkeypatch):
    monkeypatch.setattr(element_calls, "_cores", lambda: 2)


def test_later_calls_compute_their_first_element_beside_others():
    meeting = threading.Barrier(2, timeout=60)
    first_call = True

    def call(element):
        if first_call:
            time.sleep(2 * element_calls._SHORT)
        elif element[0] < 2:
            meeting.wait()
        return [element[0] * 10]

    calls = ElementCalls(call)
    for first_call in (True, False):  # noqa: B007
        (results,) = calls([np.arange(6)])
        assert list(results) == [0, 10, 20, 30, 40, 50]


@pytest.mark.parametrize("failing", (0, 1, 5))
def test_no_thread_computes_after_a_call_that_fails(failing):
    running = []

    def call(element):
        running.append(element[0])
        time.sleep(2 * element_calls._SHORT)
        running.remove(element[0])
        if element[0] == failing:
            raise ValueError(f"element {failing}")
        return [element[0]]

    calls = ElementCalls(call)
    calls([np.arange(10, 14)])
    with pytest.raises(ValueError, match=f"element {failing}"):
        calls([np.arange(6)])
    assert not running

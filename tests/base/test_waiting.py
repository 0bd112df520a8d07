"""Work of several parts: a Waiting whose result is another one."""

from __future__ import annotations

import threading

import pytest

from headwater.base import errors
from headwater.base.cancellation import Cancellation, running
from headwater.base.waiting import Waiting, advanced


class Parts(Waiting):
    """Work that goes on with more work when it is done."""

    def __init__(self, following):
        super().__init__()
        self.following = following

    def result(self):
        super().result()
        return self.following


def test_waiting_for_all_parts():
    last = Waiting()
    middle = Parts(last)
    first = Parts(middle)
    threads = [
        threading.Timer(0.02 * i, w.finish, [i]) for i, w in enumerate((first, middle, last))
    ]
    for thread in threads:
        thread.start()
    assert first.wait() == 2
    for thread in threads:
        thread.join()


def test_advancing_as_far_as_possible():
    last = Waiting()
    first = Parts(Parts(last))
    assert advanced(first) is first
    first.finish()
    assert advanced(first) is first.following
    first.following.finish()
    assert advanced(first) is last
    last.finish("done")
    assert advanced(first) == "done"
    assert advanced("no work") == "no work"


def test_a_part_that_fails():
    last = Waiting()
    first = Parts(last)
    first.finish()
    last.fail(errors.OutOfRangeError(None, None, "end"))
    with pytest.raises(errors.OutOfRangeError, match="end"):
        first.wait()
    with pytest.raises(errors.OutOfRangeError, match="end"):
        advanced(first)


def test_the_part_that_waits_is_withdrawn():
    withdrawn = []
    first = Parts(Waiting("cancelled", withdrawn.append))
    first.finish()
    stop = Cancellation(seconds=0.02)
    with running(stop), pytest.raises(errors.DeadlineExceededError):
        first.wait()
    assert withdrawn == [first.following]

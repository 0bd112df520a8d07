import threading

import numpy as np
import pytest

from headwater.base.lazy import jax
from headwater.engine.compiling import threads
from headwater.engine.compiling.threads import all_in_threads, in_threads


@pytest.fixture(params=[0, 1, 3])
def free_cores(request, monkeypatch):
    monkeypatch.setattr(threads, "_free_cores", threading.Semaphore(request.param))
    return request.param


def test_results_come_in_order_whatever_the_number_of_cores(free_cores):
    assert all_in_threads([]) == []
    assert all_in_threads([lambda i=i: i * i for i in range(20)]) == [i * i for i in range(20)]
    # All cores are free again.
    assert all(threads._free_cores.acquire(blocking=False) for _ in range(free_cores))
    assert not threads._free_cores.acquire(blocking=False)


def test_calls_may_be_nested(free_cores):
    inner = [lambda i=i: i for i in range(3)]
    assert all_in_threads([lambda: sum(all_in_threads(inner))] * 4) == [3] * 4


def test_the_first_error_is_raised_after_all_have_ended(free_cores):
    ended = []

    def fail(number):
        ended.append(number)
        raise ValueError(number)

    with pytest.raises(ValueError, match="0"):
        all_in_threads([lambda i=i: fail(i) for i in range(5)])
    assert sorted(ended) == list(range(5))


def test_errors_of_the_other_functions_are_dropped(free_cores):
    done = []

    def fail():
        done.append("failed")
        raise ValueError

    assert in_threads(lambda: "result", [fail, lambda: done.append("done")]) == "result"
    assert sorted(done) == ["done", "failed"]


def test_other_threads_use_the_device_of_this_one(free_cores):
    device = jax.devices()[-1]

    def where():
        return jax.numpy.asarray(np.ones(2)).devices(), threading.get_ident()

    barrier = threading.Barrier(min(free_cores, 1) + 1, timeout=20)

    def together():
        barrier.wait()
        return where()

    with jax.default_device(device):
        found = all_in_threads([together] * (min(free_cores, 1) + 1))
    assert all(devices == {device} for devices, _ in found)
    assert len({thread for _, thread in found}) == len(found)

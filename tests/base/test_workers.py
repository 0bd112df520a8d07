from __future__ import annotations

import os
import threading

import pytest

from headwater.base import workers


def run(task=lambda: None):
    """Runs a task; returns the thread that ran it, once that is idle again."""
    found, done = [], threading.Event()

    def work():
        found.append(threading.current_thread())
        task()
        done.set()

    workers.start(work)
    assert done.wait(10)
    while found[0].is_alive() and found[0] not in workers._idle:
        pass
    return found[0]


def test_a_thread_is_used_again_and_ends_when_there_is_no_work(monkeypatch):
    monkeypatch.setattr(workers, "_PATIENCE", 5.0)
    first = run()
    assert run() is first
    monkeypatch.setattr(workers, "_PATIENCE", 0.01)
    assert run() is first
    first.join(10)
    assert not first.is_alive()
    assert first not in workers._idle


def test_tasks_run_at_the_same_time():
    met = threading.Barrier(4)
    done = [threading.Event() for _ in range(4)]
    for event in done:
        workers.start(lambda event=event: (met.wait(10), event.set()))
    assert all(event.wait(10) for event in done)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_a_child_process_starts_threads_of_its_own():
    run()
    child = os.fork()
    if child == 0:
        done = threading.Event()
        workers.start(done.set)
        os._exit(0 if done.wait(10) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

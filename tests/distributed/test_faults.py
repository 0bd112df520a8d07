"""Tasks that die and come back."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Any

import pytest

import headwater as tf
from headwater.base import errors
from headwater.distributed.local_cluster import free_ports

PS = """
import json, sys
import headwater as tf
server = tf.train.Server(json.loads(sys.argv[1]), job_name="ps", task_index=0)
print("ready", flush=True)
server.join()
"""


def started(cluster: dict[str, list[str]]) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", PS, json.dumps(cluster)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process.stdout as out:
        assert out.readline() == "ready\n"
    return process


# Three processes that import Headwater, one after the other.
@pytest.mark.slow
def test_a_parameter_server_that_is_killed_and_restarted() -> None:
    addresses = [f"localhost:{port}" for port in free_ports(2)]
    cluster = {"worker": addresses[:1], "ps": addresses[1:]}
    worker = tf.train.Server(cluster, job_name="worker", task_index=0)
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0, name="v")
        waiting = tf.FIFOQueue(1, tf.float32, name="q").dequeue()
    total = v + tf.constant(2.0)
    ps = started(cluster)
    try:
        with tf.Session(worker.target) as session:
            session.run(v.initializer)
            assert session.run(total) == 3.0
            ps.kill()
            ps.wait()
            with pytest.raises((errors.UnavailableError, errors.AbortedError)):
                session.run(total)
            ps = started(cluster)
            for _ in range(2):
                # The new process knows neither the session nor its graphs.
                with pytest.raises(
                    (errors.AbortedError, errors.UnavailableError),
                    match=r"is not found|expects a different device incarnation|onnect",
                ):
                    session.run(total)
        with tf.Session(worker.target) as session:
            with pytest.raises(errors.FailedPreconditionError, match="uninitialized value v"):
                session.run(total)
            session.run(v.initializer)
            assert session.run(total) == 3.0
            ending = _kill_soon(ps)
            with pytest.raises(errors.UnavailableError):
                session.run(waiting + 1)
            ending.join(20)
    finally:
        ps.kill()
        ps.wait()


def _kill_soon(process: Any) -> Any:
    """Kills a process while this one waits for it."""
    timer = threading.Timer(0.5, process.kill)
    timer.start()
    return timer


def test_a_client_gives_up_waiting_for_a_task_that_is_missing() -> None:
    addresses = [f"localhost:{port}" for port in free_ports(2)]
    cluster = {"worker": addresses[:1], "ps": addresses[1:]}
    worker = tf.train.Server(cluster, job_name="worker", task_index=0)
    config = tf.ConfigProto(operation_timeout_in_ms=200)
    with (
        tf.Session(worker.target, config=config) as session,
        pytest.raises(errors.DeadlineExceededError),
    ):
        session.run(tf.constant(1))
    # A session that leaves the missing task out does not wait for it.
    alone = tf.ConfigProto(device_filters=["/job:worker"])
    with tf.Session(worker.target, config=alone) as session:
        assert session.run(tf.constant(1)) == 1

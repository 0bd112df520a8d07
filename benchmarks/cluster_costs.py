"""What a step costs that a worker makes with a parameter server: docs/many_machines.md explains it.

    python -m benchmarks.cluster_costs

Measures processor time, which other work on the machine hardly changes, of both tasks: for steps
that read some variables from the parameter server and update them there. A linear model of three of
them is compared with others, and with the training of a perceptron.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import headwater
from headwater.distributed.local_cluster import free_ports

# Its names are found at run time.
tf: Any = headwater

PS = """
import json, sys
import headwater as tf
server = tf.train.Server(json.loads(sys.argv[1]), job_name="ps", task_index=0)
print("ready", flush=True)
server.join()
"""
WARM_STEPS, STEPS = 150, 400
# Numbers of variables, and the elements of each: the model is made of these,
FITTED = ((1, 4000), (24, 4000), (1, 1_000_000))
# and compared with these.
PREDICTED = ((8, 4000), (8, 20_000), (4, 500_000))


class Cost(NamedTuple):
    """Milliseconds of processor time of one step.

    Attributes:
        local: in a session without servers.
        worker: of the worker.
        ps: of the parameter server.
    """

    local: float
    worker: float
    ps: float


def plain(variables: int, elements: int) -> Callable[[], Any]:
    """A step that reads variables and subtracts something from them."""

    def build() -> Any:
        with tf.device(tf.train.replica_device_setter(1, worker_device="/job:worker/task:0")):
            found = [tf.Variable(tf.ones([elements]), name=f"v{i}") for i in range(variables)]
            gradients = [v * 0.1 for v in found]
            updates = [tf.assign_sub(v, g) for v, g in zip(found, gradients)]
            return tf.group(*updates), {}

    return build


def perceptron() -> Any:
    """A step of training a perceptron with a hidden layer of 100 on 100 digits."""
    rng = np.random.default_rng(0)
    with tf.device(tf.train.replica_device_setter(1, worker_device="/job:worker/task:0")):
        x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int64, [None])
        logits = tf.layers.dense(tf.layers.dense(x, 100, tf.nn.relu), 10)
        loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
        step = tf.train.get_or_create_global_step()
        train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=step)
    return train, {x: rng.random((100, 784)).astype("f"), y: rng.integers(0, 10, 100)}


def measured(build: Callable[[], Any], target: str, pid: int) -> Cost:
    """The cost of a step, without servers and with a parameter server."""
    local, _ = _run(build, "", pid)
    worker, ps = _run(build, target, pid)
    return Cost(local, worker, ps)


def _run(build: Callable[[], Any], target: str, pid: int) -> tuple[float, float]:
    with tf.Graph().as_default():
        step, feeds = build()
        config = tf.ConfigProto(allow_soft_placement=True)
        if not target:
            for op in tf.get_default_graph().get_operations():
                op._set_device("")
        with tf.Session(target, config=config) as session:
            session.run(tf.global_variables_initializer())
            for _ in range(WARM_STEPS):
                session.run(step, feeds)
            own, other = time.process_time(), _cpu_seconds(pid)
            for _ in range(STEPS):
                session.run(step, feeds)
            own, other = time.process_time() - own, _cpu_seconds(pid) - other
    if target:
        tf.Session.reset(target)
    return 1e3 * own / STEPS, 1e3 * other / STEPS


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def fitted(costs: Sequence[float]) -> np.ndarray:
    """The constants: milliseconds per step, per variable and per megabyte of variables."""
    rows = [[1.0, variables, variables * elements * 4e-6] for variables, elements in FITTED]
    return np.linalg.solve(rows, costs)


def main() -> None:
    """Prints the constants, and predictions beside what is measured."""
    addresses = [f"localhost:{port}" for port in free_ports(2)]
    cluster = {"worker": addresses[:1], "ps": addresses[1:]}
    arguments = [sys.executable, "-c", PS, json.dumps(cluster)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            server = tf.train.Server(cluster, job_name="worker", task_index=0)
            _report(server.target, process.pid)
        finally:
            process.kill()


def _report(target: str, pid: int) -> None:
    costs = [measured(plain(*kind), target, pid) for kind in FITTED]
    both = fitted([c.worker + c.ps - c.local for c in costs])
    ps = fitted([c.ps for c in costs])
    for name, constants in (("both tasks, more than without servers", both), ("ps alone", ps)):
        step, variable, megabyte = constants
        print(f"{name}: {step:.3f} ms/step {variable:.4f} ms/variable {megabyte:.3f} ms/MB")
    kinds = [(f"{n} x {size}", plain(n, size), n, 4e-6 * n * size) for n, size in PREDICTED]
    kinds.append(("perceptron", perceptron, 5, 0.318))
    for name, build, variables, megabytes in kinds:
        cost = measured(build, target, pid)
        inputs = [1.0, variables, megabytes]
        predicted = (cost.local + float(both @ inputs), float(ps @ inputs))
        found = (cost.worker + cost.ps, cost.ps)
        texts = [f"{p:.2f} for {f:.2f} ({p / f - 1:+.0%})" for p, f in zip(predicted, found)]
        print(f"{name}: both tasks {texts[0]} ms, ps {texts[1]} ms, local {cost.local:.2f} ms")


if __name__ == "__main__":
    main()

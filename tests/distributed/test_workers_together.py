"""Workers that train together: processes with equal variables, and collectives between them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from headwater.distributed.local_cluster import free_ports

# Each process trains on its share of the batches, and prints losses and the bits of the variables.
TRAINING = """
import os, sys
import numpy as np
import headwater as tf

strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
replicas = strategy.num_replicas_in_sync
x = np.arange(32, dtype=np.float32).reshape(32, 1) / 10
normal = tf.initializers.random_normal

def step(batch):
    x, y = batch
    h = tf.layers.dense(x, 4, tf.nn.tanh, kernel_initializer=normal(seed=1))
    p = tf.layers.dense(h, 1, kernel_initializer=normal(seed=2))
    e = tf.get_variable("e", [4, 1], initializer=normal(seed=3))
    p += tf.nn.embedding_lookup(e, tf.cast(x[:, 0], tf.int32) % 4)
    loss = tf.reduce_sum(tf.square(p - y)) / 8
    global_step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.01).minimize(loss, global_step)
    mean = tf.distribute.get_replica_context().all_reduce("MEAN", loss)
    with tf.control_dependencies([train]):
        return tf.identity(loss), mean

with strategy.scope():
    data = tf.data.Dataset.from_tensor_slices((x, 2 * x)).repeat().batch(8)
    iterator = strategy.make_dataset_iterator(data)
    losses, mean = strategy.experimental_run(step, iterator)
    loss = strategy.reduce("SUM", losses, axis=None)
print("replicas", replicas, flush=True)
with tf.Session() as session:
    session.run(iterator.initialize())
    session.run(tf.global_variables_initializer())
    for i in range(int(sys.argv[1])):
        found, average = session.run([loss, mean])
        if i == int(sys.argv[2]) and strategy.extended.should_checkpoint is False:
            os._exit(1)
    print("loss", found, average * replicas)
    values = session.run(tf.trainable_variables())
    print("bits", [value.tobytes().hex() for value in values])
    print("values", [x for value in values for x in value.ravel().tolist()])
"""


def started(source: str, count: int, *arguments: str) -> list[subprocess.Popen[str]]:
    addresses = [f"localhost:{port}" for port in free_ports(count)]
    environment = {**os.environ, "HEADWATER_COORDINATOR": f"localhost:{free_ports(1)[0]}"}
    processes = []
    for index in range(count):
        task = {"type": "worker", "index": index}
        config = {"cluster": {"worker": addresses}, "task": task}
        processes.append(
            subprocess.Popen(
                [sys.executable, "-c", source, *arguments],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**environment, "TF_CONFIG": json.dumps(config)},
            )
        )
    return processes


def ended(processes: list[subprocess.Popen[str]], seconds: float = 90) -> list[tuple[str, str]]:
    try:
        return [process.communicate(timeout=seconds) for process in processes]
    finally:
        for process in processes:
            process.kill()


def printed(output: str, word: str) -> Any:
    (line,) = [line for line in output.splitlines() if line.startswith(word + " ")]
    return line.removeprefix(word + " ")


# Three processes.
@pytest.mark.slow
def test_two_workers_compute_what_one_does_with_the_joined_batch() -> None:
    ((alone, errors),) = ended(started(TRAINING, 1, "20", "-1"))
    assert "loss" in alone, errors
    outputs = ended(started(TRAINING, 2, "20", "-1"))
    assert all("bits" in out for out, _ in outputs), outputs
    assert [printed(out, "replicas") for out, _ in outputs] == ["2", "2"]
    # Equal bit for bit in both, and to the one of a single process up to rounding.
    assert printed(outputs[0][0], "bits") == printed(outputs[1][0], "bits")
    assert printed(outputs[0][0], "loss") == printed(outputs[1][0], "loss")
    values = [json.loads(printed(output, "values")) for output in (alone, outputs[0][0])]
    assert values[0] == pytest.approx(values[1], abs=1e-5)
    loss, mean = (float(part) for part in printed(outputs[0][0], "loss").split())
    assert loss == pytest.approx(mean, rel=1e-5)


# Processes that end when the runtime finds out that one is dead.
@pytest.mark.slow
def test_the_death_of_a_worker_ends_the_run_of_the_other() -> None:
    chief, worker = started(TRAINING, 2, "100000", "30")
    ((_, errors),) = ended([chief])
    ended([worker])
    assert worker.returncode == 1
    assert chief.returncode != 0
    assert "InternalError: Collective op failed" in errors
    assert "another process of the job has ended" in errors


COLLECTIVES = """
import numpy as np
import headwater as tf
from headwater.graph import build

strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
rank = strategy.extended.input_context().input_pipeline_id
common = {"group_size": 2, "group_key": 7}
reduced = {"subdiv_offsets": [0], **common}
x = tf.constant([1.0, 5.0]) * (rank + 2.0)
results = [
    build.CollectiveReduce(x, merge_op=merge, final_op=final, instance_key=100 + i, **reduced)
    for i, (merge, final) in enumerate(
        [("Add", "Id"), ("Add", "Div"), ("Mul", "Id"), ("Max", "Id"), ("Min", "Id")]
    )
]
n = tf.constant([7 + rank], tf.int64)
results.append(
    build.CollectiveReduce(n, merge_op="Add", final_op="Div", instance_key=110, **reduced)
)
results.append(build.CollectiveGather(x, shape=[0], instance_key=111, **common))
if rank == 1:
    last = build.CollectiveBcastSend(x, shape=[2], instance_key=112, **common)
else:
    last = build.CollectiveBcastRecv(T=tf.float32, shape=[2], instance_key=112, **common)
with tf.Session() as session:
    # In another order than that of their making.
    found = session.run([last, *results[::-1]])
    print("found", [value.tolist() for value in found])
"""


# Two processes.
@pytest.mark.slow
def test_collective_ops_of_two_processes() -> None:
    outputs = ended(started(COLLECTIVES, 2))
    found = [json.loads(printed(out, "found")) for out, errors in outputs]
    wanted = [
        [3, 15],
        [2, 10, 3, 15],
        [7],
        [2, 10],
        [3, 15],
        [6, 150],
        [2.5, 12.5],
        [5, 25],
    ]
    assert found == [wanted, wanted]

"""Workers that train together: processes with equal variables, and collectives between them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
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


UNEQUAL = """
import numpy as np
import headwater as tf
from headwater.graph import build

strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
rank = strategy.extended.input_context().input_pipeline_id
common = {"group_size": 2, "group_key": 7}
reduced = {"merge_op": "Add", "final_op": "Id", "subdiv_offsets": [0], **common}
x = tf.placeholder(tf.float32, [None])
found = {
    "shape": build.CollectiveReduce(x, instance_key=1, **reduced),
    "rows": build.CollectiveGather(x, shape=[0], instance_key=2, **common),
    "static": build.CollectiveReduce(tf.zeros([2 + rank]), instance_key=3, **reduced),
    "type": build.CollectiveReduce([1, 1.0][rank], instance_key=4, **reduced),
    "instance": build.CollectiveReduce(x, instance_key=5 + rank, **reduced),
}
with tf.Session() as session:
    for name in ("shape", "rows", "static", "static", "type", "instance"):
        try:
            session.run(found[name], {x: np.ones(1000 + rank)})
        except tf.errors.InvalidArgumentError as error:
            print(name, "fails:", error.message.splitlines()[0])
    print("found", session.run(found["shape"], {x: [1.0, 2.0]}).tolist())
"""


# Two processes.
@pytest.mark.slow
def test_values_that_differ_in_shape_or_type_fail_in_all_processes() -> None:
    for output, errors in ended(started(UNEQUAL, 2)):
        failed = [line for line in output.splitlines() if "fails:" in line]
        assert len(failed) == 6, errors
        assert "Shape mismatch in the collective instance 1" in failed[0]
        assert "Shape mismatch in the collective instance 2" in failed[1]
        assert "Shape mismatch in the collective instance 3" in failed[2]
        assert "Shape mismatch in the collective instance 3" in failed[3]
        assert "Type mismatch in the collective instance 4" in failed[4]
        assert "all processes must run the same steps" in failed[5]
        assert printed(output, "found") == "[2.0, 4.0]"


# A model with sparse gradients, weights of examples, regularization and a batch that is not full.
FIT = """
import json
import os
import sys
import numpy as np
import headwater as tf

keras = tf.keras
strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
numbers = np.arange(27) % 5
x = [numbers, np.arange(27, dtype=np.float32)[:, None] / 27]
y = (numbers + 1) % 3
weights = 1.0 + numbers / 4
shuffle = sys.argv[1] == "shuffle"
with strategy.scope():
    a, b = keras.Input((1,), dtype="int32"), keras.Input((1,))
    embedded = keras.layers.Embedding(5, 4, embeddings_initializer="uniform")(a)
    h = keras.layers.Concatenate()([keras.layers.Flatten()(embedded), b])
    h = keras.layers.Dense(8, "tanh", kernel_regularizer=keras.regularizers.l2(0.01))(h)
    model = keras.Model([a, b], keras.layers.Dense(3, "softmax")(h))
    model.compile(
        keras.optimizers.Adam(0.05), "sparse_categorical_crossentropy", metrics=["accuracy"]
    )
if os.path.exists("start.npz"):
    model.set_weights([values for _, values in sorted(np.load("start.npz").items())])
else:
    start = model.get_weights()
    if len(sys.argv) > 2:
        np.savez(sys.argv[2], **{f"{i:02}": value for i, value in enumerate(start)})
saver = keras.callbacks.ModelCheckpoint("saved.h5", save_weights_only=True, verbose=1)
history = model.fit(
    x, y, batch_size=8, epochs=3, shuffle=shuffle, sample_weight=weights, verbose=0,
    validation_data=([part[:9] for part in x], y[:9]), callbacks=[saver],
)
data = tf.data.Dataset.from_tensor_slices((tuple(x), y)).batch(8, drop_remainder=True)
results = {name: [float(v) for v in values] for name, values in history.history.items()}
print("history", json.dumps(results))
print("evaluated", json.dumps([float(v) for v in model.evaluate(data, verbose=0)]))
print("predicted", json.dumps(model.predict(x, batch_size=8).shape))
values = model.get_weights()
print("bits", [value.tobytes().hex() for value in values])
print("values", json.dumps([v for value in values for v in value.ravel().tolist()]))
"""


# Three processes.
@pytest.mark.slow
def test_models_of_keras_fit_as_one_process_does(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    ((alone, errors),) = ended(started(FIT, 1, "in order", "start.npz"))
    assert "values" in alone, errors
    outputs = ended(started(FIT, 2, "in order"))
    assert all("values" in out for out, _ in outputs), outputs
    first, second = (out for out, _ in outputs)
    for word in ("history", "evaluated", "bits"):
        assert printed(first, word) == printed(second, word)
    assert [json.loads(printed(out, "predicted")) for out in (first, second)] == [[14, 3], [13, 3]]
    # The first worker saves.
    assert "saving model" in first
    assert "saving model" not in second
    wanted, found = (json.loads(printed(out, "history")) for out in (alone, first))
    assert wanted.keys() == found.keys()
    for name, values in wanted.items():
        assert found[name] == pytest.approx(values, rel=1e-4), name
    for word in ("evaluated", "values"):
        wanted, found = (json.loads(printed(out, word)) for out in (alone, first))
        assert found == pytest.approx(wanted, rel=1e-3, abs=1e-5)


# Two processes.
@pytest.mark.slow
def test_models_of_keras_take_the_examples_in_one_order(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    outputs = ended(started(FIT, 2, "shuffle"))
    assert all("values" in out for out, _ in outputs), outputs
    assert printed(outputs[0][0], "bits") == printed(outputs[1][0], "bits")


AVERAGES = """
import numpy as np
import headwater as tf

keras = tf.keras
strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
with strategy.scope():
    model = keras.Sequential(
        [
            keras.layers.BatchNormalization(momentum=0.5, input_shape=(1,)),
            keras.layers.Dense(1, kernel_initializer="zeros", use_bias=False),
        ]
    )
    model.compile(keras.optimizers.SGD(1.0, clipnorm=0.25), "mse")
x = np.arange(8, dtype=np.float32)[:, None]
model.fit(x, 100 * x, batch_size=8, shuffle=False, verbose=0)
print("mean", model.layers[0].get_weights()[2].item())
print("kernel", model.layers[1].get_weights()[0].item())
rank = strategy.extended.input_context().input_pipeline_id
if rank == 0:
    # Without the other worker.
    print("predicted", model.predict(x[:3]).shape[0])
"""


# Two processes.
@pytest.mark.slow
def test_averages_of_batches_and_clipped_gradients_of_workers() -> None:
    outputs = ended(started(AVERAGES, 2))
    for output, errors in outputs:
        assert "mean" in output, errors
        # Of half of 1.5 and of half of 5.5.
        assert float(printed(output, "mean")) == pytest.approx(1.75)
        # Each worker clips its gradient before they are added.
        assert float(printed(output, "kernel")) == pytest.approx(0.5, rel=1e-4)
    assert printed(outputs[0][0], "predicted") == "2"

"""TensorFlow's wire format: recorded messages, and real clients, masters and workers."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import pytest
from google.protobuf import text_format

import headwater as tf
from headwater.distributed.local_cluster import free_ports
from headwater.distributed.task import Task
from headwater.distributed.transport import MASTER, MASTER_METHODS, messages_of
from headwater.distributed.worker import Worker
from headwater.protos.graph_pb2 import GraphDef

GOLDEN = Path(__file__).parents[1] / "golden" / "wire_1.15.5.json"


def test_recorded_requests_get_the_recorded_responses() -> None:
    server = tf.train.Server.create_local_server()
    with grpc.insecure_channel(server.target.removeprefix("grpc://")) as channel:
        handle, methods = "", []
        for step in json.loads(GOLDEN.read_text()):
            method = step["method"]
            request_type, response_type = messages_of(method)
            request = request_type.FromString(base64.b64decode(step["request"]))
            expected = response_type.FromString(base64.b64decode(step["response"]))
            if handle:
                request.session_handle = handle
            call = channel.unary_unary(f"/{MASTER}/{method}")
            response = response_type.FromString(call(request.SerializeToString()))
            methods.append(method)
            if method == "CreateSession":
                handle = response.session_handle
            elif method == "RunStep":
                check_step(response, expected)
            elif method == "CloseSession":
                assert response == expected
    assert set(methods) == {"CreateSession", "ExtendSession", "RunStep", "CloseSession"}
    assert set(methods) <= set(MASTER_METHODS)


def check_step(response: Any, expected: Any) -> None:
    assert response.status_code == expected.status_code
    assert response.status_error_message == expected.status_error_message
    assert [named.name for named in response.tensor] == [named.name for named in expected.tensor]
    for one, two in zip(response.tensor, expected.tensor):
        np.testing.assert_array_equal(tf.make_ndarray(one.tensor), tf.make_ndarray(two.tensor))
        assert one.tensor.dtype == two.tensor.dtype


# What a master of TensorFlow makes of tf.log(-x), of a branch that is not taken, and of edges whose
# values are in the memory of the host.
PART = """
node { name: "_recv_x_0" op: "_Recv" DEVICE
       attr { key: "tensor_type" value { type: DT_FLOAT } } EDGE(x:0, true) }
node { name: "log" op: "_UnaryOpsComposition" input: "_recv_x_0" DEVICE
       attr { key: "T" value { type: DT_FLOAT } }
       attr { key: "op_names" value { list { s: "Neg" s: "Log" } } } }
node { name: "_send_log_0" op: "_Send" input: "log" DEVICE
       attr { key: "T" value { type: DT_FLOAT } } EDGE(log:0, true) }
node { name: "no" op: "Const" DEVICE attr { key: "dtype" value { type: DT_BOOL } }
       attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape { } bool_val: false } } } }
node { name: "switch" op: "Switch" input: "no" input: "no" DEVICE
       attr { key: "T" value { type: DT_BOOL } } }
node { name: "taken" op: "Identity" input: "switch:1" DEVICE
       attr { key: "T" value { type: DT_BOOL } } }
node { name: "one" op: "Const" input: "^taken" DEVICE
       attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }
node { name: "one/_1" op: "_HostSend" input: "one" DEVICE
       attr { key: "T" value { type: DT_FLOAT } } EDGE(one, false) }
node { name: "one/_2" op: "_HostRecv" DEVICE
       attr { key: "tensor_type" value { type: DT_FLOAT } } EDGE(one, false) }
node { name: "other" op: "Const" DEVICE attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 5 } } } }
node { name: "merge" op: "Merge" input: "one/_2" input: "other" DEVICE
       attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 2 } } }
node { name: "_send_merge_0" op: "_Send" input: "merge" DEVICE
       attr { key: "T" value { type: DT_FLOAT } } EDGE(merge:0, true) }
versions { producer: 134 }
"""


def part(device: Any) -> GraphDef:
    text = PART.replace("DEVICE", f'device: "{device.name}"')
    while "EDGE(" in text:
        before, _, rest = text.partition("EDGE(")
        arguments, _, after = rest.partition(")")
        name, client = arguments.split(", ")
        attrs = "".join(
            f'attr {{ key: "{key}" value {{ {value} }} }} '
            for key, value in (
                ("tensor_name", f's: "{name}"'),
                ("send_device", f's: "{device.name}"'),
                ("recv_device", f's: "{device.name}"'),
                ("send_device_incarnation", f"i: {device.incarnation}"),
                ("client_terminated", f"b: {client}"),
            )
        )
        text = before + attrs + after
    return text_format.Parse(text, GraphDef())


def test_a_part_that_a_foreign_master_made() -> None:
    server_def = tf.train.ServerDef(
        cluster=tf.train.ClusterSpec({"ps": ["localhost:0"]}).as_cluster_def(), job_name="ps"
    )
    task = Task(server_def)
    worker = Worker(task, lambda *arguments: pytest.fail("another task was asked"))
    device = task.devices[0]

    def key(name: str) -> str:
        return f"{device.name};{device.incarnation:016x};{device.name};{name};0:0"

    handle = worker.register("session", part(device), required=False)
    for step in range(3):
        x = np.array([-1.0, -np.e], np.float32)
        found = worker.run(handle, step, {key("x:0"): x}, [key("merge:0"), key("log:0")])
        np.testing.assert_allclose(found[1], [0.0, 1.0], rtol=1e-6)
        assert found[0] == 5.0
        worker.cleanup(step)
    worker.deregister(handle)
    with pytest.raises(tf.errors.AbortedError, match="Graph handle is not found"):
        worker.run(handle, 9, {}, [])
    with pytest.raises(tf.errors.AbortedError, match='Session handle "x" is not found'):
        worker.register("x", part(device), required=True)
    with pytest.raises(tf.errors.AbortedError, match="expects a different device incarnation"):
        worker.give(f"{device.name};{1:016x};{device.name};x;0:0", 5)


# A cluster of two tasks, each of Headwater or of TensorFlow, and a client of either.

SERVER = """
import json, sys
import {module} as tf
cluster, job = json.loads(sys.argv[1]), sys.argv[2]
tf.train.Server(cluster, job_name=job, task_index=0).join()
"""

CLIENT = """
import sys
import {module} as tf
config = tf.ConfigProto(operation_timeout_in_ms=60000)
with tf.device("/job:ps/task:0"):
    v = tf.Variable([1., 2.], name="v")
    q = tf.FIFOQueue(4, tf.float32, shared_name="q")
with tf.device("/job:worker/task:0"):
    w = tf.Variable([3., 4.], name="w")
p = tf.placeholder(tf.float32, [], name="p")
more = lambda: tf.identity(v.assign_add([1., 1.]))[0]
branch = tf.cond(p > 0, more, lambda: tf.reduce_sum(w) + p)
with tf.device("/job:ps/task:0"):
    bad = tf.check_numerics(tf.log(-v), "bad", name="bad")
_, total = tf.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x + w), [0, tf.zeros([2])])
gradient = tf.gradients(total, w)[0]
loss = tf.reduce_sum(tf.square(v - [7., 8.]))
train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
with tf.Session("grpc://" + sys.argv[1], config=config) as session:
    def show(*fetches, **feeds):
        found = session.run(list(fetches), {{p: feeds.get("p", 0.)}})
        print([getattr(x, "tolist", lambda: x)() for x in found])
    session.run(tf.global_variables_initializer())
    show(v * w, v, w, tf.constant(["x", "yy"]))
    for value in (1., -1., 2.):
        show(branch, p=value)
    try:
        session.run(bad + 1)
    except tf.errors.InvalidArgumentError as error:
        print(error.message.split(" (defined")[0])
    session.run(q.enqueue(w[0] * 2))
    show(q.size())
    show(q.dequeue() + 1)
    show(total, gradient)
    for _ in range(4):
        session.run(train)
    show(v, loss)
"""

EXPECTED = """\
[[3.0, 8.0], [1.0, 2.0], [3.0, 4.0], [b'x', b'yy']]
[2.0]
[6.0]
[3.0]
From /job:ps/replica:0/task:0:
bad : Tensor had NaN values
\t [[node bad
[1]
[7.0]
[[15.0, 20.0], [5.0, 5.0]]
[[6.75, 7.75], 0.125]
"""


@contextmanager
def running(worker: str, ps: str) -> Iterator[str]:
    """A cluster of a worker and a parameter server; gives the address of the worker."""
    addresses = [f"localhost:{port}" for port in free_ports(2)]
    cluster = json.dumps({"worker": addresses[:1], "ps": addresses[1:]})
    processes = [
        subprocess.Popen(
            [python_of(module), "-c", SERVER.format(module=module), cluster, job],
            stderr=subprocess.DEVNULL,
        )
        for job, module in (("worker", worker), ("ps", ps))
    ]
    try:
        yield addresses[0]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def python_of(module: str) -> str:
    if module == "headwater":
        return sys.executable
    return str(Path(os.environ["HEADWATER_ORACLES"]) / "tf-1.15.5" / "bin" / "python")


# Five processes with two runtimes take ten seconds.
@pytest.mark.oracle
@pytest.mark.parametrize(
    ("client", "worker", "ps"),
    [
        ("tensorflow", "headwater", "headwater"),
        ("headwater", "tensorflow", "tensorflow"),
        ("headwater", "headwater", "tensorflow"),
        ("tensorflow", "tensorflow", "headwater"),
    ],
)
def test_mixed_clusters(client: str, worker: str, ps: str) -> None:
    assert run_client(client, worker, ps) == EXPECTED


# Three processes that import Headwater.
@pytest.mark.slow
def test_a_cluster_of_processes() -> None:
    assert run_client("headwater", "headwater", "headwater") == EXPECTED


def run_client(client: str, worker: str, ps: str) -> str:
    with running(worker, ps) as address:
        result = subprocess.run(
            [python_of(client), "-c", CLIENT.format(module=client), address],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert result.returncode == 0, result.stderr
    return result.stdout

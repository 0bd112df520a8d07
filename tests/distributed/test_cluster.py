"""Runs on several tasks of one process: cut graphs, branches, queues, errors, replicas."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.base import errors

WORKER = "/job:worker/replica:0/task:{}"


@pytest.fixture(scope="module")
def cluster() -> Any:
    return tf.test.create_local_cluster(num_workers=2, num_ps=2)


@pytest.fixture
def session(cluster: Any) -> Iterator[Any]:
    workers, _ = cluster
    with tf.Session(workers[0].target) as session:
        yield session
    tf.Session.reset(workers[0].target)


def two_variables() -> tuple[Any, Any]:
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([1.0, 2.0], name="v")
    with tf.device("/job:ps/task:1"):
        w = tf.Variable([3.0, 4.0], name="w")
    return v, w


def test_the_devices_of_all_tasks(session: Any) -> None:
    names = sorted(device.name for device in session.list_devices())
    assert names == [
        f"/job:{job}/replica:0/task:{task}/device:CPU:0"
        for job in ("ps", "worker")
        for task in (0, 1)
    ]


def test_reset_clears_all_tasks(cluster: Any, session: Any) -> None:
    two_variables()
    missing = tf.report_uninitialized_variables()
    session.run(tf.global_variables_initializer())
    workers, _ = cluster
    tf.Session.reset(workers[1].target)
    with tf.Session(workers[0].target) as other:
        assert sorted(other.run(missing)) == [b"v", b"w"]


def test_a_graph_is_cut_by_task(session: Any) -> None:
    v, w = two_variables()
    with tf.device("/job:worker/task:1"):
        product = v * w
    total = tf.reduce_sum(product)
    with tf.control_dependencies([product]):
        update = v.assign_add(w)
    session.run(tf.global_variables_initializer())
    for step in range(3):
        x, y = np.array([1.0, 2.0]) + step * np.array([3.0, 4.0]), np.array([3.0, 4.0])
        found = session.run([product, total, update])
        np.testing.assert_array_equal(found[0], x * y)
        np.testing.assert_array_equal(found[1], np.sum(x * y))
        np.testing.assert_array_equal(found[2], x + y)


def test_an_update_by_what_another_update_returns(cluster: Any, session: Any) -> None:
    v, w = two_variables()
    update = w.assign_add(v.assign_add([1.0, 1.0]))
    session.run(tf.global_variables_initializer())
    assert session.run(update).tolist() == [5.0, 7.0]
    # Each variable is where the program has put it.
    for server, name, values in zip(cluster[1], "vw", ([2.0, 3.0], [5.0, 7.0])):
        alone = tf.ConfigProto(device_filters=[f"/job:ps/task:{server.server_def.task_index}"])
        with (
            tf.Graph().as_default() as graph,
            tf.Session(server.target, graph, config=alone) as other,
        ):
            assert other.run(tf.Variable([0.0, 0.0], name=name)).tolist() == values


def test_a_session_brings_its_cluster_along() -> None:
    servers = [tf.train.Server.create_local_server() for _ in range(2)]
    addresses = [server.target.removeprefix("grpc://") for server in servers]
    cluster = tf.train.ClusterSpec({"renamed": {3: addresses[0], 7: addresses[1]}})
    config = tf.ConfigProto(cluster_def=cluster.as_cluster_def())
    with tf.device("/job:renamed/task:7"):
        v = tf.Variable(2.0, name="v")
    with tf.device("/job:renamed/task:3"):
        total = v + 1.0
    with tf.Session(servers[0].target, config=config) as session:
        session.run(v.initializer)
        assert session.run(total) == 3.0
        assert [device.name for device in session.list_devices()] == [
            f"/job:renamed/replica:0/task:{task}/device:CPU:0" for task in (3, 7)
        ]
    with tf.Graph().as_default(), tf.Session(servers[1].target) as session:
        assert session.run(tf.Variable(0.0, name="v")) == 2.0
    missing = tf.train.ClusterSpec({"other": ["localhost:1"]}).as_cluster_def()
    with pytest.raises(
        errors.InvalidArgumentError, match="not included in the provided cluster_def"
    ):
        tf.Session(servers[0].target, config=tf.ConfigProto(cluster_def=missing))


def test_closing_a_session_ends_its_runs(cluster: Any) -> None:
    with tf.device("/job:ps/task:0"):
        waiting = tf.FIFOQueue(1, tf.float32, shared_name="never filled").dequeue()
    session = tf.Session(cluster[0][0].target)
    timer = threading.Timer(0.2, session.close)
    timer.start()
    with pytest.raises(errors.CancelledError, match=r"explicit call to `Session::Close\(\)`"):
        session.run(waiting)


def test_feeds_fetches_and_strings(session: Any) -> None:
    text = tf.placeholder(tf.string, [None], name="text")
    with tf.device("/job:ps/task:1"):
        joined = tf.string_join([text, tf.constant("!")])
    with tf.device("/job:worker/task:1"):
        twice = tf.stack([joined, text])
    found = session.run([joined, twice, text], {text: ["a", "bc"]})
    assert found[0].tolist() == [b"a!", b"bc!"]
    assert found[1].tolist() == [[b"a!", b"bc!"], [b"a", b"bc"]]
    assert found[2].tolist() == [b"a", b"bc"]


@pytest.mark.parametrize("use_resource", [False, True])
def test_branches_on_several_tasks(session: Any, use_resource: bool) -> None:
    with tf.device("/job:ps/task:0"):
        v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=use_resource)
    with tf.device("/job:ps/task:1"):
        w = tf.get_variable("w", initializer=[3.0, 4.0], use_resource=use_resource)
    x = tf.placeholder(tf.float32, [])
    taken = tf.cond(
        x > 0, lambda: tf.identity(v.assign_add([1.0, 1.0]))[0], lambda: tf.reduce_sum(w) + x
    )
    session.run(tf.global_variables_initializer())
    found = [session.run(taken, {x: value}) for value in (1.0, -1.0, 1.0, 1.0, -3.0)]
    assert found == [2.0, 6.0, 3.0, 4.0, 4.0]


def test_loops_work_on_the_variables_of_a_task(session: Any) -> None:
    v, w = two_variables()
    _, total, array = tf.while_loop(
        lambda i, *_: i < 4,
        lambda i, t, a: (i + 1, t + v * w, a.write(i, t)),
        [0, tf.zeros([2]), tf.TensorArray(tf.float32, 4)],
    )
    session.run(tf.global_variables_initializer())
    gradient = tf.gradients(total, w)[0]
    found = session.run([total, array.stack(), gradient])
    np.testing.assert_array_equal(found[0], [12.0, 32.0])
    np.testing.assert_array_equal(found[1][3], [9.0, 24.0])
    np.testing.assert_array_equal(found[2], [4.0, 8.0])


def test_loops_read_resource_variables_of_several_tasks(session: Any) -> None:
    with tf.device("/job:ps/task:0"):
        v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
    with tf.device("/job:ps/task:1"):
        w = tf.get_variable("w", initializer=[3.0, 4.0], use_resource=True)
    start = tf.placeholder(tf.float32, [2])

    def outer_body(i: Any, t: Any) -> Any:
        inner = tf.while_loop(lambda j, _: j < 2, lambda j, u: (j + 1, u + v * w), [0, t])
        return i + 1, inner[1] * v

    # The loop sees this update: what it begins with depends on it.
    with tf.control_dependencies([w.assign_add([1.0, 1.0])]):
        begin = tf.identity(start)
    _, total = tf.while_loop(lambda i, _: i < 3, outer_body, [0, begin])
    gradients = tf.gradients(total, [v, w])
    # And not this one, which waits for it.
    with tf.control_dependencies([total]):
        after = w.assign_add([10.0, 10.0])
    session.run(tf.global_variables_initializer())
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    for _ in range(3):
        y = y + 1
        found = session.run([total, *gradients, after], {start: [5.0, 6.0]})
        # total = a v^3 + 2 w v (v + v^2 + v^3)
        a = np.array([5.0, 6.0])
        np.testing.assert_allclose(found[0], a * x**3 + 2 * y * (x**2 + x**3 + x**4))
        by_v = 3 * a * x**2 + 2 * y * (2 * x + 3 * x**2 + 4 * x**3)
        np.testing.assert_allclose(found[1], by_v, rtol=1e-6)
        np.testing.assert_allclose(found[2], 2 * (x**2 + x**3 + x**4), rtol=1e-6)
        y = y + 10


def test_a_loop_that_begins_with_a_value_of_another_task(session: Any) -> None:
    with tf.device("/job:ps/task:0"):
        v = tf.get_variable("v", initializer=2.0, use_resource=True)
        gathered = tf.get_variable("table", initializer=[[1.0], [2.0], [3.0]], use_resource=True)
    with tf.device("/job:worker/task:1"):
        count = tf.placeholder(tf.int32, []) + 1
    # On the task of the table; how often it runs comes from another one.
    _, total = tf.while_loop(
        lambda i, _: i < count,
        lambda i, t: (i + 1, t * v + tf.gather(gathered, i)),
        [0, tf.zeros([1])],
    )
    session.run(tf.global_variables_initializer())
    times = count.op.inputs[0]
    found = [session.run(total, {times: n})[0] for n in (0, 1, 2)]
    assert found == [1.0, 4.0, 11.0]


def test_queues_are_shared_between_clients(cluster: Any, session: Any) -> None:
    with tf.device("/job:ps/task:0"):
        numbers = tf.FIFOQueue(10, tf.int32, shared_name="numbers")
    put, taken = numbers.enqueue(tf.constant(7) * 2), numbers.dequeue() + 1
    found: list[int] = []
    workers, _ = cluster

    def take() -> None:
        with tf.Session(workers[1].target, graph=put.graph) as other:
            found.append(other.run(taken))

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    session.run(put)
    thread.join(30)
    assert found == [15]


def test_errors_name_the_task_and_the_line(session: Any) -> None:
    _, w = two_variables()
    with tf.device("/job:ps/task:1"):
        bad = tf.check_numerics(tf.log(-w), "bad", name="bad")
    with tf.device("/job:worker/task:1"):
        used = bad + 1
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        with pytest.raises(errors.InvalidArgumentError) as caught:
            session.run(used)
        text = "From /job:ps/replica:0/task:1:\nbad : Tensor had NaN values\n\t [[node bad (defined"
        assert caught.value.message.startswith(text)
        assert caught.value.op is bad.op
    assert session.run(tf.reduce_sum(w)) == 7.0


def test_devices_that_are_not_in_the_cluster(session: Any) -> None:
    with tf.device("/job:ps/task:7"):
        c = tf.constant(1.0, name="c")
    with pytest.raises(
        errors.InvalidArgumentError, match="explicitly assigned to /job:ps/task:7 but available"
    ):
        session.run(c)


def test_device_filters(cluster: Any) -> None:
    workers, _ = cluster
    config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:0"])
    with tf.Session(workers[0].target, config=config) as session:
        names = {device.name.partition("/device")[0] for device in session.list_devices()}
    assert names == {WORKER.format(0), *(f"/job:ps/replica:0/task:{i}" for i in range(2))}


def test_a_time_limit_ends_all_parts(session: Any) -> None:
    with tf.device("/job:ps/task:0"):
        taken = tf.FIFOQueue(1, tf.int32, name="empty").dequeue()
    with tf.device("/job:worker/task:1"):
        used = taken + 1
    with pytest.raises(errors.DeadlineExceededError, match="Operation timed out"):
        session.run(used, options=tf.RunOptions(timeout_in_ms=50))


def test_small_constants_are_not_sent(session: Any) -> None:
    v, w = two_variables()
    rate = tf.constant(0.5, name="rate")
    large = tf.constant(np.arange(1000.0, dtype=np.float32), name="large")
    with tf.control_dependencies([rate]):
        first = v.assign_add([1.0, 1.0] * rate)
    with tf.device("/job:ps/task:1"):
        second = w * rate + tf.reduce_sum(large)
    third = tf.reduce_max(large)
    session.run(tf.global_variables_initializer())
    metadata = tf.RunMetadata()
    options = tf.RunOptions(output_partition_graphs=True)
    found = session.run([first, second, third], options=options, run_metadata=metadata)
    np.testing.assert_array_equal(found[:2], [[1.5, 2.5], [499501.5, 499502.0]])
    assert found[2] == 999.0
    nodes = {n.name: n.op for graph in metadata.partition_graphs for n in graph.node}
    assert {name for name, op in nodes.items() if op == "Const"} >= {"rate", "rate/_copy", "large"}
    assert "large/_send" in nodes
    assert "rate/_send" not in nodes


def test_partition_graphs(session: Any) -> None:
    v, w = two_variables()
    session.run(tf.global_variables_initializer())
    metadata = tf.RunMetadata()
    session.run(v + w, options=tf.RunOptions(output_partition_graphs=True), run_metadata=metadata)
    ops = [sorted(node.op for node in part.node) for part in metadata.partition_graphs]
    assert ["AddV2", "_Recv", "_Recv", "_Send"] in ops
    assert ops.count(["Identity", "VariableV2", "_Send"]) == 2


def test_statistics_of_a_step(session: Any) -> None:
    v, w = two_variables()
    with tf.device("/job:worker/task:1"):
        total = tf.add(v, w, name="total")
    session.run(tf.global_variables_initializer())
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    for _ in range(2):
        session.run(total, options=options, run_metadata=metadata)
    found = {
        device.device: {node.node_name for node in device.node_stats}
        for device in metadata.step_stats.dev_stats
    }
    assert set(found) == {
        f"/job:{job}/replica:0/task:{task}/device:CPU:0"
        for job, task in (("ps", 0), ("ps", 1), ("worker", 1))
    }
    assert "v/read" in found["/job:ps/replica:0/task:0/device:CPU:0"]
    assert "total" in found["/job:worker/replica:0/task:1/device:CPU:0"]


def test_partial_runs(session: Any) -> None:
    v, w = two_variables()
    x, y = tf.placeholder(tf.float32, [2], name="x"), tf.placeholder(tf.float32, [2], name="y")
    with tf.device("/job:ps/task:0"):
        first = v.assign_add(x) + 1.0
    with tf.device("/job:worker/task:1"), tf.control_dependencies([first]):
        second = first * w + y
    with tf.device("/job:ps/task:1"):
        third = w.assign_add(second).op
    session.run(tf.global_variables_initializer())
    for count in (1, 2):
        handle = session.partial_run_setup([first, second, third], [x, y])
        before = 1.0 + 10 * (count - 1)
        found = session.partial_run(handle, first, {x: [10.0, 10.0]})
        np.testing.assert_array_equal(found, [before + 11, before + 12])
        with pytest.raises(errors.InvalidArgumentError, match="can't be computed from the feeds"):
            session.partial_run(handle, second)
        old = session.run(w)
        expected = found * old + [1.0, 2.0]
        given = session.partial_run(handle, second, {y: [1.0, 2.0]})
        np.testing.assert_array_equal(given, expected)
        session.partial_run(handle, third)
        np.testing.assert_array_equal(session.run(w), old + expected)
    # The first update ran once in each of the two runs.
    np.testing.assert_array_equal(session.run(v), [21.0, 22.0])


def replicas(cluster: Any, train: Callable[[int, Any], Any]) -> list[Any]:
    """Runs a function of the index and target in a thread per worker, each in its own graph."""
    results: list[Any] = [None, None]

    def run(index: int) -> None:
        try:
            with tf.Graph().as_default():
                results[index] = train(index, cluster[0][index].target)
        except Exception as error:
            results[index] = error

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


def linear_model(index: int, server: Any) -> tuple[Any, Any]:
    """The loss of w on data for which it is 3, and the global step."""
    cluster = server.server_def.cluster
    with tf.device(
        tf.train.replica_device_setter(worker_device=f"/job:worker/task:{index}", cluster=cluster)
    ):
        step = tf.train.get_or_create_global_step()
        w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
        x = tf.constant([[1.0, 0.0], [0.0, 1.0]])
        return tf.reduce_sum(tf.square(tf.linalg.matvec(x, w) - [3.0, 4.0])), step


def test_asynchronous_replicas(cluster: Any, session: Any) -> None:
    initialized, together = threading.Event(), threading.Barrier(2)

    def train(index: int, target: str) -> int:
        # A worker that finds no variables looks again after 30 s.
        assert index == 0 or initialized.wait(60)
        loss, step = linear_model(index, cluster[0][0])
        update = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
        stop = tf.train.StopAtStepHook(last_step=40)
        count = 0
        with tf.train.MonitoredTrainingSession(
            target, is_chief=index == 0, hooks=[stop], save_summaries_steps=None
        ) as training:
            initialized.set()
            together.wait(60)
            while not training.should_stop():
                training.run(update)
                count += 1
        return count

    counts = replicas(cluster, train)
    # Each worker reads the step beside its update: it may miss the last ones.
    assert 40 <= sum(counts) <= 44
    with tf.Graph().as_default():
        loss, step = linear_model(0, cluster[0][0])
        with tf.Session(cluster[0][0].target) as other:
            values = other.run([loss, step])
    # 25 at first; the last update may be that of a worker that read the weights long ago.
    assert values[0] < 2
    assert values[1] == sum(counts)


def test_synchronous_replicas(cluster: Any, session: Any) -> None:
    initialized, barrier = threading.Event(), threading.Barrier(2)

    def train(index: int, target: str) -> Any:
        assert index == 0 or initialized.wait(60)
        loss, step = linear_model(index, cluster[0][0])
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=2, total_num_replicas=2
        )
        update = optimizer.minimize(loss * (index + 1), global_step=step)
        hook = optimizer.make_session_run_hook(index == 0, num_tokens=0)
        session = tf.train.MonitoredSession(
            (tf.train.ChiefSessionCreator if index == 0 else tf.train.WorkerSessionCreator)(
                master=target
            ),
            hooks=[hook],
            stop_grace_period_secs=1,
        )
        initialized.set()
        w = tf.trainable_variables()[0]
        found = []
        for _ in range(3):
            session.run(update)
            barrier.wait(60)
            found.append(session.run(w))
            barrier.wait(60)
        return found

    first, second = replicas(cluster, train)
    # The mean of the gradients of both replicas: of 1.5 times the loss.
    expected = np.zeros(2)
    for one, two in zip(first, second):
        expected = expected - 0.1 * 1.5 * 2 * (expected - [3.0, 4.0])
        np.testing.assert_allclose(one, expected, rtol=1e-6)
        np.testing.assert_allclose(two, expected, rtol=1e-6)

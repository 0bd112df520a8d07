"""tf.train.Server with one task, and sessions with its target, in this process and over gRPC."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.base import errors
from headwater.model.defun import Defun


@pytest.fixture(scope="module")
def server() -> Any:
    return tf.train.Server.create_local_server()


@pytest.fixture(params=["in process", "over gRPC"])
def target(server: Any, request: Any) -> str:
    """The target of the server; other names of its host are those of any other process."""
    text: str = server.target
    return text if request.param == "in process" else text.replace("localhost", "127.0.0.1")


def test_the_server_def_of_a_local_server(server: Any) -> None:
    assert server.server_def == tf.train.ServerDef(
        cluster=tf.train.ClusterSpec({"local": ["localhost:0"]}).as_cluster_def(),
        job_name="local",
        protocol="grpc",
    )
    assert server.target.startswith("grpc://localhost:")
    assert tf.distribute.Server is tf.train.Server


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((3,), TypeError, "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef`"),
        (
            ({"a": ["localhost:0"], "b": ["x:1"]},),
            ValueError,
            "Must specify an explicit `job_name`",
        ),
        (({"a": ["localhost:0", "x:1"]},), ValueError, "Must specify an explicit `task_index`"),
        (({"a": ["localhost:0"]}, "c"), ValueError, "No such job in cluster: 'c'"),
        (
            ({"a": ["localhost:0"]}, "a", 2),
            errors.InvalidArgumentError,
            'Task 2 was not defined in job "a"',
        ),
        (
            ({"a": ["localhost:0"]}, "a", 0, "foo"),
            errors.NotFoundError,
            "No server factory registered for the given ServerDef: cluster",
        ),
        (
            ({"local": ["host"]},),
            errors.InvalidArgumentError,
            'Could not parse port for local server from "host".',
        ),
    ],
)
def test_wrong_arguments(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        tf.train.Server(*arguments)


def test_a_port_that_is_taken(server: Any) -> None:
    address = server.target.removeprefix("grpc://")
    with pytest.raises(errors.UnknownError, match="Could not start gRPC server"):
        tf.train.Server({"local": [address]})


def test_a_server_def_is_completed_by_the_arguments() -> None:
    cluster = tf.train.ClusterSpec({"a": {1: "localhost:0"}})
    server_def = tf.train.ServerDef(cluster=cluster.as_cluster_def(), protocol="grpc")
    config = tf.ConfigProto(allow_soft_placement=True)
    server = tf.train.Server(server_def, "a", 1, config=config, start=False)
    assert (server.server_def.job_name, server.server_def.task_index) == ("a", 1)
    assert server.server_def.default_session_config.allow_soft_placement
    server.start()
    server.start()
    with tf.Session(server.target) as session:
        assert session.list_devices()[0].name == "/job:a/replica:0/task:1/device:CPU:0"


def test_variables_outlive_sessions_and_queues_without_a_name_do_not(target: str) -> None:
    v = tf.Variable(3.0, name=f"kept_{target[7]}")
    own, shared = tf.FIFOQueue(3, tf.int32), tf.FIFOQueue(3, tf.int32, shared_name=f"q{target[7]}")
    resource = tf.get_variable(f"resource_{target[7]}", initializer=[1, 2], use_resource=True)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        session.run([v.assign_add(1.0), own.enqueue(1), shared.enqueue(2)])
    with tf.Session(target) as session:
        assert session.run([v, own.size(), shared.size()]) == [4.0, 0, 1]
        np.testing.assert_array_equal(session.run(resource), [1, 2])
        isolated = tf.ConfigProto(isolate_session_state=True)
        with (
            tf.Session(target, config=isolated) as other,
            pytest.raises(errors.FailedPreconditionError, match="uninitialized value"),
        ):
            other.run(v)


def test_a_session_is_extended(target: str) -> None:
    x = tf.placeholder(tf.float32, [None], name="x")
    with tf.Session(target) as session:
        np.testing.assert_array_equal(session.run(x * 2, {x: [1, 2]}), [2, 4])
        names = tf.constant(["a", "bc"])
        for power in range(3):
            np.testing.assert_array_equal(session.run(x**power, {"x:0": [3]}), [3**power])
        assert session.run([names, tf.constant(b"d")])[1] == b"d"
        assert session.run({"a": (names,)})["a"][0].tolist() == [b"a", b"bc"]


def test_loops_and_functions(target: str) -> None:
    @Defun(tf.int32)
    def twice(n: Any) -> Any:
        return 2 * n

    _, total = tf.while_loop(lambda i, t: i < 10, lambda i, t: (i + 1, t + i), [0, 0])
    with tf.Session(target) as session:
        assert session.run([total, twice(4)]) == [45, 8]


def test_errors_have_the_task_the_node_and_the_line(target: str) -> None:
    with tf.Session(target) as session:
        bad = tf.check_numerics(tf.log(-1.0), "bad", name="cn")
        with pytest.raises(errors.InvalidArgumentError) as caught:
            session.run(bad)
        text = (
            "From /job:local/replica:0/task:0:\nbad : Tensor had NaN values\n\t [[node cn (defined"
        )
        assert caught.value.message.startswith(text)
        assert caught.value.op is bad.op
        with tf.device("/job:foo/task:1"):
            elsewhere = tf.constant(1.0, name="elsewhere")
        with pytest.raises(
            errors.InvalidArgumentError, match="was explicitly assigned to /job:foo/task:1 but"
        ):
            session.run(elsewhere)


def test_time_limits(target: str) -> None:
    taken = tf.FIFOQueue(1, tf.int32).dequeue()
    with tf.Session(target) as session:
        with pytest.raises(errors.DeadlineExceededError, match="Operation timed out"):
            session.run(taken, options=tf.RunOptions(timeout_in_ms=30))
        assert session.run(tf.constant(1)) == 1


def test_partial_runs_and_callables(target: str) -> None:
    a = tf.placeholder(tf.float32)
    b = a * 2
    c = b + 1
    with tf.Session(target) as session:
        handle = session.partial_run_setup([b, c], [a])
        assert session.partial_run(handle, b, {a: 2.0}) == 4.0
        assert session.partial_run(handle, c) == 5.0
        assert session.make_callable(c, [a])(3.0) == 7.0


def test_metadata(target: str) -> None:
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    with tf.Session(target) as session:
        assert session.run(tf.constant(3) + 4, options=options, run_metadata=metadata) == 7
    devices = [found.device for found in metadata.step_stats.dev_stats]
    assert devices == ["/job:local/replica:0/task:0/device:CPU:0"]
    assert [node.name for node in metadata.partition_graphs[0].node][2] == "add"


@pytest.mark.parametrize("in_process", [True, False])
def test_sessions_have_the_configuration_of_their_server(in_process: bool) -> None:
    config = tf.ConfigProto(operation_timeout_in_ms=200)
    target = tf.train.Server.create_local_server(config=config).target
    if not in_process:
        target = target.replace("localhost", "127.0.0.1")
    missing = tf.FIFOQueue(1, tf.float32).dequeue()
    for own in (None, tf.ConfigProto(allow_soft_placement=True)):
        with (
            tf.Session(target, config=own) as session,
            pytest.raises(errors.DeadlineExceededError),
        ):
            session.run(missing)


def test_reset_clears_containers_and_closes_sessions(server: Any, target: str) -> None:
    with tf.container("other"):
        kept = tf.Variable(1.0, name="in_container")
    cleared = tf.Variable(2.0, name="in_default")
    session = tf.Session(target)
    session.run(tf.global_variables_initializer())
    tf.Session.reset(target)
    with pytest.raises(errors.AbortedError, match=r"Session [0-9a-f]{16} is not found"):
        session.run(kept)
    session.close()
    with tf.Session(target) as session:
        assert session.run(kept) == 1.0
        with pytest.raises(errors.FailedPreconditionError, match="uninitialized value in_default"):
            session.run(cleared)
    tf.Session.reset(target, ["other"])
    with (
        tf.Session(target) as session,
        pytest.raises(errors.FailedPreconditionError, match="uninitialized value in_container"),
    ):
        session.run(kept)


@pytest.mark.parametrize("containers", [["", "localhost", "ps"], ["local"]])
def test_the_default_container_of_a_server_has_the_name_of_its_job(
    server: Any, target: str, containers: list[str]
) -> None:
    tf.Session.reset(target)
    variable = tf.get_variable("in_default", initializer=1.0, use_resource=True)
    with tf.Session(target) as session:
        with pytest.raises(errors.FailedPreconditionError, match=r"from Container: local\. This"):
            session.run(variable)
        session.run(variable.initializer)
    tf.Session.reset(target.encode(), containers)
    with tf.Session(target) as session:
        if containers == ["local"]:
            with pytest.raises(errors.FailedPreconditionError, match="in_default"):
                session.run(variable)
        else:
            assert session.run(variable) == 1.0


@pytest.mark.parametrize("address", ["", "abc", "abc:"])
def test_targets_without_an_address(address: str) -> None:
    text = f'Could not interpret "{address}" as a host-port pair.'
    with pytest.raises(errors.InvalidArgumentError, match=text):
        tf.Session(f"grpc://{address}")


def test_a_server_that_is_not_there() -> None:
    c = tf.constant(1)
    config = tf.ConfigProto(operation_timeout_in_ms=100)
    with (
        tf.Session("grpc://localhost:1", config=config) as session,
        pytest.raises(errors.DeadlineExceededError, match="Deadline Exceeded"),
    ):
        session.run(c)


def test_a_closed_session_ends_its_runs_at_the_server(target: str) -> None:
    taken = tf.FIFOQueue(1, tf.int32, shared_name="never").dequeue()
    session = tf.Session(target)
    begun = tf.FIFOQueue(1, tf.int32, shared_name=f"begun_{target}")
    found: list[Exception] = []

    def run() -> None:
        try:
            with tf.control_dependencies([begun.enqueue(1)]):
                waits = tf.identity(taken)
            session.run(waits)
        except Exception as error:
            found.append(error)

    with session.graph.as_default():
        first = begun.dequeue()
        thread = threading.Thread(target=_in_graph, args=(session.graph, run))
        thread.start()
        with tf.Session(target) as other:
            other.run(first)
    session.close()
    thread.join(20)
    assert not thread.is_alive()
    assert isinstance(found[0], errors.CancelledError)


def _in_graph(graph: Any, function: Any) -> None:
    with graph.as_default():
        function()

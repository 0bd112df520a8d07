"""replica_device_setter: the devices that TensorFlow 1.15.5 gives."""

import pytest

import headwater as tf

CLUSTER = {"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1", "e:1"]}
CPU = "/device:CPU:0"


def devices(**kwargs):
    """The devices of two variables, a sum, a variable with a device, and one with a job."""
    with tf.device(tf.train.replica_device_setter(**kwargs)):
        v, w = tf.Variable([1.0, 2.0]), tf.get_variable("r", [2], use_resource=True)
        total = v + w
        with tf.device("/cpu:0"):
            on_cpu = tf.Variable(1.0)
        with tf.device("/job:worker/task:2"):
            on_worker = tf.Variable(1.0)
    assert v.initializer.device == v.device
    return [node.device for node in (v, w, total, on_cpu, on_worker)]


@pytest.mark.parametrize(
    "kwargs, expected",
    [
        (
            {"cluster": CLUSTER},
            ["/job:ps/task:0", "/job:ps/task:1", "/job:worker", "/job:ps/task:0" + CPU,
             "/job:worker/task:2"],
        ),
        ({"ps_tasks": 0}, ["", "", "", CPU, "/job:worker/task:2"]),
        ({"cluster": CLUSTER, "ps_device": "/job:sun"}, ["", "", "", CPU, "/job:worker/task:2"]),
        (
            {"ps_tasks": 2, "worker_device": "/job:worker/task:1", "merge_devices": False},
            ["/job:ps/task:0", "/job:ps/task:1", "/job:worker/task:1", CPU, "/job:worker/task:2"],
        ),
        (
            {"cluster": CLUSTER, "ps_device": "/job:ps/cpu:0", "worker_device": None},
            ["/job:ps/task:0" + CPU, "/job:ps/task:1" + CPU, "", "/job:ps/task:0" + CPU,
             "/job:worker/task:2" + CPU],
        ),
        (
            {"cluster": CLUSTER, "ps_ops": ["AddV2"]},
            ["/job:worker", "/job:worker", "/job:ps/task:0", "/job:worker" + CPU,
             "/job:worker/task:2"],
        ),
    ],
)  # fmt: skip
def test_devices_are_those_of_tensorflow(kwargs, expected):
    assert devices(**kwargs) == expected


def test_variables_go_to_the_server_with_the_least_load():
    strategy = tf.contrib.training.GreedyLoadBalancingStrategy(
        2, tf.contrib.training.byte_size_load_fn
    )
    setter = tf.train.replica_device_setter(cluster=CLUSTER, ps_strategy=strategy)
    with tf.device(setter):
        variables = [tf.Variable(tf.zeros([n])) for n in (10, 2, 3, 7)]
    assert [v.device[-1] for v in variables] == ["0", "1", "1", "1"]


def test_arguments_are_checked():
    with pytest.raises(TypeError, match="ps_strategy must be callable"):
        tf.train.replica_device_setter(cluster=CLUSTER, ps_strategy=3)
    with pytest.raises(TypeError, match="`cluster` must be a dictionary"):
        tf.train.replica_device_setter(cluster=3)


def test_cluster_specs_are_there_without_other_names(fork):
    fork("import headwater as tf\nassert tf.train.ClusterSpec({}).jobs == []")

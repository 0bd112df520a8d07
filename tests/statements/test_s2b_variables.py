"""Statements on variables, savers, scopes, devices and meta graphs (lines 4967 to 8414)."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf

equal = np.testing.assert_array_equal


def test_4967_4978_4984_what_a_variable_adds():
    v = tf.Variable(tf.zeros([200]), name="biases")
    assert isinstance(v, tf.Variable) and v.get_shape().as_list() == [200]
    names = [op.name for op in tf.get_default_graph().get_operations()]
    assert {"zeros", "biases", "biases/Assign"} <= set(names)


@pytest.mark.parametrize("device", ["/cpu:0", "/gpu:0", "/job:ps/task:7"])
def test_4988_5004_updates_stand_beside_their_variable(device):
    with tf.device(device):
        v = tf.Variable([1.0])
    with tf.device("/cpu:1"):
        assign = v.assign([2.0])
        train = tf.train.GradientDescentOptimizer(0.1).minimize(v)
    assert v.device == tf.DeviceSpec.from_string(device).to_string() == assign.device
    update = (
        next(op for op in train.control_inputs if op.type != "NoOp")
        if (train.control_inputs)
        else train
    )
    assert update.device == v.device


def test_5016_5043_initialization_in_any_order():
    w = tf.Variable(tf.random_normal([3]))
    copy, twice = tf.Variable(w.initialized_value()), tf.Variable(w.initialized_value() * 2.0)
    init = tf.initialize_all_variables()
    with tf.Session() as session:
        session.run(init)
        a, b, c = session.run([w, copy, twice])
    equal(a, b)
    equal(c, a * 2.0)


def test_5059_5744_5758_some_variables_and_fed_values():
    source = tf.placeholder(tf.float32, [2])
    data = tf.Variable(source, trainable=False, collections=[])
    v = tf.Variable(1.0)
    assert tf.all_variables() == [v] == tf.trainable_variables()
    with tf.Session() as session:
        session.run(data.initializer, feed_dict={source: [3.0, 4.0]})
        session.run(tf.initialize_variables([v]))
        equal(session.run(data * v), [3, 4])


def test_5071_to_5143_savers(tmp_path):
    v1, v2 = tf.Variable(1.0, name="v1"), tf.Variable(2.0, name="v2")
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        everything = tf.train.Saver().save(session, str(tmp_path / "all"))
        some = tf.train.Saver({"my_v2": v2}).save(session, str(tmp_path / "some"))
    names = [n for n, _ in tf.train.list_variables(everything)]
    assert names == ["v1", "v2"] and tf.train.list_variables(some) == [("my_v2", [])]
    params = tf.Variable(0.0, name="params")
    with tf.Session() as session:
        tf.train.Saver({"v1": params}).restore(session, everything)
        assert session.run(params) == 1.0
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(v1)


def test_5480_to_5491_feeding():
    x, c = tf.placeholder(tf.float32), tf.constant(1.0)
    v = tf.Variable(2.0)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(x + c + v, {x: 1, c: 10.0, v: 100.0}) == 111.0
        assert (x + c).eval({x: 1}) == 2.0
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(x + c)


def test_6948_to_6957_gradients_of_several_outputs():
    @tf.RegisterGradient("StatementSplit")
    def _gradient(op, *grads):
        assert len(op.outputs) == len(grads) == 2 and op.get_attr("num_split") == 2
        return [None, tf.concat([g * 5.0 for g in grads], 0)]

    x = tf.constant([1.0, 2.0])
    with tf.get_default_graph().gradient_override_map({"Split": "StatementSplit"}):
        a, b = tf.split(x, 2)
    with tf.Session() as session:
        equal(session.run(tf.gradients(a + 3.0 * b, x)[0]), [5, 15])


def test_6980_to_6999_ranks():
    assert tf.TensorShape(None).with_rank(1).ndims == 1
    assert tf.TensorShape(None).merge_with([1, 2]).as_list() == [1, 2]
    for call in (
        lambda: tf.TensorShape([1, 2]).with_rank(1),
        lambda: tf.TensorShape([1]).merge_with([2]),
    ):
        with pytest.raises(ValueError):
            call()


def matmul_on(device):
    with tf.device(device):
        a = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[2, 3])
        b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2])
        return tf.matmul(a, b)


def test_7541_to_7617_devices_that_do_not_exist():
    with tf.Session(config=tf.ConfigProto(log_device_placement=False)) as session:
        equal(session.run(matmul_on("/cpu:0")), [[22, 28], [49, 64]])
        c = matmul_on("/gpu:7")
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"):
            session.run(c)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        equal(session.run(c), [[22, 28], [49, 64]])


def test_7637_to_7673_towers_on_several_devices():
    parts = [matmul_on(device) for device in ("/gpu:2", "/gpu:3")]
    with tf.device("/cpu:0"):
        total = tf.add_n(parts)
    names = [op.name for op in tf.get_default_graph().get_operations()]
    assert names == ["Const", "Const_1", "MatMul", "Const_2", "Const_3", "MatMul_1", "AddN"]
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        equal(session.run(total), [[44, 56], [98, 128]])


def train_towers(devices):
    """Three steps of training with a tower on each device and the variables on the first CPU."""
    tf.reset_default_graph()
    data = np.arange(24, dtype=np.float32).reshape(8, 3) / 24
    with tf.device("/cpu:0"):
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.5))
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    losses = []
    for i, device in enumerate(devices):
        with tf.device(device), tf.name_scope(f"tower_{i}"):
            x = tf.constant(data[i :: len(devices)])
            losses.append(tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0)))
    with tf.device("/cpu:0"):
        step = optimizer.minimize(tf.add_n(losses) / len(devices))
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step)
        return session.run(w)


def test_towers_give_the_result_of_one_device():
    one = train_towers(["/cpu:0"])
    four = train_towers(["/cpu:0", "/cpu:1", "/cpu:2", "/cpu:3"])
    np.testing.assert_allclose(one, four, rtol=1e-5)


def test_7751_to_7829_get_variable():
    with tf.variable_scope("conv1"):
        w = tf.get_variable("weights", [2], initializer=tf.constant_initializer(0.1))
        n = tf.get_variable("n", [5000], initializer=tf.random_normal_initializer(2.0, 0.5))
        u = tf.get_variable("u", [5000], initializer=tf.random_uniform_initializer(-1.0, 3.0))
    assert w.name == "conv1/weights:0"
    with (
        tf.variable_scope("conv1"),
        pytest.raises(ValueError, match="conv1/weights already exists"),
    ):
        tf.get_variable("weights", [2])
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        equal(session.run(w), np.float32([0.1, 0.1]))
        n, u = session.run([n, u])
    assert abs(n.mean() - 2.0) < 0.05 and abs(n.std() - 0.5) < 0.05
    assert -1.0 <= u.min() < -0.9 and 2.9 < u.max() < 3.0


def test_7863_to_7898_reuse_goes_inwards_and_ends():
    with tf.variable_scope("root"):
        assert not tf.get_variable_scope().reuse
        with tf.variable_scope("foo"):
            tf.get_variable_scope().reuse_variables()
            assert tf.get_variable_scope().reuse
            with tf.variable_scope("bar"):
                assert tf.get_variable_scope().reuse
        assert not tf.get_variable_scope().reuse


def test_7908_to_7973_captured_scopes():
    with tf.variable_scope("foo") as foo:
        v = tf.get_variable("v", [1])
    with tf.variable_scope(foo):
        w = tf.get_variable("w", [1])
    with tf.variable_scope(foo, reuse=True):
        assert tf.get_variable("v", [1]) is v and tf.get_variable("w", [1]) is w
    with tf.variable_scope("bar"), tf.variable_scope("baz") as other:
        assert other.name == "bar/baz"
        with tf.variable_scope(foo) as again:
            assert again.name == "foo"
            assert tf.constant(1.0).op.name.startswith("bar/baz/foo")


def test_7936_7954_7962_initializers_and_names():
    values = []
    with tf.variable_scope("foo", initializer=tf.constant_initializer(0.4)):
        v = tf.get_variable("v", [1])
        values += [v, tf.get_variable("w", [1], initializer=tf.constant_initializer(0.3))]
        with tf.variable_scope("bar"):
            values.append(tf.get_variable("v", [1]))
        with tf.variable_scope("baz", initializer=tf.constant_initializer(0.2)):
            values.append(tf.get_variable("v", [1]))
        assert (1.0 + v).op.name == "foo/add"
        with tf.name_scope("inside"):
            x = tf.get_variable("x", [1])
            assert (1.0 + x).op.name == "foo/inside/add" and x.name == "foo/x:0"
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        values = [session.run(v)[0] for v in values]
    assert values == [np.float32(x) for x in (0.4, 0.3, 0.4, 0.2)]


def test_8204_to_8414_meta_graphs_continue_training(tmp_path):
    v = tf.Variable(10.0, name="v")
    train = tf.train.GradientDescentOptimizer(0.1).minimize(v * v)
    tf.add_to_collection("train_op", train)
    tf.add_to_collection("hparams", "lr=0.1")
    meta = tf.train.export_meta_graph(collection_list=["train_op"])
    assert list(meta.collection_def) == ["train_op"]
    with tf.Session() as session:
        session.run(tf.initialize_all_variables())
        session.run(train)
        tf.train.Saver().save(session, str(tmp_path / "my-model"), global_step=1)
    path = tf.train.latest_checkpoint(str(tmp_path))
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(path + ".meta")
        saver.restore(session, path)
        session.run(tf.get_collection("train_op")[0])
        assert abs(session.run("v:0") - 6.4) < 1e-5
        assert tf.get_collection("hparams") == [b"lr=0.1"]


def test_8209_8221_variables_as_protos():
    v = tf.Variable(1.0, name="v")
    proto = v.to_proto()
    assert (proto.variable_name, proto.initializer_name) == ("v:0", "v/Assign")
    assert proto.snapshot_name == "v/read:0"
    again = tf.Variable.from_proto(proto)
    assert again.name == "v:0" and again.initializer is v.initializer

"""Strategies with one replica; what they answer is what TensorFlow 1.15.5 answers."""

import json

import pytest

import headwater as tf

distribute = tf.distribute


def run(value):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(value)


def test_outside_of_strategies_there_is_one_replica():
    strategy, replica = distribute.get_strategy(), distribute.get_replica_context()
    assert not distribute.has_strategy()
    assert not distribute.in_cross_replica_context()
    assert strategy.num_replicas_in_sync == replica.num_replicas_in_sync == 1
    assert (replica.replica_id_in_sync_group, replica.devices) == (0, ("",))
    assert replica.strategy is strategy
    assert run(replica.all_reduce(distribute.ReduceOp.SUM, tf.constant(3.0))) == 3.0
    assert run(replica.all_reduce("mean", tf.constant(3.0))) == 3.0
    with strategy.scope():
        assert not distribute.has_strategy()
    with pytest.raises(RuntimeError, match=r"worker_devices\(\) method unsupported by default"):
        _ = strategy.extended.worker_devices


def test_functions_of_replicas():
    strategy, replica = distribute.get_strategy(), distribute.get_replica_context()

    def code(a, b=1):
        return a, b, distribute.in_cross_replica_context()

    def merged(given, a):
        crossing = distribute.in_cross_replica_context()
        return given is strategy, a, crossing, distribute.get_replica_context()

    assert strategy.experimental_run_v2(code, args=(5,), kwargs={"b": 2}) == (5, 2, False)
    assert replica.merge_call(merged, args=(3,)) == (True, 3, True, None)
    assert strategy.extended.call_for_each_replica(lambda a: a + 1, args=(3,)) == 4
    assert strategy.experimental_local_results(3) == strategy.unwrap(3) == (3,)


def test_reductions():
    strategy = distribute.get_strategy()
    values = tf.constant([3.0, 4.0])
    assert run(strategy.reduce(distribute.ReduceOp.SUM, values, axis=0)) == 7.0
    assert run(strategy.reduce("MEAN", values, axis=0)) == 3.5
    assert run(strategy.reduce(distribute.ReduceOp.MEAN, values, axis=None)).tolist() == [3, 4]
    found = distribute.ReduceOp.from_variable_aggregation(tf.VariableAggregation.MEAN)
    assert found is distribute.ReduceOp.MEAN
    with pytest.raises(ValueError, match="Could not convert from"):
        distribute.ReduceOp.from_variable_aggregation(tf.VariableAggregation.NONE)


def test_updates_of_variables():
    extended = distribute.get_strategy().extended
    v = tf.Variable(1.0)
    assert extended.variable_created_in_scope(v)
    assert extended.value_container(v) is v
    assert extended.non_slot_devices([v]) is v
    updated = extended.update(v, lambda v, a: v.assign(a), args=(3.0,))
    ungrouped = extended.update(v, lambda v: v.assign(4.0), group=False)
    assert isinstance(ungrouped, tuple)
    assert run(updated) == 3.0
    assert extended.update_non_slot([v], lambda a: a, args=(2,)) == 2


def test_iterators():
    strategy = distribute.get_strategy()
    made = strategy.make_input_fn_iterator(
        lambda context: tf.data.Dataset.range(context.get_per_replica_batch_size(8))
    )
    following = strategy.experimental_run(lambda x: x + 1, made)
    with tf.Session() as session:
        session.run(made.initialize())
        assert [session.run(following) for _ in range(3)] == [1, 2, 3]
    context = distribute.InputContext(2, 1, 4)
    assert (context.num_input_pipelines, context.input_pipeline_id) == (2, 1)
    with pytest.raises(ValueError, match="`global_batch_size` 7 is not divisible by"):
        context.get_per_replica_batch_size(7)


def test_one_device():
    strategy = distribute.OneDeviceStrategy("/cpu:0")
    name = "/replica:0/task:0/device:CPU:0"
    with strategy.scope():
        assert distribute.has_strategy()
        assert distribute.get_strategy() is strategy
        assert distribute.in_cross_replica_context()
        assert distribute.get_replica_context() is None
        assert (tf.Variable(2.0).device, tf.constant(1).device) == (name, "")
    assert not distribute.has_strategy()
    assert strategy.experimental_run_v2(lambda: tf.constant(1).device) == name
    assert strategy.extended.worker_devices == (name,)


def test_a_strategy_for_what_follows():
    strategy = distribute.OneDeviceStrategy("/cpu:0")
    distribute.experimental_set_strategy(strategy)
    try:
        assert distribute.get_strategy() is strategy
    finally:
        distribute.experimental_set_strategy(None)
    assert not distribute.has_strategy()


def test_mirrored_on_one_device():
    strategy = distribute.MirroredStrategy()
    assert strategy.num_replicas_in_sync == 1
    assert strategy.extended.worker_devices == ("/replica:0/task:0/device:CPU:0",)
    with strategy.scope():
        v = tf.get_variable("mirrored", initializer=3.0)
    assert v.name == "mirrored:0" and "CPU:0" in v.device
    total = strategy.reduce("SUM", strategy.experimental_run_v2(lambda: v * 2.0), axis=None)
    assert run(total) == 6.0
    old = tf.contrib.distribute.MirroredStrategy(num_gpus=0)
    assert old.extended.worker_devices == strategy.extended.worker_devices
    assert isinstance(distribute.NcclAllReduce(2), distribute.CrossDeviceOps)


def test_errors_of_mirrored():
    tasks = ["/job:worker/task:0/cpu:0", "/job:worker/task:1/cpu:0"]
    with pytest.raises(ValueError, match="In-graph multi-worker training with `Mirrored"):
        distribute.MirroredStrategy(tasks)
    with pytest.raises(AssertionError, match="No duplicates allowed in `devices` argument"):
        distribute.MirroredStrategy(["/cpu:0", "/cpu:0"])
    with pytest.raises(ValueError, match="both `num_gpus` and `num_gpus_per_worker`"):
        tf.contrib.distribute.MirroredStrategy(num_gpus=1, num_gpus_per_worker=1)
    with pytest.raises(ValueError, match="HierarchicalCopy requires num_packs >= 0, but -1"):
        distribute.HierarchicalCopyAllReduce(-1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: distribute.experimental.ParameterServerStrategy(),
        lambda: distribute.experimental.CentralStorageStrategy(),
        lambda: tf.contrib.distribute.ParameterServerStrategy(),
    ],
)
def test_variables_in_one_place(make):
    strategy = make()
    extended = strategy.extended
    assert extended.worker_devices == ("/replica:0/task:0/device:CPU:0",)
    assert extended.parameter_devices == ("/device:CPU:0",)
    assert extended.should_checkpoint and extended.should_save_summary
    with strategy.scope():
        v = tf.get_variable("v", initializer=[1.0, 2.0])
    assert (v.device, hasattr(v, "handle")) == ("/device:CPU:0", True)
    doubled = strategy.experimental_run_v2(lambda: v * 2.0)
    assert doubled.device == "/replica:0/task:0/device:CPU:0"
    assert run(strategy.reduce("SUM", doubled, axis=None)).tolist() == [2.0, 4.0]


def test_parameter_servers_of_a_cluster(monkeypatch):
    cluster = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1", "e:1"]}
    config = {"cluster": cluster, "task": {"type": "worker", "index": 1}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    strategy = distribute.experimental.ParameterServerStrategy()
    with strategy.scope():
        variables = [tf.get_variable(name, [2]) for name in "abc"]
    assert [v.device for v in variables] == [f"/job:ps/task:{task}" for task in (0, 1, 0)]
    worker = "/job:worker/replica:0/task:1/device:CPU:0"
    assert strategy.experimental_run_v2(lambda: tf.constant(1)).device == worker
    assert not strategy.extended.should_checkpoint
    context = strategy.extended.input_context()
    assert (context.num_input_pipelines, context.input_pipeline_id) == (3, 2)


def test_collectives_of_one_worker():
    for strategy in (
        distribute.experimental.MultiWorkerMirroredStrategy(),
        tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=0),
    ):
        assert strategy.num_replicas_in_sync == 1
        assert strategy.extended.experimental_between_graph
    config = tf.contrib.distribute.DistributeConfig(train_distribute=strategy)
    assert config == (strategy, None, None)
    ring = distribute.experimental.CollectiveCommunication("RING")
    assert ring is distribute.experimental.CollectiveCommunication.RING


def test_an_estimator_trains_under_a_strategy(tmp_path):
    strategy = distribute.experimental.ParameterServerStrategy()
    found = []

    def model(features, labels, mode):
        w = tf.get_variable("w", initializer=1.0)
        replica = distribute.get_replica_context()
        found.append((type(distribute.get_strategy()), replica is not None, w.device))
        loss = tf.reduce_mean(tf.square(features * w - labels))
        update = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=update)

    def data(input_context=None):
        found.append(input_context.num_input_pipelines if input_context else None)
        return tf.data.Dataset.from_tensors((tf.ones([2]), 3 * tf.ones([2]))).repeat(50)

    config = tf.estimator.RunConfig(str(tmp_path), train_distribute=strategy)
    estimator = tf.estimator.Estimator(model, config=config)
    estimator.train(data)
    assert found == [1, (type(strategy), True, "/device:CPU:0")]
    assert estimator.get_variable_value("w") == pytest.approx(3.0, abs=1e-3)
    assert estimator.evaluate(data)["loss"] == pytest.approx(0.0, abs=1e-4)


TWO = tf.ConfigProto(device_count={"CPU": 2})


def mirrored():
    return distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def test_changes_of_rows_are_those_of_all_copies():
    strategy = mirrored()
    with strategy.scope():
        v = tf.Variable([1.0, 2.0, 3.0], name="v")
        first = v.scatter_update(tf.IndexedSlices([9.0], [1]))
    steps = [first, tf.scatter_add(v, [0], [5.0]), v.scatter_nd_update([[2]], [7.0])]
    found = []
    with tf.Session(config=TWO) as session:
        session.run(v.initializer)
        for step in steps:
            session.run(step)
            found.append([copy.tolist() for copy in session.run(list(v.values))])
        v.load([1.0, 1.0, 1.0], session)
        assert session.run(list(v.values))[1].tolist() == [1.0, 1.0, 1.0]
    assert found == [[[1, 9, 3]] * 2, [[6, 9, 3]] * 2, [[6, 9, 7]] * 2]
    with pytest.raises(ValueError, match="You must specify an aggregation method"):
        strategy.experimental_run_v2(lambda: v.scatter_update(tf.IndexedSlices([9.0], [1])))


def test_checkpoints_restore_all_copies(tmp_path):
    v = tf.Variable([3.0, 4.0], name="v")
    with tf.Session(config=TWO) as session:
        session.run(v.initializer)
        path = tf.train.Saver().save(session, str(tmp_path / "one"))
    for restore in ("saver", "objects", "start"):
        with tf.Graph().as_default(), mirrored().scope():
            w = tf.get_variable("v", initializer=[1.0, 2.0])
            if restore == "start":
                tf.train.init_from_checkpoint(path, {"v": "v"})
            objects = tf.train.Checkpoint(w=w)
            saver = tf.train.Saver()
            with tf.Session(config=TWO) as session:
                session.run(tf.global_variables_initializer())
                if restore == "saver":
                    saver.restore(session, path)
                if restore == "objects":
                    session.run(w.assign([3.0, 4.0]))
                    saved = objects.save(str(tmp_path / "objects"), session=session)
                    session.run(w.initializer)
                    objects.restore(saved).run_restore_ops(session)
                copies = session.run(list(w.values))
        assert [copy.tolist() for copy in copies] == [[3.0, 4.0]] * 2, restore


def test_a_monitored_session_goes_on_with_replicas(tmp_path):
    strategy = mirrored()
    for last in (3, 5):
        with tf.Graph().as_default(), strategy.scope():
            step = tf.train.get_or_create_global_step()

            def code(step=step):
                w = tf.get_variable("w", initializer=[1.0, 2.0])
                loss = tf.reduce_sum(w) / 2
                return tf.train.GradientDescentOptimizer(0.5).minimize(loss, step)

            train = strategy.group(strategy.experimental_run_v2(code))
            hooks = [tf.train.StopAtStepHook(last_step=last)]
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=str(tmp_path), config=TWO, hooks=hooks
            ) as s:
                while not s.should_stop():
                    s.run(train)
    assert tf.train.load_variable(str(tmp_path), "w").tolist() == [-1.5, -0.5]
    assert tf.train.load_variable(str(tmp_path), "global_step") == 5

# case: variables of two devices
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
extended = strategy.extended
show(strategy.num_replicas_in_sync, extended.worker_devices, extended.parameter_devices)
with strategy.scope():
    v = tf.Variable(1.0, name="v")
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    show([(x.name, x.device) for x in strategy.experimental_local_results(v)], v.device)
    show(
        type(v).__name__,
        v.name,
        v.shape,
        v.dtype,
        v.trainable,
        extended.value_container(v.primary) is v,
    )
    show(tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context())
show([x.name for x in tf.global_variables()])
nodes()
# case: values of replicas
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def code(a, b=2):
    replica = tf.distribute.get_replica_context()
    number = replica.replica_id_in_sync_group
    x = tf.constant([[1.0, 2.0]]) + tf.cast(number, tf.float32)
    return {"x": x, "more": (a, [b, "text", None])}


found = strategy.experimental_run_v2(code, args=(3,), kwargs={"b": tf.constant(4)})
show(found["more"], type(found["x"]).__name__)
show([(x.name, x.device) for x in strategy.unwrap(found["x"])])
x = found["x"]
total = strategy.reduce("SUM", x, axis=None)
mean = strategy.reduce(tf.distribute.ReduceOp.MEAN, x, axis=None)
copies = strategy.extended.reduce_to("SUM", x, x)
show(total.name, mean.name, total.device, type(copies).__name__)
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    show(session.run([strategy.unwrap(x), total, mean, copies]))
# case: merge calls
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def code():
    replica = tf.distribute.get_replica_context()
    number = tf.cast(replica.replica_id_in_sync_group, tf.float32)
    a = replica.all_reduce("SUM", number + 1.0)
    b = replica.all_reduce(tf.distribute.ReduceOp.MEAN, [number + 1.0, number * 10.0])
    c = replica.merge_call(
        lambda strategy, x: strategy.reduce("SUM", x, axis=None), args=(number + 5.0,)
    )
    return a, b, c, replica.num_replicas_in_sync


a, b, c, count = strategy.experimental_run_v2(code)
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    show(session.run([strategy.unwrap(x) for x in (a, b[0], b[1], c)]), count)


# case: unequal merge calls
def code():
    replica = tf.distribute.get_replica_context()
    if not tf.get_variable_scope().reuse:
        replica.merge_call(lambda strategy: 1)
    return 1


tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]).experimental_run_v2(code)


# case: an error in a replica
def code():
    if tf.get_variable_scope().reuse:
        raise KeyError("the second")
    tf.distribute.get_replica_context().merge_call(lambda strategy: 1)


tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]).experimental_run_v2(code)
# case: calls that need all replicas
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
strategy.experimental_run_v2(lambda: strategy.reduce("SUM", 1.0, axis=None))
# case: one value cannot be added up
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
show(strategy.extended.reduce_to("SUM", 0, "/cpu:0"), strategy.reduce("MEAN", 5.0, axis=None))
strategy.reduce("SUM", 3.0, axis=None)
# case: an unknown reduction
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
strategy.reduce("BAD", 3.0, axis=None)
# case: devices of several tasks
tf.distribute.MirroredStrategy(["/job:worker/task:0/cpu:0", "/job:worker/task:1/cpu:0"])
# case: training
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    w = tf.get_variable("w", initializer=[0.0, 0.0])
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)


def step():
    number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
    loss = tf.reduce_sum(tf.square(w - [1.0, 2.0])) * (number + 1.0)
    return optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step()), loss


with strategy.scope():
    train, losses = strategy.experimental_run_v2(step)
    train = strategy.group(train)
    loss = strategy.reduce("SUM", losses, axis=None)
show([v.name for v in tf.global_variables()], optimizer.get_slot(w, "momentum").name)
show([type(v).__name__ for v in optimizer.variables()])
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(train)
        show(session.run([w, loss]), session.run(list(strategy.unwrap(w))))
    show(session.run(tf.train.get_global_step()))
# case: batches of a dataset
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    x = np.arange(10, dtype=np.float32).reshape(10, 1)
    data = tf.data.Dataset.from_tensor_slices((x, 2 * x)).batch(4)
    iterator = strategy.make_dataset_iterator(data)

    def step(batch):
        x, y = batch
        p = tf.layers.dense(x / 10, 1, kernel_initializer=tf.ones_initializer(), name="d")
        loss = tf.reduce_mean(tf.square(p - y)) / strategy.num_replicas_in_sync
        with tf.control_dependencies([tf.train.AdamOptimizer(0.1).minimize(loss)]):
            return tf.identity(loss), tf.shape(x)

    losses, sizes = strategy.experimental_run(step, iterator)
    loss = strategy.reduce("SUM", losses, axis=None)
show([v.name for v in tf.global_variables()])
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    session.run(iterator.initialize())
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        found = session.run([loss, strategy.unwrap(sizes)])
        show(np.round(found[0], 3), found[1])
# case: elements of an input function
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def data(context):
    show(context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync)
    return tf.data.Dataset.range(10).batch(2)


with strategy.scope():
    iterator = strategy.make_input_fn_iterator(data)
    following = iterator.get_next()
show(type(following).__name__)
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    session.run(iterator.initialize())
    for _ in range(2):
        show(session.run(strategy.unwrap(following)))
# case: aggregation of assigned values
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    a = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    b = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
    c = tf.Variable(1.0, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)


def code():
    number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
    return [v.assign_add(number + 2.0) for v in (a, b, c)]


updates = strategy.experimental_run_v2(code)
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    session.run(tf.global_variables_initializer())
    session.run([strategy.unwrap(update) for update in updates])
    show(session.run([strategy.unwrap(v) for v in (a, b, c)]))
# case: no aggregation
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    v = tf.Variable(1.0)
strategy.experimental_run_v2(lambda: v.assign(2.0))
# case: no synchronization
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    tf.Variable(1.0, name="v", synchronization=tf.VariableSynchronization.NONE)
# case: variables that are synchronized on read
import tempfile

strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
on_read = tf.VariableSynchronization.ON_READ
with strategy.scope():
    t, m = [
        tf.Variable(0.0, synchronization=on_read, aggregation=kind, trainable=False, name=name)
        for kind, name in ((tf.VariableAggregation.SUM, "t"), (tf.VariableAggregation.MEAN, "m"))
    ]

    def code():
        number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        return t.assign(number + 2.0), m.assign(number + 2.0)

    updates = strategy.experimental_run_v2(code)
    values = [strategy.extended.read_var(v) for v in (t, m)]
    saver = tf.train.Saver([t, m])
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    session.run(tf.global_variables_initializer())
    session.run([strategy.unwrap(update) for update in updates])
    show(session.run(values))
    path = saver.save(session, tempfile.mkdtemp() + "/model")
    reader = tf.train.load_checkpoint(path)
    show([(name, reader.get_tensor(name)) for name in ("t", "m")])
    saver.restore(session, path)
    show(session.run([list(strategy.unwrap(v)) for v in (t, m)]))
# case: metrics and batch normalization
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def code():
    number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
    inputs = tf.constant([[1.0], [3.0]]) + number * 4
    y = tf.layers.batch_normalization(inputs, training=True, momentum=0.5)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    value, update = tf.metrics.mean([number, number + 2.0])
    with tf.control_dependencies(updates):
        return tf.identity(y), value, update


with strategy.scope():
    y, value, update = strategy.experimental_run_v2(code)
show([(v.name, type(v).__name__) for v in tf.global_variables() + tf.local_variables()])
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    show(np.round(session.run(strategy.unwrap(y)), 3), session.run(strategy.unwrap(update)))
    show(session.run(value))
    show([session.run(list(strategy.unwrap(v))) for v in tf.global_variables()])
# case: moving averages
from tensorflow.python.training import moving_averages

strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    v = tf.Variable(1.0, name="v")
    averages = tf.train.ExponentialMovingAverage(0.75)
    average = averages.apply([v])
    show([x.name for x in tf.global_variables()], averages.average(v).name)

    def code():
        number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        t = tf.get_variable("t", initializer=0.0, trainable=False)
        return moving_averages.assign_moving_average(t, number + 2.0, 0.75, zero_debias=False)

    moved = strategy.experimental_run_v2(code)
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    session.run(tf.global_variables_initializer())
    show(session.run(strategy.unwrap(moved)))
# case: sparse gradients
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def code():
    w = tf.get_variable("w", initializer=[[0.0], [0.0], [0.0]])
    number = tf.distribute.get_replica_context().replica_id_in_sync_group
    loss = tf.reduce_sum(tf.nn.embedding_lookup(w, [number, 1]))
    return tf.train.GradientDescentOptimizer(0.5).minimize(loss), w


with strategy.scope():
    train, w = strategy.experimental_run_v2(code)
with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
    session.run(tf.global_variables_initializer())
    session.run(strategy.group(train))
    show(session.run(list(strategy.unwrap(w))))
# case: summaries of the first replica
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    made = strategy.experimental_run_v2(lambda: tf.summary.scalar("a", tf.constant(1.0)))
show([x.name for x in strategy.unwrap(made)], tf.get_collection(tf.GraphKeys.SUMMARIES))
# case: variables made in replicas
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def code():
    a, b = tf.Variable(1.0, name="a"), tf.Variable(2.0, name="a")
    with tf.variable_scope("scope"):
        c = tf.get_variable("c", [1])
        d = tf.layers.dense(tf.ones([1, 2]), 1)
    with tf.name_scope("inner"):
        e = tf.Variable(1.0, name="e")
    return a, b, c, d, e


with strategy.scope():
    for found in strategy.experimental_run_v2(code):
        show(type(found).__name__, [x.name for x in strategy.unwrap(found)])
show([v.name for v in tf.global_variables()])

# case: nodes
gs = tf.Variable(0, name="global_step", trainable=False)
a = tf.Variable(1.0, name="a")
b = tf.Variable([[2.0], [3.0]], name="b")
loss = a * 3.0 + tf.reduce_sum(tf.gather(b, [0, 0]))
opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2, 3)
start = len(tf.get_default_graph().get_operations())
train = opt.minimize(loss, global_step=gs)
show(train, opt.local_step_init_op, opt.chief_init_op, opt.ready_for_local_init_op)
show(opt.get_init_tokens_op(), opt.get_init_tokens_op(5))
runner = opt.get_chief_queue_runner()
show(runner.queue.name, runner.enqueue_ops, opt.get_slot_names(), opt.variables())
nodes(start=start)
show([v.name for v in tf.local_variables()], tf.get_collection("queue_runners"))
# case: nodes with averages
gs = tf.train.get_or_create_global_step()
a = tf.Variable(1.0, name="a")
averages = tf.train.ExponentialMovingAverage(0.9, gs)
opt = tf.train.SyncReplicasOptimizer(
    tf.train.MomentumOptimizer(0.5, 0.9),
    1,
    variable_averages=averages,
    variables_to_average=[a],
    name="mine",
)
start = len(tf.get_default_graph().get_operations())
train = opt.minimize(a * 2.0, global_step=gs)
show(opt.get_slot_names(), opt.get_slot(a, "momentum"), opt.get_init_tokens_op(0))
show([v.name for v in opt.variables()])
nodes(start=start)
# case: no global step
a = tf.Variable(1.0)
opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2)
opt.minimize(a * 2.0)
# case: no variables
opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2)
opt.apply_gradients([], tf.Variable(0))
# case: too early for tokens
tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2).get_init_tokens_op()
# case: too early for a queue runner
tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2).get_chief_queue_runner()
# case: too few tokens
a = tf.Variable(1.0)
opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 4, 1)
opt.minimize(a * 2.0, global_step=tf.Variable(0))
opt.get_init_tokens_op(2)
# case: one worker for two gradients
gs = tf.Variable(0, name="global_step", trainable=False)
x = tf.placeholder(tf.float32, [])
a = tf.Variable(1.0, name="a")
b = tf.Variable([[2.0], [3.0], [4.0]], name="b")
loss = a * a * x + tf.reduce_sum(tf.gather(b, [0, 2]) ** 2.0)
opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 2, 1)
train = opt.minimize(loss, global_step=gs)
tokens = opt.get_init_tokens_op(1)
runner = opt.get_chief_queue_runner()
with tf.Session() as s:
    s.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    s.run(opt.chief_init_op)
    coord = tf.train.Coordinator()
    threads = runner.create_threads(s, coord, daemon=True, start=True)
    s.run(tokens)
    # The second run of a step waits until the variables are updated.
    for i in range(20):
        for part in (0.5, 1.5):
            s.run(train, {x: part})
        show(s.run([a, b, gs]))
    coord.request_stop()
    s.close()
    coord.join(threads)


# case: a hook
class Coordinator(object):
    def register_thread(self, thread):
        print(thread.name, thread.daemon)

    def should_stop(self):
        return True

    def wait_for_stop(self, timeout=None):
        return True


a = tf.Variable(1.0)
gs = tf.train.get_or_create_global_step()
opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2)
opt.minimize(a * 2.0, global_step=gs)
chief, other = opt.make_session_run_hook(True), opt.make_session_run_hook(False)
chief.begin()
other.begin()
with tf.Session() as s:
    s.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    chief.after_create_session(s, Coordinator())
    other.after_create_session(s, Coordinator())
print(isinstance(chief, tf.train.SessionRunHook))
# case: a hook before its time
a = tf.Variable(1.0)
gs = tf.train.get_or_create_global_step()
opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2)
hook = opt.make_session_run_hook(True)
opt.minimize(a * 2.0, global_step=gs)
hook.begin()
with tf.Session() as s:
    hook.after_create_session(s, tf.train.Coordinator())
# case: a hook too early
opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2)
hook = opt.make_session_run_hook(True)
hook.begin()
# case: hooks
hook = tf.train.SessionRunHook()
args = tf.train.SessionRunArgs(1)
show(
    args.fetches, args.feed_dict, args.options, args._fields, len(tf.train.SessionRunValues._fields)
)
context = tf.train.SessionRunContext(args, "session")
show(context.original_args is args, context.session, context.stop_requested)
context.request_stop()
show(context.stop_requested, hook.begin(), hook.before_run(context), hook.end("session"))
show(tf.train.SessionRunValues(1, 2, 3), hook.after_create_session(1, 2), hook.after_run(1, 2))

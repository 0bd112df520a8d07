def model():
    x = tf.placeholder(tf.float32, [8, 4, 4, 3], name="x")
    with tf.variable_scope("conv"):
        kernel = tf.get_variable("w", [3, 3, 3, 5])
        bias = tf.get_variable("b", [5])
        hidden = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME"), bias))
    with tf.variable_scope("fc"):
        weights = tf.get_variable("w", [80, 10])
        result = tf.matmul(tf.reshape(hidden, [8, 80]), weights)
    loss = tf.reduce_mean(tf.square(result))
    tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def traced_run(scale=1):
    """A RunMetadata with invented times and sizes."""
    metadata = tf.RunMetadata()
    device = metadata.step_stats.dev_stats.add()
    device.device = "/job:localhost/replica:0/task:0/device:CPU:0"
    ops = sorted(tf.get_default_graph().get_operations(), key=lambda op: op.name)
    for i, op in enumerate(ops):
        node = device.node_stats.add()
        node.node_name = op.name
        node.all_start_micros = 1000 + 10 * i
        node.op_start_rel_micros = 1
        # No two op types take the same time in all.
        node.op_end_rel_micros = scale * (3 + 7 * i)
        node.all_end_rel_micros = 5 + i % 7
        memory = node.memory.add()
        memory.allocator_name = "cpu"
        memory.total_bytes = 100 * (i + 1)
        memory.peak_bytes = 150 * (i + 1)
        memory.live_bytes = 50 * i
        for slot, _ in enumerate(op.outputs):
            output = node.output.add()
            output.slot = slot
            description = output.tensor_description.allocation_description
            description.requested_bytes = 80
            description.ptr = 5000 + i
    return metadata


builder = tf.profiler.ProfileOptionBuilder


def profiled(cmd, options, run=None):
    options = builder(options).with_empty_output().build()
    print(tf.profiler.profile(tf.get_default_graph(), run, cmd=cmd, options=options))


# case: parameters of variables
model()
profiled("scope", builder.trainable_variables_parameter())

# case: floating-point operations of scopes
model()
profiled("scope", builder.float_operation())

# case: floating-point operations of op types
model()
profiled("op", builder(builder.float_operation()).with_min_float_operations(500).build())

# case: times of scopes
model()
options = builder(builder.time_and_memory(min_micros=400)).with_max_depth(3).build()
profiled("scope", options, traced_run())

# case: times of op types
model()
profiled("op", builder(builder.time_and_memory()).with_max_depth(4).build(), traced_run())

# case: times of nodes with their inputs
model()
options = builder(builder.time_and_memory(min_bytes=3000)).with_max_depth(7).build()
profiled("graph", options, traced_run())

# case: accounted types count with the scopes around them
model()
for cmd in ("scope", "graph", "op"):
    profiled(cmd, builder().with_accounted_types(["Mul", "Sub"]).build(), traced_run())

# case: names that are hidden
model()
names = ["fc", "gradients.*", ".*w"]
for only_displayed in (True, False):
    options = builder().with_node_names(hide_name_regexes=names).with_max_depth(3)
    profiled("scope", options.account_displayed_op_only(only_displayed).build(), traced_run())

# case: names to start from and to trim
model()
options = builder().with_node_names(start_name_regexes=["Mean", "fc/.*"], trim_name_regexes=["conv.*"])
for cmd in ("scope", "graph"):
    profiled(cmd, options.with_max_depth(4).build(), traced_run())

# case: least numbers of runs and nodes
model()
profiled("scope", builder().with_min_occurrence(1).with_max_depth(2).build(), traced_run())
profiled("op", builder().with_min_occurrence(4).build())

# case: orders
model()
for attribute in ("bytes", "peak_bytes", "residual_bytes", "cpu_micros", "params", "nothing"):
    options = builder(builder.time_and_memory()).order_by(attribute).with_max_depth(2).build()
    print(attribute)
    profiled("scope", options, traced_run())

# case: lines of code
model()
message = tf.profiler.profile(
    tf.get_default_graph(), traced_run(), cmd="code", options=builder().with_empty_output().build()
)
print(message.name, message.total_exec_micros, message.total_parameters, message.total_float_ops)

# case: steps
model()
profiler = tf.profiler.Profiler(tf.get_default_graph())
profiler.add_step(1, traced_run())
profiler.add_step(5, traced_run(3))
for step in (1, 5, -1):
    options = builder(builder.time_and_memory()).with_step(step).with_max_depth(2)
    print(profiler.profile_name_scope(options.with_empty_output().build()))

# case: unknown views
model()
profiled("lines", builder().build())

# case: shapes that only a run knows
x = tf.placeholder(tf.float32, [None, 4])
tf.matmul(x, tf.ones([4, 5]), name="product")
metadata = tf.RunMetadata()
with tf.Session() as session:
    level = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    session.run("product:0", {x: [[1.0] * 4] * 3}, level, metadata)
profiled("scope", builder.float_operation())
profiled("scope", builder.float_operation(), metadata)

# case: builders of options
print(sorted(builder().build().items()))
print(sorted(builder.trainable_variables_parameter().items()))
print(sorted(builder.float_operation().items()))
print(sorted(builder.time_and_memory(2, 3).items()))
chosen = builder().select(["params"]).with_min_parameters(3).with_min_execution_time(1, 2, 3)
chosen = chosen.with_min_memory(1, 2, 3, 4).with_step(7).with_file_output("a")
print(sorted(chosen.build().items()))
print(builder().with_timeline_output("b").build()["output"])

# case: options of the first releases
from tensorflow.contrib.tfprof import model_analyzer
print(sorted(model_analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS.items()))
print(sorted(model_analyzer.FLOAT_OPS_OPTIONS.items()))
print(sorted(model_analyzer.PRINT_ALL_TIMING_MEMORY.items()))

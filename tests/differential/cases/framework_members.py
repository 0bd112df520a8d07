# case: references to tensors, slices of inputs, tracebacks
x = tf.constant(1.0)
ref = x.experimental_ref()
show(ref == x.experimental_ref(), ref.deref() is x, hash(ref) == id(x), repr(ref), ref != tf.constant(1.0).experimental_ref())
y = x + x
show(len(y.op.inputs), y.op.inputs[0:1], y.op.inputs[-1], y.op.inputs == [x, x])
for frame, longer in zip(y.op.traceback, y.op.traceback_with_start_lines):
    assert len(longer) == 5 and longer[:-1] == frame
show(y.op._input_types)
try:
    y.op.inputs.append(None)
except AttributeError as error:
    print(error)
# case: DeviceSpec copies
spec = tf.DeviceSpec(job="a")
show(spec.replace(task=1).to_string(), spec.to_string(), spec.make_merged_spec(tf.DeviceSpec(job="b", replica=2)).to_string(), spec.to_string())
show(tf.DeviceSpec(job="w", device_type="CPU", device_index=1).replace(device_type="GPU", device_index=None).to_string())
# case: consumers of IndexedSlices
slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([3]))
a, b, c = -slices.values, tf.identity(slices.indices), slices.values + slices.values
show(sorted(op.name for op in slices.consumers()))
# case: scopes of slashes
for names in (("foo/", ""), ("foo/", "foo5//"), ("foo/", "/"), ("foo/", "//"), ("foo/", "a//b/c"), ("a//b/c",)):
    scopes = []
    with tf.Graph().as_default():
        with tf.name_scope(names[0]) as scope:
            scopes.append(scope)
            if names[1:]:
                with tf.name_scope(names[1]) as inner:
                    scopes.append(inner)
    show(scopes)
# case: init_scope leaves functions
default = tf.get_default_graph()
body = tf.Graph()
body._building_function = True
with body.as_default():
    with tf.init_scope():
        show(tf.get_default_graph() is default)
outer, plain = tf.Graph(), tf.Graph()
with outer.as_default(), body.as_default():
    with tf.name_scope("a"), tf.control_dependencies([tf.no_op()]):
        with tf.init_scope():
            show(tf.constant(1).name, tf.get_default_graph() is outer)
            show(tf.get_default_graph().get_operations()[-1])
    with plain.as_default(), tf.init_scope():
        show(tf.get_default_graph() is plain)
with tf.device("/cpu:0"), tf.init_scope():
    show(tf.constant(1).device)
# case: functions that capture by value
from tensorflow.python.framework import function
w = tf.constant([[1.0]], name="w")
@function.Defun(tf.float32, capture_by_value=True)
def times(x):
    """Multiplies by w."""
    return tf.matmul(w, x) + w
y = times(tf.constant([[10.0]]))
show(len(times.captured_inputs), [n.op for n in times.definition.node_def], times.definition.signature.description)
show(tf.Session().run(y))
p, v = tf.placeholder(tf.float32, name="p"), tf.Variable(1.0, name="v")
for outside in (p, v):
    @function.Defun(tf.float32, capture_by_value=True)
    def plus(x):
        return x + outside
    try:
        plus(1.0)
    except ValueError as error:
        print(error)
# case: functions refuse outer control dependencies
from tensorflow.python.framework import function
x = tf.constant([10.0])
@function.Defun(tf.float32)
def waits(y):
    with tf.control_dependencies([x]):
        return tf.identity(y)
try:
    waits(x)
except ValueError as error:
    print(error)
# case: a gradient function with too many results
from tensorflow.python.framework import function
@function.Defun(tf.float32, tf.float32, tf.float32)
def grad(x, dy, dz):
    return x, dy + dz
@function.Defun(tf.float32, grad_func=grad)
def forward(x):
    return x, x
x = tf.placeholder(tf.float32)
dx = tf.gradients(tf.add_n(forward(x)), [x])
try:
    tf.Session().run(dx, {x: [1.0]})
except tf.errors.InvalidArgumentError as error:
    print(error.message.splitlines()[0])
# case: seeds of functions are their own
from tensorflow.python.framework import function
tf.set_random_seed(5)
@function.Defun()
def draw():
    return tf.random_uniform([50])
show([(n.op, n.attr["seed"].i, n.attr["seed2"].i) for n in draw.definition.node_def if "Random" in n.op])
a, b = draw(), draw()
one, two = tf.Session().run([a, b])
show(bool((one == two).all()))
# case: functions of a library
from tensorflow.core.framework import function_pb2
from tensorflow.python.framework import function
@function.Defun(tf.float32, tf.float32, func_name="G")
def G(x, dy):
    return x * dy
@function.Defun(tf.float32, grad_func=G, func_name="F")
def F(x):
    return tf.exp(x)
y = F(1.0)
tf.gradients(y, y.op.inputs[0])
for f in function.from_library(tf.get_default_graph().as_graph_def().library):
    show(f.name, f.grad_func_name, list(f.declared_input_types), f.captured_inputs)
show(function.from_library(function_pb2.FunctionDefLibrary()))
missing = function_pb2.FunctionDefLibrary()
missing.gradient.extend([function_pb2.GradientDef(function_name="F", gradient_func="G")])
missing.function.extend([F.definition])
cyclic = function_pb2.FunctionDefLibrary()
cyclic.gradient.extend([function_pb2.GradientDef(function_name=a, gradient_func=b) for a, b in (("F", "G"), ("G", "F"))])
cyclic.function.extend([F.definition, G.definition])
for library in (missing, cyclic):
    try:
        function.from_library(library)
    except ValueError as error:
        print(str(error).splitlines()[0])
# case: attrs that are functions
from tensorflow.python.framework import function, test_ops
@function.Defun(tf.float32, func_name="MyFunc")
def func(x):
    return x
op = test_ops.func_attr(func)
show(op.get_attr("f").name, tf.get_default_graph()._is_function("MyFunc"))
show([f.name for f in test_ops.func_list_attr([func, func]).get_attr("f")])
# case: resources of tests
from tensorflow.python.framework import test_ops
from tensorflow.python.ops import resources
handle = test_ops.stub_resource_handle_op(container="a", shared_name="b")
resources.register_resource(handle=handle, create_op=test_ops.resource_create_op(handle), is_initialized_op=test_ops.resource_initialized_op(handle))
report = resources.report_uninitialized_resources(resources.shared_resources())
with tf.Session() as sess:
    show(sess.run(report))
    sess.run(resources.initialize_resources(resources.shared_resources()))
    show(sess.run(report))
# case: ops that are described and made later
from tensorflow.python.framework import ops, test_ops
g = tf.get_default_graph()
x = test_ops.int_output()
described = ops._create_c_op(g, ops._NodeDef("IntInputIntOutput", "myop"), [x], [])
op = g._create_op_from_tf_operation(described)
show(op, x.consumers(), g.get_tensor_by_name("myop:0"))
def true_fn():
    ops._create_c_op(g, ops._NodeDef("IntInput", "cond/inner"), [x], [])
    show(len(g._add_new_tf_operations()))
    return x
tf.cond(x < 10, true_fn, lambda: x)
op = g.get_operation_by_name("cond/inner")
show(op.inputs[0].op.type, op._get_control_flow_context().name)
# case: refused switches to eager mode
for arguments in ((3,), (tf.ConfigProto(), 9), (tf.ConfigProto(), None, 9)):
    try:
        tf.enable_eager_execution(*arguments)
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error)[:35])

# case: import a graph
from google.protobuf import text_format
TEXT = 'node{name:"a" op:"Const" attr{key:"dtype" value{type:DT_FLOAT}} attr{key:"value" value{tensor{dtype:DT_FLOAT tensor_shape{} float_val:1}}}} node{name:"b" op:"Identity" input:"a" attr{key:"T" value{type:DT_FLOAT}}}'
d = tf.GraphDef()
text_format.Merge(TEXT, d)
print(tf.import_graph_def(d))
show(tf.import_graph_def(d, name="", return_elements=["a:0", "b"]))
show(tf.import_graph_def(d, name="x", return_elements=["b:0"]))
show(tf.import_graph_def(d, name="x", return_elements=["b:0"]))
show(tf.import_graph_def(d, input_map={"a": tf.constant(2.0)}, return_elements=["b:0"]))
show(tf.import_graph_def(d, {"a:0": tf.constant(5.0)}, ["b:0"], "y"))
nodes()
with tf.Session() as sess:
    show(sess.run(["x/b:0", "y/b:0", "b:0"]))
# case: bad imports
from google.protobuf import text_format
TEXT = 'node{name:"a" op:"Const" attr{key:"dtype" value{type:DT_FLOAT}} attr{key:"value" value{tensor{dtype:DT_FLOAT tensor_shape{} float_val:1}}}} node{name:"b" op:"Identity" input:"a" attr{key:"T" value{type:DT_FLOAT}}}'
def attempt(text, **kwargs):
    tf.reset_default_graph()
    d = tf.GraphDef()
    text_format.Merge(text, d)
    kwargs = {k: v() if callable(v) else v for k, v in kwargs.items()}
    try:
        tf.import_graph_def(d, **kwargs)
        print("no error")
        nodes()
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0].split(" in binary running")[0].split(" for TensorFlow")[0])
attempt(TEXT, return_elements=["c"])
attempt(TEXT, return_elements=["a:3"])
attempt(TEXT, input_map={"z:0": lambda: tf.constant(2.0)} and (lambda: {"z:0": tf.constant(2.0)}))
attempt(TEXT, input_map=lambda: {"a:0": tf.constant(2)})
attempt(TEXT, input_map=3)
attempt(TEXT, return_elements=3)
attempt('node{name:"a" op:"Foo"}')
attempt('node{name:"b" op:"Identity" input:"a" attr{key:"T" value{type:DT_FLOAT}}}')
attempt('node{name:"b" op:"Identity" input:"b" attr{key:"T" value{type:DT_FLOAT}}}')
attempt('node{name:"b" op:"Identity" attr{key:"T" value{type:DT_FLOAT}}}')
attempt('node{name:"b" op:"NoOp" input:"a"} node{name:"a" op:"NoOp"}')
attempt('node{name:"b" op:"NoOp" input:"^a"} node{name:"a" op:"NoOp"}')
attempt('node{name:"b" op:"NoOp"} node{name:"b" op:"NoOp"}')
attempt(TEXT.replace('T" value{type:DT_FLOAT', 'T" value{type:DT_INT32'))
attempt('node{name:"b" op:"NoOp" attr{key:"zz" value{i:3}}}')
attempt('node{name:"b" op:"Placeholder"}')
attempt('versions{producer:21 min_consumer:9999} node{name:"b" op:"NoOp"}')
# case: import of something else
tf.import_graph_def(3)
# case: colocation gets the prefix
from google.protobuf import text_format
d = tf.GraphDef()
text_format.Merge('node{name:"b" op:"NoOp" attr{key:"_class" value{list{s:"loc:@c"}}}} node{name:"c" op:"NoOp" device:"/cpu:0"}', d)
tf.import_graph_def(d, name="p")
for op in tf.get_default_graph().get_operations():
    print(op.name, op.colocation_groups())
# case: a graph as proto
with tf.device("/device:CPU:0"):
    a = tf.constant([[1.0, 2.0]], name="a")
p = tf.placeholder(tf.float32, [None, 2], name="p")
with tf.control_dependencies([a]):
    b = tf.identity(p, name="b")
v = tf.Variable([1.0, 2.0], name="v")
d = tf.get_default_graph().as_graph_def()
print([(n.name, n.op, list(n.input), n.device, sorted(n.attr)) for n in d.node])
print(d.node[0].attr["value"].tensor.tensor_shape.dim[1].size, d.versions.producer, d.versions.min_consumer)
print(sorted(tf.get_default_graph().as_graph_def(add_shapes=True).node[1].attr))
again = tf.GraphDef.FromString(d.SerializeToString())
with tf.Graph().as_default() as g:
    tf.import_graph_def(again, name="")
    print(g.as_graph_def() == d)
# case: formatting and comparing graph defs
def made(value):
    with tf.Graph().as_default() as g:
        tf.add(tf.constant(value, name="a"), 2, name="b")
    return g.as_graph_def()
tf.test.assert_equal_graph_def(made(1), made(1))
for other in (made(3), tf.GraphDef()):
    try:
        tf.test.assert_equal_graph_def(made(1), other)
    except AssertionError as error:
        print("differ")
try:
    tf.test.assert_equal_graph_def(made(1), 3)
except TypeError as error:
    print(error)
# case: a constant of one repeated element is one element in its NodeDef
tf.constant(1.0, shape=[4], name="fill")
tf.constant([1.0, 1.0, 1.0, 1.0], name="list")
tf.constant(7, tf.int64, [2, 3], name="integers")
tf.constant("x", shape=[3], name="strings")
tf.constant(1 + 2j, shape=[2], name="complex")
tf.constant(2.0, tf.float16, [3], name="half")
tf.ones([2], tf.bool, name="ones")
tf.zeros([2, 3], name="zeros")
tf.zeros_like(tf.constant([1.0, 2.0], name="like"), name="zeros_like")
tf.get_variable("v", [3], initializer=tf.constant_initializer(2.0))
def shown(graph):
    for node in graph.node:
        if node.op == "Const":
            tensor = node.attr["value"].tensor
            fields = [(f.name, len(v)) for f, v in tensor.ListFields() if f.name.endswith("_val")]
            print(node.name, len(tensor.tensor_content), fields)
first = tf.get_default_graph().as_graph_def()
shown(first)
with tf.Graph().as_default() as again:
    tf.import_graph_def(first, name="")
    print(again.as_graph_def().ByteSize() == first.ByteSize())
    with tf.Session() as session:
        results = session.run(["fill:0", "integers:0", "strings:0", "zeros:0", "ones:0"])
for result in results:
    print(result.tolist())
    result[0] = result[1]

# case: scopes of graphs, written and read
from tensorflow.python.framework import meta_graph
g = tf.get_default_graph()
images = tf.constant(1.2, shape=[4, 3], name="images")
with tf.name_scope("hidden1"):
    w = tf.Variable(tf.ones([3, 2]), name="weights")
    h = tf.nn.relu(tf.matmul(images, w))
with tf.name_scope("hidden2"):
    b = tf.Variable([0.5, 0.5], name="biases")
    out = tf.identity(h + b, name="out")
m, variables = meta_graph.export_scoped_meta_graph(export_scope="hidden1")
show({k: v.name for k, v in variables.items()}, [(n.name, list(n.input)) for n in m.graph_def.node], sorted(m.collection_def))
m2, _ = meta_graph.export_scoped_meta_graph(export_scope="hidden2", unbound_inputs_col_name=None)
show([(n.name, list(n.input)) for n in m2.graph_def.node], sorted(m2.collection_def), g.get_collection("unbound_inputs"))
for input_map in (None, {"images:0": None}):
    try:
        meta_graph.import_scoped_meta_graph(m, graph=tf.Graph(), import_scope="new", input_map=input_map)
    except ValueError as error:
        print(error)
with tf.Graph().as_default() as other:
    x = tf.constant(2.0, shape=[4, 3], name="images")
    found = meta_graph.import_scoped_meta_graph(m, input_map={"$unbound_inputs_images": x}, import_scope="new")
    show({k: v.name for k, v in found.items()}, other.get_operations())
    relu = other.get_tensor_by_name("new/Relu:0")
    found, elements = meta_graph.import_scoped_meta_graph_with_return_elements(m2, input_map={"$unbound_inputs_hidden1/Relu": relu}, import_scope="second", unbound_inputs_col_name=None, return_elements=["out:0"])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        show(elements, sess.run(elements[0]))
# case: imported under name scopes
from tensorflow.python.framework import meta_graph
tf.Variable(1.0, name="v")
m, _ = meta_graph.export_scoped_meta_graph()
for scope in ("bar", None):
    with tf.Graph().as_default() as g, tf.name_scope("foo"):
        show({k: v.name for k, v in meta_graph.import_scoped_meta_graph(m, import_scope=scope).items()})
with tf.Graph().as_default() as g:
    for _ in range(2):
        show({k: v.name for k, v in meta_graph.import_scoped_meta_graph(m, import_scope="s").items()})
g = tf.Graph()
meta_graph.import_scoped_meta_graph(m, graph=g, restore_collections_predicate=lambda key: key == "variables")
show(g.get_collection("variables")[0].name, g.collections)
with tf.Graph().as_default():
    tf.no_op(name="x/y")
    show(meta_graph.copy_scoped_meta_graph("x", "z"), tf.get_default_graph().get_operations())
    try:
        meta_graph.copy_scoped_meta_graph("x", "x")
    except ValueError as error:
        print(str(error).splitlines()[0])
# case: collections of all kinds
from tensorflow.python.framework import meta_graph
tf.add_to_collection("texts", "abc")
tf.add_to_collection("numbers", 3)
tf.add_to_collection("halves", 0.5)
tf.get_variable("v", [], collections=["mine"])
tf.add_to_collection("tensors", tf.constant(1.0, name="s/c"))
m, _ = meta_graph.export_scoped_meta_graph()
scoped, _ = meta_graph.export_scoped_meta_graph(export_scope="s")
for proto in (m, scoped):
    show([(k, " ".join(str(proto.collection_def[k]).split())[:60]) for k in sorted(proto.collection_def)])
for scope in (None, "q"):
    with tf.Graph().as_default() as g:
        meta_graph.import_scoped_meta_graph(m, import_scope=scope)
        show([(k, g.get_collection(k)) for k in ("halves", "numbers", "texts", "mine", "tensors")], g.collections)
# case: frames of loops in scopes
from tensorflow.python.framework import meta_graph
with tf.name_scope("export"):
    v = tf.Variable(0.0, name="v")
    out = tf.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x + 2.0), [0, v])[1]
scoped, _ = meta_graph.export_scoped_meta_graph(export_scope="export")
whole, _ = meta_graph.export_scoped_meta_graph()
for m in (scoped, whole):
    for scope in (None, "imp"):
        with tf.Graph().as_default() as g:
            meta_graph.import_scoped_meta_graph(m, import_scope=scope)
            show([(op.name, op.get_attr("frame_name")) for op in g.get_operations() if op.type == "Enter"], g.get_collection("while_context")[0].name)
with tf.Graph().as_default() as g:
    meta_graph.import_scoped_meta_graph(scoped, import_scope="imp")
    y, x = g.get_tensor_by_name("imp/" + out.name[7:]), g.get_tensor_by_name("imp/v:0")
    dx = tf.gradients(y, x)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        show(sess.run([y, dx[0]]))
# case: attrs with default values in functions
from tensorflow.python.framework import function, meta_graph
@function.Defun(tf.float32, tf.float32, func_name="pair")
def pair(a, b):
    return tf.complex(a, b, name="both")
pair(1.0, 2.0)
tf.complex(1.0, 2.0, name="outside")
for strip in (True, False):
    m, _ = meta_graph.export_scoped_meta_graph(graph_def=tf.get_default_graph().as_graph_def(), strip_default_attrs=strip)
    nodes = [n for f in m.graph_def.library.function for n in f.node_def] + list(m.graph_def.node)
    show([(n.name, sorted(n.attr)) for n in nodes if n.op == "Complex"], m.meta_info_def.stripped_default_attrs, [op.name for op in m.meta_info_def.stripped_op_list.op])
# case: graphs that differ
from tensorflow.python.framework import test_util
empty = tf.get_default_graph().as_graph_def()
tf.constant(5, name="five")
tf.add(1, 2, name="sum")
whole = tf.get_default_graph().as_graph_def()
def differ(change):
    other = tf.GraphDef()
    other.CopyFrom(whole)
    change(other.node[0])
    try:
        test_util.assert_equal_graph_def(other, whole)
    except AssertionError as error:
        print(error)
def op(node): node.op = "Foo"
def device(node): node.device = "/cpu:0"
def inputs(node): node.input.append("sum")
for change in (op, device, inputs):
    differ(change)
for pair in ((whole, empty), (empty, whole)):
    try:
        test_util.assert_equal_graph_def(*pair)
    except AssertionError as error:
        print(str(error)[:40])
# case: errors by their codes
import warnings
from tensorflow.python.framework import errors, errors_impl
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for code in (3, 37):
        error = errors_impl._make_specific_exception(None, None, "text", code)
        show(type(error).__name__, error.message, error.error_code)
    error = errors_impl.error_code_from_exception_type("Unknown")
    show(type(error).__name__, error.message, [str(w.message) for w in caught])
with errors.raise_exception_on_not_ok_status():
    show(errors.error_code_from_exception_type(errors.AbortedError))
# case: meta graphs of scopes
a = tf.placeholder(tf.float32, [2], name="a")
with tf.device("/cpu:0"), tf.name_scope("scope"):
    v = tf.Variable([1.0, 2.0], name="v")
    w = tf.get_variable("w", [2])
    with tf.name_scope("in"):
        y = tf.add(a, v, name="y")
    with tf.control_dependencies([a]):
        z = tf.add(y, w, name="z")
    tf.add_to_collection("t", y)
    tf.add_to_collection("t", a)
    tf.add_to_collection("n", 3)
meta = tf.train.export_meta_graph(export_scope="scope")
for n in meta.graph_def.node:
    print(n.name, n.op, list(n.input), n.device, n.attr["_class"].list.s)
for k in sorted(meta.collection_def):
    print(k, str(meta.collection_def[k]).split())
with tf.Graph().as_default():
    try:
        tf.train.import_meta_graph(meta, import_scope="q")
    except ValueError as error:
        print(error)

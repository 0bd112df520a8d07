# case: nodes
v = tf.Variable([1.0, 2.0], name="v")
w = tf.Variable(3, name="w")
r = tf.get_variable("r", [2], use_resource=True)
start = len(tf.get_default_graph().get_operations())
s = tf.train.Saver()
nodes(start=start)
for op in tf.get_default_graph().get_operations()[start:]:
    print(op.name, op.device, [str(t.get_shape()) for t in op.outputs])
    if op.type == "Const":
        show(tf.make_ndarray(op.get_attr("value")))
d = s.saver_def
print(d.filename_tensor_name, d.save_tensor_name, d.restore_op_name, d.max_to_keep, d.sharded)
print(d.keep_checkpoint_every_n_hours, d.version)
# case: dict and name, in order
v = tf.Variable([1.0, 2.0], name="v")
w = tf.get_variable("w", [2, 3], use_resource=True)
start = len(tf.get_default_graph().get_operations())
s = tf.train.Saver({"b": v, "a": w}, name="mine", restore_sequentially=True, filename="f")
nodes(start=start)
# case: reshape
v = tf.Variable([1.0, 2.0], name="v")
w = tf.get_variable("w", [2, 3], use_resource=True)
start = len(tf.get_default_graph().get_operations())
s = tf.train.Saver(reshape=True)
nodes(start=start)
# case: slices
v = tf.get_variable("v", [4, 2], partitioner=tf.fixed_size_partitioner(2))
w = tf.get_variable("w", [2, 4], partitioner=tf.fixed_size_partitioner(2, 1))
start = len(tf.get_default_graph().get_operations())
tf.train.Saver()
nodes(start=start)
for op in tf.get_default_graph().get_operations()[start:]:
    if op.type == "RestoreV2":
        show(list(op.outputs))
start = len(tf.get_default_graph().get_operations())
tf.train.Saver([w, list(v)[0]])
nodes(start=start)
# case: a saver in a graph without variables
tf.train.Saver()
# case: allow empty
s = tf.train.Saver(allow_empty=True)
nodes()
with tf.Session() as sess:
    print(s.save(sess, "/none/x", write_meta_graph=False))
    s.restore(sess, "/none/x")
# case: deferred
s = tf.train.Saver(defer_build=True)
v = tf.Variable(1.0)
s.build()
s.build()
print(s.saver_def.save_tensor_name)
# case: deferred with variables
v = tf.Variable(1.0)
tf.train.Saver([v], defer_build=True)
# case: deferred and not built
s = tf.train.Saver(defer_build=True)
with tf.Session() as sess:
    s.save(sess, "/none/x")
# case: twice
v = tf.Variable(1.0, name="v")
tf.train.Saver([v, v])
# case: two names
v = tf.Variable(1.0, name="v")
tf.train.Saver({"a": v, "b": v})
# case: not a list
tf.train.Saver(3)
# case: not a variable
tf.train.Saver({"a": tf.constant(1)})
# case: save and restore
import os, tempfile
def text(path):
    with open(path) as file:
        return file.read()
with tempfile.TemporaryDirectory() as folder:
    v = tf.Variable([1.0, 2.0], name="v")
    g = tf.Variable(7, name="global_step")
    s = tf.train.Saver(max_to_keep=2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in (1, np.int64(2), g):
            print(os.path.basename(s.save(sess, folder + "/m", global_step=step)))
        print(s.save(sess, folder + "/n", latest_filename="other", write_meta_graph=False)[len(folder):])
        print([p[len(folder):] for p in s.last_checkpoints])
        print(sorted(os.listdir(folder)))
        print(text(folder + "/checkpoint").replace(folder, ""))
        print(text(folder + "/other").replace(folder, ""))
        print(tf.train.latest_checkpoint(folder)[len(folder):])
        print(str(tf.train.get_checkpoint_state(folder, "other")).replace(folder, ""))
        print(tf.train.latest_checkpoint(folder + "/none"))
        print(tf.train.checkpoint_exists(folder + "/m-7"), tf.train.checkpoint_exists(folder + "/m-1"))
        sess.run(v.assign([0, 0]))
        s.restore(sess, folder + "/m-7")
        show(sess.run(v))
    with tf.Session() as sess:
        s.restore(sess, tf.train.latest_checkpoint(folder))
        show(sess.run([v, g]))
    tf.reset_default_graph()
    s = tf.train.import_meta_graph(folder + "/m-7.meta")
    with tf.Session() as sess:
        s.restore(sess, folder + "/m-7")
        show(sess.run(["v:0"] + tf.global_variables()))
# case: relative paths
import os, tempfile
def text(path):
    with open(path) as file:
        return file.read()
with tempfile.TemporaryDirectory() as folder:
    v = tf.Variable([1.0, 2.0], name="v")
    s = tf.train.Saver(pad_step_number=True, save_relative_paths=True, max_to_keep=None)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(s.save(sess, folder + "/m", global_step=12)[len(folder):])
        print(text(folder + "/checkpoint"), s.last_checkpoints)
        print(tf.train.latest_checkpoint(folder)[len(folder):])
        here = os.getcwd()
        os.chdir(folder)
        try:
            s = tf.train.Saver()
            print(s.save(sess, "rel"), s.save(sess, "./rel2"), s.save(sess, "sub/rel3"))
            print(text("checkpoint"), tf.train.latest_checkpoint("."), tf.train.latest_checkpoint("sub"))
            print(text("sub/checkpoint"))
        finally:
            os.chdir(here)
# case: errors of save
import tempfile
v = tf.Variable([1.0], name="v")
s = tf.train.Saver()
def fail(f):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0].replace(folder, ""))
with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
    fail(lambda: s.save(3, folder + "/m"))
    fail(lambda: s.save(sess, folder + "/m", latest_filename="/x/y"))
    fail(lambda: s.save(sess, folder + "/abc", latest_filename="abc"))
    sess.run(v.initializer)
    fail(lambda: s.save(sess, "/proc/none/m"))
# case: errors of restore
import tempfile
def fail(var, path):
    try:
        with tf.Session() as sess:
            tf.train.Saver([var]).restore(sess, path)
            show(sess.run(var))
    except Exception as e:
        print(type(e).__name__, [line for line in str(e).splitlines()[:3]])
with tempfile.TemporaryDirectory() as folder:
    path = folder + "/m"
    s = tf.train.Saver([tf.Variable([1.0, 2.0], name="v")])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        s.save(sess, path)
    tf.reset_default_graph()
    fail(tf.Variable([1.0], name="nope"), path)
    tf.reset_default_graph()
    fail(tf.Variable([1.0], name="v"), path)
    tf.reset_default_graph()
    fail(tf.Variable([1, 2], name="v"), path)
    fail(tf.Variable([1, 2], name="w"), None)
    fail(tf.Variable([1, 2], name="x"), "/none")
    tf.reset_default_graph()
    fail(tf.Variable([[1.0, 2.0]], name="v", validate_shape=False), path)
# case: nodes of shards and of format V1
for kw in (dict(sharded=True), dict(write_version=1), dict(sharded=True, write_version=1), dict(reshape=True, restore_sequentially=True)):
    tf.reset_default_graph()
    with tf.device("/cpu:0"):
        tf.Variable(1.0, name="a")
    with tf.device("/job:ps/cpu:1"):
        tf.Variable(2.0, name="b")
    tf.get_variable("c", [2], use_resource=True)
    start = len(tf.get_default_graph().get_operations())
    definition = tf.train.Saver(**kw).saver_def
    for op in tf.get_default_graph().get_operations()[start:]:
        show(op, op.device)
    print(definition.filename_tensor_name, definition.save_tensor_name, definition.restore_op_name, definition.sharded, definition.version)
# case: ops of format V1
import os, tempfile
def attempt(call):
    try:
        tensor = call()
        print(tensor.get_shape() if isinstance(tensor, tf.Tensor) else tensor.name)
        show(sess.run(tensor))
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0].replace(folder, "FOLDER"))
R = tf.raw_ops
with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
    m = os.path.join(folder, "m")
    attempt(lambda: R.Save(filename=m, tensor_names=["f"], data=[tf.constant([[1.0, 2.0], [3.0, 4.0]])]))
    attempt(lambda: R.Save(filename=m + "x", tensor_names=["a", "b"], data=[tf.constant(1.0)]))
    attempt(lambda: R.SaveSlices(filename=m + "0", tensor_names=["a"], shapes_and_slices=["2 0,1"], data=[tf.constant([1.0])]))
    attempt(lambda: R.SaveSlices(filename=m + "x", tensor_names=["a"], shapes_and_slices=["2 0,1"], data=[tf.constant([1.0, 2.0])]))
    attempt(lambda: R.SaveSlices(filename=m + "x", tensor_names=["a"], shapes_and_slices=["2 0,x"], data=[tf.constant([1.0, 2.0])]))
    attempt(lambda: R.Restore(file_pattern=m, tensor_name="f", dt=tf.float32))
    attempt(lambda: R.Restore(file_pattern=m, tensor_name="f", dt=tf.int32))
    attempt(lambda: R.Restore(file_pattern=m, tensor_name="none", dt=tf.int32))
    attempt(lambda: R.Restore(file_pattern=m + "none", tensor_name="none", dt=tf.int32))
    attempt(lambda: R.RestoreSlice(file_pattern=m, tensor_name="f", shape_and_slice="2 2 0,1:-", dt=tf.float32))
    attempt(lambda: R.RestoreSlice(file_pattern=m, tensor_name="f", shape_and_slice="2 2 0,1:1,1", dt=tf.float32))
    attempt(lambda: R.RestoreSlice(file_pattern=m, tensor_name="f", shape_and_slice="2 3 0,1:-", dt=tf.float32))
    attempt(lambda: R.RestoreSlice(file_pattern=m, tensor_name="f", shape_and_slice="2 2 0,1:0", dt=tf.float32))
    attempt(lambda: R.RestoreV2(prefix=m, tensor_names=["f"], shape_and_slices=[""], dtypes=[tf.float32])[0])
    attempt(lambda: R.ShardedFilespec(basename="b", num_shards=3))
# case: meta graphs
import os, tempfile
folder = tempfile.mkdtemp()
with tf.name_scope("scope"):
    v = tf.Variable([1.0, 2.0], name="v")
    w = tf.get_variable("w", [2])
x = tf.placeholder(tf.float32, [2], name="x")
with tf.device("/cpu:0"):
    y = tf.add(v * x, w, name="y")
tf.add_to_collection("numbers", 3)
tf.add_to_collection("floats", 2.5)
tf.add_to_collection("texts", "abc")
tf.add_to_collection("tensors", y)
saver = tf.train.Saver()
for as_text in (False, True):
    meta = tf.train.export_meta_graph(os.path.join(folder, "m"), as_text=as_text)
    print(type(meta).__name__, sorted(meta.collection_def), [n.name for n in meta.graph_def.node][:4], sorted(op.name for op in meta.meta_info_def.stripped_op_list.op), os.path.exists(os.path.join(folder, "m")))
    for key in sorted(meta.collection_def):
        if key in ("numbers", "floats", "texts", "tensors"):
            print(key, " ".join(str(meta.collection_def[key]).split()))
    with tf.Graph().as_default() as g:
        read = tf.train.import_meta_graph(os.path.join(folder, "m"))
        print(type(read).__name__, [t.name for t in tf.global_variables()], tf.get_collection("numbers"), tf.get_collection("floats"), tf.get_collection("texts"), tf.get_collection("tensors"), g.get_tensor_by_name("y:0").device)
    with tf.Graph().as_default() as g:
        tf.train.import_meta_graph(meta, clear_devices=True, import_scope="in")
        print([t.name for t in tf.global_variables()], tf.get_collection("tensors"), repr(g.get_tensor_by_name("in/y:0").device))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    path = saver.save(sess, os.path.join(folder, "model"), global_step=10000)
    print(sorted(f for f in os.listdir(folder) if "index" not in f and "data" not in f), sess.run(w).shape)
with tf.Graph().as_default() as g, tf.Session() as sess:
    saver = tf.train.import_meta_graph(path + ".meta")
    saver.restore(sess, path)
    print(sess.run("scope/v:0"), tf.train.latest_checkpoint(folder) == path)
with tf.Graph().as_default():
    tf.constant(1)
    meta = tf.train.export_meta_graph()
with tf.Graph().as_default():
    print(tf.train.import_meta_graph(meta))
meta = tf.train.export_meta_graph(export_scope="scope", clear_devices=True)
print([n.name for n in meta.graph_def.node], sorted(meta.collection_def))

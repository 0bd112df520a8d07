# case: variables that begin with the values of a checkpoint
import os, tempfile
folder = tempfile.mkdtemp()
def masked(text):
    return str(text).splitlines()[0].replace(folder, "FOLDER")
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, masked(error).split(" checkpoint {")[0])
def new_nodes(start=0):
    for op in tf.get_default_graph().get_operations()[start:]:
        show(op, op.device)
def vocab(name, words):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write("\n".join(words) + "\n")
    return path
new, old = vocab("new", ["zero", "one", "two", "three", "four"]), vocab("old", ["zero", "one", "two", "three"])
new_classes, old_classes = vocab("newc", ["MISSING", "knitting", "flask", "eminem"]), vocab("oldc", ["knitting", "eminem", "MISSING"])
with tf.Graph().as_default(), tf.Session() as sess:
    tf.get_variable("var1", initializer=np.arange(10.0).reshape(1, 10).astype("f"))
    tf.get_variable("var2", initializer=np.ones([10, 10], "f"))
    tf.get_variable("useful_scope/var3", initializer=np.full([2, 2], 3.0, "f"))
    tf.get_variable("useful_scope_1/var4", initializer=np.ones([9, 9], "f"))
    tf.get_variable("some_scope/embeddings", initializer=np.arange(80).reshape(5, 16).astype("f"))
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
        tf.get_variable("part", [4, 2], initializer=tf.ones_initializer())
    sess.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(sess, os.path.join(folder, "model"), global_step=5)
def fill(shape, dtype=None, partition_info=None):
    return tf.tile(tf.constant([[42.0]]), shape)
for mapping in ({"var1": "new_scope/my1"}, {"useful_scope/": "some_scope/"}, {"/": "new_scope/"}, {"p/part": "pp/part"}, {"p/": "pp/"}):
    with tf.Graph().as_default() as g, tf.Session() as sess:
        with tf.variable_scope("new_scope"):
            tf.get_variable("my1", [1, 10])
        with tf.variable_scope("some_scope"):
            tf.get_variable("var3", [2, 2], use_resource=True)
        with tf.variable_scope("pp", partitioner=tf.fixed_size_partitioner(2)):
            tf.get_variable("part", [4, 2])
        start = len(g.get_operations())
        print(mapping)
        attempt(lambda: tf.train.init_from_checkpoint(folder, mapping))
        new_nodes(start)
        started = [v for v in tf.global_variables() if "/" not in v.initializer.name]
        print([(v.op.name, v.initializer.name, v.initial_value.name) for v in started])
        sess.run(tf.global_variables_initializer())
        show(sess.run([v.value() for v in started]))
with tf.Graph().as_default(), tf.Session() as sess:
    v = tf.get_variable("var1", [1, 10], initializer=tf.zeros_initializer())
    before = v.initialized_value()
    tf.train.init_from_checkpoint(path, {"/": "/"})
    show(sess.run([before, v.initialized_value()]))
# case: names that a checkpoint does not have
import os, tempfile
folder = tempfile.mkdtemp()
def masked(text):
    return str(text).splitlines()[0].replace(folder, "FOLDER")
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, masked(error).split(" checkpoint {")[0])
def new_nodes(start=0):
    for op in tf.get_default_graph().get_operations()[start:]:
        show(op, op.device)
def vocab(name, words):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write("\n".join(words) + "\n")
    return path
new, old = vocab("new", ["zero", "one", "two", "three", "four"]), vocab("old", ["zero", "one", "two", "three"])
new_classes, old_classes = vocab("newc", ["MISSING", "knitting", "flask", "eminem"]), vocab("oldc", ["knitting", "eminem", "MISSING"])
with tf.Graph().as_default(), tf.Session() as sess:
    tf.get_variable("var1", initializer=np.arange(10.0).reshape(1, 10).astype("f"))
    tf.get_variable("var2", initializer=np.ones([10, 10], "f"))
    tf.get_variable("useful_scope/var3", initializer=np.full([2, 2], 3.0, "f"))
    tf.get_variable("useful_scope_1/var4", initializer=np.ones([9, 9], "f"))
    tf.get_variable("some_scope/embeddings", initializer=np.arange(80).reshape(5, 16).astype("f"))
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
        tf.get_variable("part", [4, 2], initializer=tf.ones_initializer())
    sess.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(sess, os.path.join(folder, "model"), global_step=5)
def fill(shape, dtype=None, partition_info=None):
    return tf.tile(tf.constant([[42.0]]), shape)
with tf.Graph().as_default():
    with tf.variable_scope("some_scope"):
        v = tf.get_variable("my1", [10, 10])
    for mapping in ({"no_var": "some_scope/my1"}, {"var1": "some_scope/my1"}, {"var1": "some_scope/no"}, {"var1": 3}, {"useful_scope": "some_scope/"}, {"useful_scope/": "some_scope"}, {"/": "some_scope/"}, {"nope/": "some_scope/"}, {"/": "nothing/"}, {"var2": v}, {"var1": v}):
        attempt(lambda: tf.train.init_from_checkpoint(folder, mapping))
    attempt(lambda: tf.train.init_from_checkpoint(os.path.join(folder, "none"), {"/": "nothing/"}))
    os.mkdir(os.path.join(folder, "empty"))
    attempt(lambda: tf.train.init_from_checkpoint(os.path.join(folder, "empty"), {"/": "nothing/"}))
# case: matrices in the order of other vocabularies
import os, tempfile
folder = tempfile.mkdtemp()
def masked(text):
    return str(text).splitlines()[0].replace(folder, "FOLDER")
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, masked(error).split(" checkpoint {")[0])
def new_nodes(start=0):
    for op in tf.get_default_graph().get_operations()[start:]:
        show(op, op.device)
def vocab(name, words):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write("\n".join(words) + "\n")
    return path
new, old = vocab("new", ["zero", "one", "two", "three", "four"]), vocab("old", ["zero", "one", "two", "three"])
new_classes, old_classes = vocab("newc", ["MISSING", "knitting", "flask", "eminem"]), vocab("oldc", ["knitting", "eminem", "MISSING"])
with tf.Graph().as_default(), tf.Session() as sess:
    tf.get_variable("var1", initializer=np.arange(10.0).reshape(1, 10).astype("f"))
    tf.get_variable("var2", initializer=np.ones([10, 10], "f"))
    tf.get_variable("useful_scope/var3", initializer=np.full([2, 2], 3.0, "f"))
    tf.get_variable("useful_scope_1/var4", initializer=np.ones([9, 9], "f"))
    tf.get_variable("some_scope/embeddings", initializer=np.arange(80).reshape(5, 16).astype("f"))
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
        tf.get_variable("part", [4, 2], initializer=tf.ones_initializer())
    sess.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(sess, os.path.join(folder, "model"), global_step=5)
def fill(shape, dtype=None, partition_info=None):
    return tf.tile(tf.constant([[42.0]]), shape)
for options in (dict(new_row_vocab_file=new, old_row_vocab_file=old, num_row_oov_buckets=1, initializer=fill), dict()):
    with tf.Graph().as_default(), tf.Session() as sess:
        initializer = tf.contrib.framework.load_and_remap_matrix_initializer(new_row_vocab_size=5, new_col_vocab_file=new_classes, old_col_vocab_file=old_classes, new_col_vocab_size=4, old_tensor_name="some_scope/embeddings", ckpt_path=path, num_col_oov_buckets=1, **options)
        v = tf.get_variable("m", [6 if options else 5, 5], initializer=initializer, partitioner=tf.fixed_size_partitioner(2) if options else None)
        new_nodes()
        sess.run(tf.global_variables_initializer())
        show(sess.run(tf.convert_to_tensor(v)))
with tf.Graph().as_default():
    initializer = tf.contrib.framework.load_embedding_initializer(new_vocab_file=new, old_vocab_file=old, new_vocab_size=5, embedding_dim=16, embedding_tensor_name="some_scope/embeddings", ckpt_path=path, num_oov_buckets=1)
    tf.get_variable("m", [6, 16], initializer=initializer)
    new_nodes()
# case: vocabularies that do not fit
import os, tempfile
folder = tempfile.mkdtemp()
def masked(text):
    return str(text).splitlines()[0].replace(folder, "FOLDER")
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, masked(error).split(" checkpoint {")[0])
def new_nodes(start=0):
    for op in tf.get_default_graph().get_operations()[start:]:
        show(op, op.device)
def vocab(name, words):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write("\n".join(words) + "\n")
    return path
new, old = vocab("new", ["zero", "one", "two", "three", "four"]), vocab("old", ["zero", "one", "two", "three"])
new_classes, old_classes = vocab("newc", ["MISSING", "knitting", "flask", "eminem"]), vocab("oldc", ["knitting", "eminem", "MISSING"])
with tf.Graph().as_default(), tf.Session() as sess:
    tf.get_variable("var1", initializer=np.arange(10.0).reshape(1, 10).astype("f"))
    tf.get_variable("var2", initializer=np.ones([10, 10], "f"))
    tf.get_variable("useful_scope/var3", initializer=np.full([2, 2], 3.0, "f"))
    tf.get_variable("useful_scope_1/var4", initializer=np.ones([9, 9], "f"))
    tf.get_variable("some_scope/embeddings", initializer=np.arange(80).reshape(5, 16).astype("f"))
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
        tf.get_variable("part", [4, 2], initializer=tf.ones_initializer())
    sess.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(sess, os.path.join(folder, "model"), global_step=5)
def fill(shape, dtype=None, partition_info=None):
    return tf.tile(tf.constant([[42.0]]), shape)
for options in (dict(new_row_vocab_file=new), dict(new_row_vocab_file=new, old_row_vocab_file=old, num_row_oov_buckets=-1), dict(num_col_oov_buckets=-1, new_col_vocab_size=5), dict(old_col_vocab_file=old_classes), dict()):
    initializer = tf.contrib.framework.load_and_remap_matrix_initializer(**dict(dict(new_row_vocab_size=4, new_col_vocab_size=4, old_tensor_name="var1", ckpt_path=path, initializer=fill), **options))
    attempt(lambda: initializer([4, 4]))
for arguments in (([4, 3],), ([5, 4],), ([4, 4], tf.float64), ([4],), ([0, 4],)):
    attempt(lambda: initializer(*arguments))
R = tf.raw_ops
with tf.Graph().as_default(), tf.Session() as sess:
    for options in ({}, dict(row_remapping=[1, 0, 0], num_rows=3), dict(col_remapping=[1, 1], num_cols=2), dict(row_remapping=[1, -1]), dict(initializing_values=[1.0]), dict(num_rows=3), dict(col_remapping=[1, 2], num_cols=3), dict(old_tensor_name="no"), dict(num_cols=5), dict(ckpt_path=[os.path.join(folder, "none")])):
        arguments = dict(ckpt_path=[path], old_tensor_name="some_scope/embeddings", row_remapping=[1, 0], col_remapping=[], initializing_values=[], num_rows=2, num_cols=16)
        arguments.update(options)
        attempt(lambda: sess.run(R.LoadAndRemapMatrix(**arguments))[:, 0].tolist())
    for options in ({}, dict(new_vocab_offset=2, num_new_vocab=2), dict(old_vocab_size=2), dict(num_new_vocab=9), dict(old_vocab_size=9), dict(new_vocab_file=os.path.join(folder, "none")), dict(num_new_vocab=0), dict(old_vocab_file=vocab("double", ["a", "a"]))):
        arguments = dict(new_vocab_file=new, old_vocab_file=old, new_vocab_offset=0, num_new_vocab=5)
        arguments.update(options)
        attempt(lambda: [x.tolist() for x in sess.run(R.GenerateVocabRemapping(**arguments))])
# case: warm starts
import os, tempfile
folder = tempfile.mkdtemp()
def masked(text):
    return str(text).splitlines()[0].replace(folder, "FOLDER")
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, masked(error).split(" checkpoint {")[0])
def new_nodes(start=0):
    for op in tf.get_default_graph().get_operations()[start:]:
        show(op, op.device)
def vocab(name, words):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write("\n".join(words) + "\n")
    return path
new, old = vocab("new", ["zero", "one", "two", "three", "four"]), vocab("old", ["zero", "one", "two", "three"])
new_classes, old_classes = vocab("newc", ["MISSING", "knitting", "flask", "eminem"]), vocab("oldc", ["knitting", "eminem", "MISSING"])
with tf.Graph().as_default(), tf.Session() as sess:
    tf.get_variable("var1", initializer=np.arange(10.0).reshape(1, 10).astype("f"))
    tf.get_variable("var2", initializer=np.ones([10, 10], "f"))
    tf.get_variable("useful_scope/var3", initializer=np.full([2, 2], 3.0, "f"))
    tf.get_variable("useful_scope_1/var4", initializer=np.ones([9, 9], "f"))
    tf.get_variable("some_scope/embeddings", initializer=np.arange(80).reshape(5, 16).astype("f"))
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
        tf.get_variable("part", [4, 2], initializer=tf.ones_initializer())
    sess.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(sess, os.path.join(folder, "model"), global_step=5)
def fill(shape, dtype=None, partition_info=None):
    return tf.tile(tf.constant([[42.0]]), shape)
with tf.Graph().as_default():
    w = tf.get_variable("var1", [1, 10])
    n = tf.get_variable("new_name", [1, 10])
    tf.get_variable("some_scope/embeddings", [5, 16], use_resource=True)
    tf.Variable(1.0, name="loose", trainable=False)
    start = len(tf.get_default_graph().get_operations())
    attempt(lambda: tf.train.warm_start(folder, vars_to_warm_start="new_name|some", var_name_to_prev_var_name={"new_name": "var1"}))
    new_nodes(start)
    for argument in (".*", ["var1"], [w, n], ["loose"], [3], 3, None):
        attempt(lambda: tf.train.warm_start(folder, vars_to_warm_start=argument))
    attempt(lambda: tf.train.warm_start(folder, "var1", var_name_to_prev_var_name={"z": "w"}))
    attempt(lambda: tf.train.warm_start(folder, "var1", var_name_to_vocab_info={"z": tf.train.VocabInfo("a", 1, 0, "b")}))
    print(tf.train.VocabInfo("a", 1, 0, "b"))
    attempt(lambda: tf.train.VocabInfo("a", 1, 0, "b", axis=2))
for axis, shape, buckets in ((0, [6, 16], 1), (1, [5, 5], 0)):
    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.variable_scope("", partitioner=None if axis else tf.fixed_size_partitioner(2)):
            w = tf.get_variable("some_scope/embeddings", shape)
        start = len(tf.get_default_graph().get_operations())
        info = tf.train.VocabInfo(new, 5, buckets, old, 4, fill, axis)
        attempt(lambda: tf.train.warm_start(folder, "some", var_name_to_vocab_info={"some_scope/embeddings": info}))
        new_nodes(start)
        sess.run(tf.global_variables_initializer())
        show(sess.run(tf.convert_to_tensor(w))[:, 0])
# case: values of checkpoints that are assigned
import os, tempfile
folder = tempfile.mkdtemp()
F = tf.contrib.framework
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0].replace(folder, "FOLDER"))
with tf.Graph().as_default(), tf.Session() as sess:
    tf.get_variable("var1", initializer=np.arange(10.0).reshape(1, 10).astype("f"))
    with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
        tf.get_variable("part", [4, 2], initializer=tf.ones_initializer())
    sess.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(sess, os.path.join(folder, "model"), global_step=5)
for use_resource in (False, True):
    with tf.Graph().as_default() as g, tf.Session() as sess:
        v = tf.get_variable("var1", [1, 10], use_resource=use_resource)
        w, x = tf.get_variable("other", [1, 10]), tf.get_variable("x", [10, 1])
        with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
            parts = list(tf.get_variable("part", [4, 2]))
        start = len(g.get_operations())
        op, feeds = F.assign_from_checkpoint(path, {"var1": [v, w], "p/part": parts})
        print(op.name, sorted((key.name, np.shape(value)) for key, value in feeds.items()))
        for node in g.get_operations()[start:]:
            show(node)
        sess.run(op, feeds)
        show(sess.run([w, parts[1]]))
        attempt(lambda: F.assign_from_checkpoint(path, [x])[0].name)
        attempt(lambda: F.assign_from_checkpoint(path, {"var1": x})[0].name)
        attempt(lambda: F.assign_from_checkpoint(path, [x], ignore_missing_vars=True)[1])
        start = len(g.get_operations())
        restore = F.assign_from_checkpoint_fn(path, [v])
        for node in g.get_operations()[start:]:
            show(node)
        restore(sess)
        attempt(lambda: F.assign_from_checkpoint_fn(path, [x], ignore_missing_vars=True))
        attempt(lambda: F.assign_from_checkpoint_fn(path, []))
        attempt(lambda: F.assign_from_checkpoint_fn(path, {"var1": x, "zz": v}, ignore_missing_vars=True, reshape_variables=True)(sess))
        show(sess.run([v.value(), x.value()]))
        attempt(lambda: F.load_variable(path, "var1").sum())
        attempt(lambda: F.list_variables(folder))
# case: helpers for tensors and graphs
F = tf.contrib.framework
def attempt(call):
    try:
        show(call())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
g = tf.get_default_graph()
a, b, c = tf.placeholder(tf.float32, name="a"), tf.placeholder(tf.int32, [2]), tf.constant(1.0)
for call in (lambda: F.get_placeholders(g), lambda: F.assert_scalar(c), lambda: F.assert_scalar(b), lambda: F.assert_scalar_int(tf.constant(3)), lambda: F.assert_scalar_int(c), lambda: F.assert_scalar_int(b), lambda: F.get_graph_from_inputs([a]) is g, lambda: F.get_graph_from_inputs([a], tf.Graph()), lambda: F.get_graph_from_inputs([3]) is g,
        lambda: F.reduce_sum_n([c, tf.zeros([2]), a]), lambda: F.reduce_sum_n([]), lambda: F.reduce_sum_n([c], name="q"), lambda: F.reduce_sum_n([tf.zeros([2])]), lambda: F.assert_same_float_dtype([c, a]), lambda: F.assert_same_float_dtype([b]), lambda: F.remove_squeezable_dimensions(tf.zeros([3, 1]), tf.zeros([3])),
        lambda: F.convert_to_tensor_or_sparse_tensor([1]), lambda: F.argsort([3, 1, 2]), lambda: F.sort([3, 1, 2]), lambda: F.py_func(lambda x, y: {"o": x + y["k"]}, [c, {"k": c}], None, {"o": tf.float32}, {"o": []}), lambda: F.py_func(lambda x: [x, x], (c,), None, [tf.float32] * 2)):
    attempt(call)
nodes()
with tf.Session() as sess:
    show(sess.run(F.py_func(lambda x, y: [x + y["k"], x], (c,), {"y": {"k": c}}, [tf.float32] * 2, [[], []])))

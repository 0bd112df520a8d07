# case: variables of models
F = tf.contrib.framework
def keys():
    g = tf.get_default_graph()
    return sorted((k, [v.name for v in g.get_collection(k)]) for k in g.get_all_collection_keys())
with tf.variable_scope("s"):
    show(F.variable("a", [2], tf.float32, initializer=tf.zeros_initializer()), F.model_variable("b", [2]))
    show(F.local_variable(3.0), F.global_variable([1, 2], name="g"), F.variable("z", initializer=3.0))
print(keys())
show(F.get_variables(), F.get_variables("s/a"), F.get_model_variables(), F.get_local_variables())
show(F.get_trainable_variables(), F.get_variables_by_name("b"), F.get_variables_by_name("b", "s"), F.get_variables_by_suffix("b"))
show(F.get_variables(suffix="a"), F.get_unique_variable("s/a"), F.get_variables(scope=tf.VariableScope(False, "s")))
show(F.get_variables_to_restore(), F.get_variables_to_restore(include=["s/a"]), F.get_variables_to_restore(exclude=["s/a"]))
v = tf.Variable(1.0, name="q")
F.add_model_variable(v)
F.add_model_variable(v)
show(F.get_model_variables(), F.get_variable_full_name(v))
nodes()
# case: a missing variable
tf.contrib.framework.get_unique_variable("nope")
# case: scopes that are no list
tf.contrib.framework.get_variables_to_restore(include="a")
# case: parts
F = tf.contrib.framework
parts = list(F.model_variable("b", [4, 2], partitioner=tf.fixed_size_partitioner(2)))
show(parts, F.get_variable_full_name(parts[1]), F.get_model_variables())
# case: choice by name
F = tf.contrib.framework
a, b = tf.Variable(1.0, name="ab"), tf.Variable(1.0, name="cd")
show(F.filter_variables([a, b]), F.filter_variables([a, b], include_patterns=["a"]), F.filter_variables([a, b], exclude_patterns=["b"]))
show(F.filter_variables([a, b], include_patterns=["b"], reg_search=False))
# case: values by name
F = tf.contrib.framework
v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, name="s/w")
op, feeds = F.assign_from_values({"v": np.array([3.0, 4.0])})
show(op)
nodes()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(op, feeds)
    show(sess.run([v, w]))
    F.assign_from_values_fn({"s/w": np.array(5.0)})(sess)
    show(sess.run([v, w]))
# case: values by the name of no variable
v = tf.Variable([1.0, 2.0], name="v")
tf.contrib.framework.assign_from_values({"w": np.array([3.0, 4.0])})
# case: zeros for a variable without a value
v = tf.Variable([1.0, 2.0])
zero = tf.contrib.framework.zero_initializer(v)
show(zero)
with tf.Session() as sess:
    show(sess.run(zero), sess.run(v))
    sess.run(zero)
# case: devices in turn
F = tf.contrib.framework
with F.arg_scope([F.variable, F.model_variable], device=F.VariableDeviceChooser(num_tasks=2)):
    print([F.variable("a", [1]).device, F.model_variable("b", [1]).device, F.variable("d", [1]).device])
print(F.VariableDeviceChooser()(tf.constant(1.0).op))
print(F.VariableDeviceChooser(1, job_name="x", device_type="GPU", device_index=3, replica=2)(tf.constant(1.0).op))
# case: default arguments
F = tf.contrib.framework
@F.add_arg_scope
def f(x, y=1, z=2):
    return x, y, z
@F.add_arg_scope
def g(x, y=5):
    return x, y
with F.arg_scope([f], y=10):
    print(f(0), f(0, y=3), g(0))
with F.arg_scope([f, g], y=10) as scope:
    with F.arg_scope([f], z=7):
        print(f(0), g(0))
    with F.arg_scope((f,), y=8):
        print(f(0), g(0))
    with F.arg_scope([]):
        print(f(0))
    with F.arg_scope({}):
        print(f(0))
with F.arg_scope(scope):
    print(f(0), len(F.current_arg_scope()))
print(f(0), F.has_arg_scope(f), F.has_arg_scope(len), F.arg_scoped_arguments(f), f.__name__, F.current_arg_scope())
class A(object):
    @F.add_arg_scope
    def m(self, y=1):
        return y
with F.arg_scope([A.m], y=4):
    print(A().m())
# case: a function without default arguments
with tf.contrib.framework.arg_scope([len], y=1):
    pass
# case: a scope and arguments
with tf.contrib.framework.arg_scope({}, y=1):
    pass
# case: no list of functions
with tf.contrib.framework.arg_scope(3, y=1):
    pass
# case: the global step under its older names
F = tf.contrib.framework
print(F.get_global_step())
show(F.get_or_create_global_step(), F.assert_or_get_global_step(), F.assert_or_get_global_step(None, tf.constant(1)))
F.create_global_step()

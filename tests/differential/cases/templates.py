# case: two calls
def f(x, n="w"):
    return tf.get_variable(n, [1]) * x
t = tf.make_template("t", f)
print(t.name, t.variable_scope, t.variables, t.variable_scope_name)
show(t(tf.constant(1.0)), t(tf.constant(2.0)))
print(t.variable_scope.name, t.variable_scope_name, t.func is f)
show(t.variables, t.trainable_variables, t.global_variables, t.local_variables, t.non_trainable_variables)
show(t.weights, t.trainable_weights, t.non_trainable_weights)
nodes()
# case: two templates
def f(x, n="w"):
    return tf.get_variable(n, [1]) * x
t, u = tf.make_template("t", f), tf.make_template("t", f, n="q")
show(t(1.0), u(2.0), t(1.0), u(2.0))
show(tf.global_variables())
# case: the scope now
def f(x):
    return tf.get_variable("w", [1]) * x
t, u = tf.make_template("t", f, create_scope_now_=True), tf.make_template("t", f, create_scope_now_=True)
show(u(1.0), t(1.0), tf.global_variables())
# case: a unique name
def f(x):
    return tf.get_variable("w", [1]) * x
t = tf.make_template("t", f, unique_name_="uu")
show(t(1.0))
with tf.variable_scope("s"):
    show(t(2.0))
u = tf.make_template("t", f, unique_name_="uu")
u(1.0)
# case: the scope of the first call
def f(x):
    return tf.get_variable("w", [1]) * x
with tf.variable_scope("s"):
    t = tf.make_template("t", f)
with tf.variable_scope("r"):
    show(t(1.0))
with tf.name_scope("k"):
    show(t(1.0))
# case: templates in templates
def f(x, n="w"):
    return tf.get_variable(n, [1]) * x
inner = tf.make_template("in", f)
outer = tf.make_template("out", lambda x: inner(x) + f(x, "o"))
show(outer(1.0), outer(2.0), outer.variables)
# case: a getter
def log(getter, name, *args, **kwargs):
    print(name)
    return getter(name, *args, **kwargs)
t = tf.make_template("t", lambda: tf.get_variable("w", [1]), custom_getter_=log)
t()
t()
# case: another variable in the second call
def f(x, n="w"):
    return tf.get_variable(n, [1]) * x
t = tf.make_template("t", f)
t(1.0)
t(2.0, n="z")
# case: a variable that is not shared
t = tf.make_template("t", lambda x: tf.Variable(1.0) * x)
t(1.0)
t(2.0)
# case: no name
tf.make_template(None, lambda: None)
# case: an error inside
def f():
    raise ValueError("mine")
tf.make_template("t", f)()
# case: templates
def scale(x, name="w"):
    return x * tf.get_variable(name, shape=[], initializer=tf.ones_initializer())
one, two = tf.make_template("scale", scale), tf.make_template("scale", scale)
show(one(1.0), one(2.0), two(3.0))
print([v.name for v in tf.global_variables()], one.var_scope.name if hasattr(one, "var_scope") else None)
def attempt(call):
    try:
        show(call())
    except Exception as error:
        print(type(error).__name__, str(error).split(", originally")[0].splitlines()[0][:60])
names = iter("abc")
changing = tf.make_template("changing", lambda x: scale(x, next(names)))
attempt(lambda: changing(1.0))
attempt(lambda: changing(1.0))
plain = tf.make_template("plain", lambda: tf.Variable(1.0))
attempt(lambda: plain())
attempt(lambda: plain())
attempt(lambda: tf.make_template(None, scale))
early = tf.make_template("early", scale, create_scope_now_=True)
show(early(1.0), early(1.0), tf.make_template("early", scale, create_scope_now_=True)(1.0))
print([v.name for v in tf.global_variables()])

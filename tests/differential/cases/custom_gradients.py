# case: a function with its own gradient, twice
@tf.custom_gradient
def ident(x):
    def grad(dy):
        return 3 * dy
    return x, grad
x = tf.constant(3., name='x')
y = ident(ident(x))
show(ident.__name__, tf.gradients(y, x))
nodes()

# case: a function of two tensors with its own gradient
@tf.custom_gradient
def mul(x1, x2):
    def grad(dy):
        return [dy * x1, dy * x2]
    return x1 * x2, grad
a, b = tf.constant(3.), tf.constant(5.)
show(tf.gradients(mul(a, b), [a, b]))
nodes()

# case: several results
@tf.custom_gradient
def f(x):
    return [x, x * 2], lambda *dy: dy[0] + dy[1]
y = f(tf.constant(3.))
show(len(y), tf.gradients(y[0], y[0].op.inputs[0]))
nodes()

# case: arrays as arguments and results in a dict
@tf.custom_gradient
def f(x):
    return {'a': x * 1.}, lambda dy: dy
show(f(np.ones(2))['a'])
nodes()

# case: keyword arguments
@tf.custom_gradient
def f(x, k=2):
    return x * k, lambda dy: dy
f(tf.constant(1.), k=3)

# case: gradients of resource variables
@tf.custom_gradient
def f(x):
    w = tf.get_variable('w', [3], use_resource=True, initializer=tf.zeros_initializer())
    def grad(dy, variables=None):
        show(variables)
        return dy, [tf.ones([3])]
    return x * w, grad
x = tf.ones([3])
y = f(x)
show(tf.gradients(y, tf.global_variables() + [x]))
nodes()

# case: reference variables
@tf.custom_gradient
def f(x):
    w = tf.get_variable('w', [3])
    return x * w, lambda dy, variables=None: (dy, [tf.ones([3])])
f(tf.ones([3]))

# case: a gradient function without the argument variables
@tf.custom_gradient
def f(x):
    w = tf.get_variable('w', [3], use_resource=True)
    return x * w, lambda dy: dy
f(tf.ones([3]))

# case: a gradient function with the argument variables and no variables
@tf.custom_gradient
def f(x):
    def grad(dy, variables=None):
        return dy
    return x * 1., grad
f(tf.ones([3]))

# case: too few gradients of variables
@tf.custom_gradient
def f(x):
    w = tf.get_variable('w', [3], use_resource=True)
    return x * w, lambda dy, variables=None: (dy, [])
tf.gradients(f(tf.ones([3])), tf.global_variables())

# case: the matrix of second derivatives
x = tf.constant([1., 2.])
y = tf.reduce_sum(x * x * x)
show(tf.hessians(y, x))
nodes()

# case: second derivatives of a matrix
x = tf.constant([[1., 2.]])
y = tf.reduce_sum(x * x * x)
show(tf.hessians(y, x))

# case: second derivatives, unknown shape
x = tf.placeholder_with_default([1., 2.], [None])
y = tf.reduce_sum(x * x * x)
show(tf.hessians(y, x))

# case: second derivatives of several tensors
x, y = tf.constant([1., 2.]), tf.constant([3.])
show(tf.hessians([tf.reduce_sum(x * x), tf.reduce_sum(y * y * y)], [x, y]))

# case: no second derivative
x = tf.placeholder(tf.float32, [10])
tf.hessians(tf.reduce_sum(x), x)

# case: no derivative
x = tf.placeholder(tf.float32, [10])
tf.hessians(tf.constant(1.), x)

# case: gradients added at once
x = tf.constant(1., name='x')
y = tf.identity(x, name='y')
z = tf.identity(y) + tf.sin(y) + tf.cos(y)
show(tf.gradients(z, x, aggregation_method=tf.AggregationMethod.ADD_N))
nodes()

# case: gradients added one by one
x = tf.constant(1., name='x')
y = tf.identity(x, name='y')
z = tf.identity(y) + tf.sin(y) + tf.cos(y)
show(tf.gradients(z, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE))
nodes()

# case: gradients accumulated
x = tf.constant(1., name='x')
y = tf.identity(x, name='y')
z = tf.identity(y) + tf.sin(y) + tf.cos(y)
show(tf.gradients(z, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N))
nodes()

# case: gradients accumulated without a known shape
x = tf.placeholder_with_default(1., None, name='x')
y = tf.identity(x, name='y')
z = tf.identity(y) + tf.sin(y) + tf.cos(y)
show(tf.gradients(z, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N))
nodes()

# case: gradients of several devices
x = tf.constant(1., name='x')
y = tf.identity(x, name='y')
with tf.device('/cpu:0'):
    a, b = tf.sin(y), tf.cos(y)
with tf.device('/cpu:1'):
    c, d = tf.tan(y), tf.exp(y)
tf.gradients([a, b, c, d], x, colocate_gradients_with_ops=True)
tf.gradients([a, b, c, d], x)
nodes()

# case: an unknown aggregation method
x = tf.constant(1.)
tf.gradients(tf.identity(x) + tf.sin(x), x, aggregation_method=7)

# case: zeros for tensors without influence
x, y = tf.constant([1., 2.]), tf.constant(1.)
show(tf.UnconnectedGradients.ZERO.value, tf.UnconnectedGradients('none').value)
show(tf.gradients(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO))
v = tf.Variable([1.])
show(tf.gradients(y, v, unconnected_gradients='zero'))
v = tf.Variable([1.], use_resource=True)
show(tf.gradients(y, v, unconnected_gradients='zero'))
nodes()

# case: no such value for tensors without influence
tf.gradients(tf.constant(1.), tf.constant(1.), unconnected_gradients='nonsense')

# case: a Python function with a gradient
@tf.RegisterGradient("GradientOfMyPyFunc")
def gradient(op, grad):
    return grad * op.inputs[0]
graph = tf.get_default_graph()
x = tf.constant([2.])
with graph.gradient_override_map({"PyFunc": "GradientOfMyPyFunc"}):
    y = tf.py_func(lambda v: v * v, [x], tf.float32)
show(tf.gradients(y, x))
nodes()

# case: nested gradient overrides
graph = tf.get_default_graph()
x = tf.constant([2.])
with graph.gradient_override_map({"Identity": "First"}):
    with graph.gradient_override_map({"Identity": "Second"}):
        show(tf.identity(x).op.get_attr('_gradient_op_type'))
    show(tf.identity(x).op.get_attr('_gradient_op_type'))
tf.identity(x).op.get_attr('_gradient_op_type')

# case: an override with an unregistered gradient
with tf.get_default_graph().gradient_override_map({"Identity": "NobodyHasIt"}):
    x = tf.constant(1.)
    y = tf.identity(x)
tf.gradients(y, x)

# case: an invalid gradient override map
tf.get_default_graph().gradient_override_map(3).__enter__()

# case: a map of gradients with a number as name
tf.get_default_graph().gradient_override_map({1: 'a'}).__enter__()

# case: a map of gradients with a number as gradient
tf.get_default_graph().gradient_override_map({'a': 1}).__enter__()

# case: calls in a function see what the calls before have done
count = tf.Variable(0, use_resource=True)


@tf.function(autograph=False)
def add():
    before = count + 0
    count.assign_add(1)
    return before


@tf.function(autograph=False)
def several():
    return [add() for _ in range(4)]


with tf.Session() as session:
    session.run(count.initializer)
    print(session.run(several()), session.run(count))

# case: branches and what comes after them
v = tf.Variable(0, use_resource=True)
u = tf.Variable(0, use_resource=True)


@tf.function(autograph=False)
def plain(positive):
    tf.cond(positive, lambda: v.assign_add(10), lambda: v.assign_add(1))


@tf.function(autograph=False)
def read():
    return v + 0


@tf.function(autograph=False)
def calls(positive):
    plain(positive)
    first = read()
    plain(tf.logical_not(positive))
    return first, read()


@tf.function(autograph=False)
def nested(positive):
    found = tf.cond(
        positive,
        lambda: v.assign_add(5),
        lambda: tf.cond(v > 20, lambda: v.assign(0), lambda: u.assign_add(3)),
    )
    after = v * 1
    v.assign(after + 1)
    return found, after


positive = tf.placeholder(tf.bool, [])
with tf.Session() as session:
    session.run([v.initializer, u.initializer])
    call = plain(positive)
    with tf.control_dependencies([call]):
        after = read()
    for given in (True, False, False):
        print(session.run(after, {positive: given}))
    both, deep = calls(positive), nested(positive)
    for given in (True, False, False, True):
        print(session.run(both, {positive: given}), session.run(deep, {positive: given}))
        print(session.run([v, u]))

# case: loops and what comes after them
total = tf.Variable([0.0, 0.0], use_resource=True)
kept = tf.Variable([0.0, 0.0, 0.0], use_resource=True)
head = tf.Variable(0, use_resource=True)


@tf.function(autograph=False)
def keep(value):
    kept.scatter_update(tf.IndexedSlices(value, tf.mod(head, 3)))
    head.assign_add(1)


def times(n, body):
    def step(i):
        with tf.control_dependencies([body(i)]):
            return i + 1

    tf.while_loop(lambda i: i < n, step, [0])


@tf.function(autograph=False)
def count_steps(places, ended):
    total.scatter_add(tf.IndexedSlices(tf.ones_like(places, tf.float32), places))
    times(tf.size(ended), lambda i: keep(total[ended[i]]))
    total.scatter_update(tf.IndexedSlices(tf.zeros_like(ended, tf.float32), ended))
    return places


@tf.function(autograph=False)
def branches_in_a_loop(n):
    def body(i):
        even = tf.equal(i % 2, 0)
        tf.cond(even, lambda: head.assign_add(i), lambda: head.assign(head * 2))
        return head.assign_add(100)

    times(n, body)
    return head.read_value()


@tf.function(autograph=False)
def values_of_a_loop(n):
    def body(i, seen):
        head.assign_add(1)
        return i + 1, seen.write(i, head.read_value())

    array = tf.TensorArray(tf.int32, size=n)
    _, seen = tf.while_loop(lambda i, _: i < n, body, [0, array])
    head.assign(0)
    return seen.stack()


places = tf.placeholder(tf.int64, [None])
ended = tf.placeholder(tf.int64, [None])
n = tf.placeholder(tf.int32, [])
with tf.Session() as session:
    session.run([total.initializer, kept.initializer, head.initializer])
    steps = count_steps(places, ended)
    for given in (([0, 1], []), ([0], [1]), ([1, 0], [0]), ([1], [0, 1])):
        session.run(steps, dict(zip((places, ended), given)))
        print(session.run([total, kept, head]))
    looped, seen = branches_in_a_loop(n), values_of_a_loop(n)
    for given in (0, 1, 5):
        print(session.run(looped, {n: given}), session.run(head))
    print(session.run(seen, {n: 4}), session.run(head))

# case: gradients through branches and loops of a function
weight = tf.Variable(2.0, use_resource=True)


@tf.function(autograph=False)
def step(square):
    with tf.GradientTape() as tape:
        loss = tf.cond(square, lambda: weight * weight, lambda: weight * 3.0)
    weight.assign_sub(0.1 * tape.gradient(loss, weight))
    return loss, weight.read_value()


@tf.function(autograph=False)
def power(n):
    with tf.GradientTape() as tape:
        body = lambda i, value: (i + 1, value * weight)
        _, result = tf.while_loop(lambda i, _: i < n, body, [0, 1.0])
    return result, tape.gradient(result, weight)


square = tf.placeholder(tf.bool, [])
n = tf.placeholder(tf.int32, [])
with tf.Session() as session:
    session.run(weight.initializer)
    taken = step(square)
    show(session.run(taken, {square: True}), session.run(taken, {square: False}))
    show(session.run(power(n), {n: 3}))
    outside = tf.gradients(step(square)[0], weight)
    show(session.run(outside, {square: True}), session.run(outside, {square: False}))

# case: handles of variables as loop variables
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops

number = tf.Variable(0, use_resource=True)


@function.Defun(tf.int32, tf.resource)
def goes_on(i, handle):
    return i < 3


@function.Defun(tf.int32, tf.resource)
def body(i, handle):
    added = tf.raw_ops.AssignAddVariableOp(resource=handle, value=10)
    with tf.control_dependencies([added]):
        return i + 1, handle


with tf.Session() as session:
    session.run(number.initializer)
    last = functional_ops.While([0, number.handle], goes_on, body)[0]
    for _ in range(6):
        print(session.run(last), session.run(number))

# case: effects in a loop whose gradient is taken
factor = tf.Variable(2.0, use_resource=True)
steps = tf.Variable(0, use_resource=True)


@tf.function(autograph=False)
def descend(n):
    def body(i, x):
        steps.assign_add(1)
        noise = tf.random.uniform([], seed=3) * 0.0
        return i + 1, x * factor + noise

    with tf.GradientTape() as tape:
        _, x = tf.while_loop(lambda i, _: i < n, body, [0, 1.0])
    gradient = tape.gradient(x, factor)
    checked = tf.debugging.assert_greater(n, -1)
    with tf.control_dependencies([checked] if checked is not None else []):
        factor.assign_sub(0.125 * gradient)
    return x, gradient


n = tf.placeholder(tf.int32, [])
with tf.Session() as session:
    session.run([factor.initializer, steps.initializer])
    found = descend(n)
    for given in (1, 3):
        print(session.run(found, {n: given}), session.run([steps, factor]))

# case: bodies that wait for ops outside of the function
a = tf.Variable(1.0, use_resource=True)
b = tf.Variable(2.0, use_resource=True)
assigned = tf.assign(a, 5.0)


@tf.function(autograph=False)
def initialize():
    tf.variables_initializer([a, b])


@tf.function(autograph=False)
def after(x):
    with tf.control_dependencies([assigned]):
        return x * a


@tf.function(autograph=False)
def around(x):
    return after(x) + 1.0


with tf.Session() as session:
    session.run(initialize())
    print(session.run([a, b]))
    for function in (after, around):
        session.run(a.initializer)
        found = function(2.0)
        print(session.run(found), [op.type for op in found.op.control_inputs])

# case: calls wait for all their arguments
section = tf.CriticalSection(name="c")
v, w = tf.Variable(0, use_resource=True), tf.Variable(0, use_resource=True)


@tf.function
def add(x):
    def locked():
        with tf.control_dependencies([v.assign_add(x)]):
            return v.read_value()

    result = section.execute(locked)
    w.assign(w + result)
    return result + section.execute(lambda: w + 0)


@tf.function
def outer(x, before):
    return add(x), before + 1


def step(x, before):
    # Both arguments are made in the scope: the call itself waits for nothing.
    with tf.control_dependencies(before):
        return outer(tf.constant(x), tf.constant(1) + 1)[0]


def reads(after):
    with tf.control_dependencies([after]):
        return [section.execute(lambda: v + k) for k in (0, 10, 20)]


a = step(1, [])
first = reads(a)
b = step(2, first)
second = reads(b)
c = step(3, second)
third = reads(c)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        print(session.run([a, b, c, first, second, third]))

# case: calls in loops and branches have no effect where they are not taken
section = tf.CriticalSection(name="c")
v = tf.Variable(0, use_resource=True)


@tf.function
def locked(i):
    return section.execute(lambda: v.assign_add(1, read_value=True) + 0) + i


@tf.function
def plain(i):
    return v.assign_add(10, read_value=True) + i


def loop(function):
    return tf.while_loop(lambda i: i < 5, lambda i: i + 1 + 0 * function(i), [tf.constant(0)])


def branch(function):
    taken = tf.placeholder_with_default(False, [])
    return tf.cond(taken, lambda: function(tf.constant(1)), lambda: tf.constant(2))


with tf.Session() as session:
    session.run(v.initializer)
    for function in (locked, plain):
        for result in (loop(function), branch(function), tf.function(lambda: loop(function))()):
            print(session.run(result), session.run(result), session.run(v))

# case: comparisons of integers
x, y = tf.placeholder(tf.int32, [4]), tf.placeholder(tf.int32, [4])
show(tf.assert_equal(x, y))
show(tf.assert_equal(x, 3, message="unlike", summarize=5, name="n"))
show(tf.assert_equal(x, x))
show(tf.assert_equal([1, 2], [1, 2]))
show(tf.assert_equal(x, 1, data=["shown"]))
show(tf.assert_none_equal(x, 1))
show(tf.assert_less(x, 1), tf.assert_less_equal(x, 1, message=""))
show(tf.assert_greater(x, 1), tf.assert_greater_equal(x, tf.placeholder(tf.int32)))
show(tf.assert_negative(x), tf.assert_positive(x, message="no", name="k"))
show(tf.assert_non_negative(x), tf.assert_non_positive(x))
nodes()
# case: known values that differ
tf.assert_equal([[1, 2], [3, 4]], 1, message="unlike")
# case: known values that are too large
tf.assert_less([2.0, 3.0], 1.0)
# case: known values of the wrong sign
tf.assert_negative([1, 2], message="wrong", summarize=1)
# case: comparison of different types
tf.assert_equal([1], tf.placeholder(tf.float32, [1]))
# case: comparison of different shapes
tf.assert_equal([1, 2], [1, 2, 3])
# case: nearness of integers
tf.assert_near(1, 2)
# case: types
x = tf.placeholder(tf.float32)
show(tf.assert_type(x, tf.float32), tf.assert_integer(3))
print(tf.assert_same_float_dtype([x]), tf.assert_same_float_dtype())
print(tf.assert_same_float_dtype([None, tf.constant(1, tf.half)], tf.half))
print(tf.is_numeric_tensor(x), tf.is_numeric_tensor(3), tf.is_numeric_tensor(tf.constant(True)))
print([tf.is_numeric_tensor(tf.placeholder(t)) for t in (tf.qint8, tf.uint16, tf.complex64)])
print(tf.assert_proper_iterable([1]))
nodes()
# case: a wrong type
tf.assert_type(tf.placeholder(tf.float32), tf.float64)
# case: a wrong type with a message
tf.assert_type(tf.placeholder(tf.float32), tf.float64, message="hey")
# case: no integers
tf.assert_integer(tf.placeholder(tf.float32))
# case: a string is no list
tf.assert_proper_iterable("a")
# case: a number is no list
tf.assert_proper_iterable(3)
# case: different float types
tf.assert_same_float_dtype([tf.placeholder(tf.float32), tf.placeholder(tf.half)])
# case: another float type
tf.assert_same_float_dtype([tf.placeholder(tf.float32)], tf.half)
# case: no float type
tf.assert_same_float_dtype([tf.placeholder(tf.int32)])
# case: ranks
x, y, n = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32), tf.placeholder(tf.int32, [])
show(tf.assert_rank(x, 1), tf.assert_rank(y, 2, message="hi"), tf.assert_rank(x, n))
show(tf.assert_rank(y, 1, data=[1], name="n"))
show(tf.assert_rank_at_least(x, 1), tf.assert_rank_at_least(y, 2))
show(tf.assert_rank_in(x, (1, 2)), tf.assert_rank_in(y, (1, 2), message="h"))
show(tf.assert_rank_in(y, (1, n)), tf.assert_scalar(3, name="s"))
nodes()
# case: a wrong rank
tf.assert_rank(tf.placeholder(tf.float32, [2]), 2)
# case: a rank that is too low
tf.assert_rank_at_least(tf.placeholder(tf.float32, [2]), 2, message="low")
# case: none of the ranks
tf.assert_rank_in(tf.placeholder(tf.float32, [2]), (3, 2))
# case: a rank that is no scalar
tf.assert_rank(tf.placeholder(tf.float32, [2]), [1, 2])
# case: a rank that is no integer
tf.assert_rank(tf.placeholder(tf.float32, [2]), 1.5)
# case: no scalar
tf.assert_scalar(tf.placeholder(tf.float32, [2]), message="g")
# case: an unknown scalar
tf.assert_scalar(tf.placeholder(tf.float32))
# case: monotonic values
with tf.Session() as session:
    for values in ([1, 2, 3], [1, 1], [2, 1], [2], np.zeros([0], np.int32), [[1, 2], [3, 4]]):
        show(session.run([tf.is_strictly_increasing(values), tf.is_non_decreasing(values)]))
# case: no numbers to compare
tf.is_strictly_increasing(["a"])
# case: failing checks
x = tf.placeholder_with_default([1, 2, 3, 4], None)
checks = [tf.assert_equal(x, 1, message="it's"), tf.assert_near(tf.to_float(x), 1.0)]
checks += [tf.assert_rank(x, 2), tf.assert_rank_in(x, (2, 3)), tf.assert_rank_at_least(x, 2)]
checks += [tf.assert_non_positive(x), tf.assert_less(x, [1, 2, 3, 5], summarize=1)]
checks += [tf.Assert(tf.size(x) < 2, ["a\n\"\x01é", x], summarize=2)]
with tf.Session() as session:
    for check in checks:
        try:
            session.run(check)
        except tf.errors.InvalidArgumentError as error:
            print(error.message.split("\n")[0])
# case: checks that hold
x = tf.placeholder_with_default([1, 2, 3, 4], None)
checks = [tf.assert_equal(x, x + 0), tf.assert_near(tf.to_float(x), [1, 2, 3, 4.000001])]
checks += [tf.assert_rank(x, 1), tf.assert_rank_in(x, (1, 3)), tf.assert_rank_at_least(x, 1)]
checks += [tf.assert_positive(x), tf.assert_less(x, [2, 3, 4, 5]), tf.assert_none_equal(x, 0)]
with tf.Session() as session:
    show(session.run(checks))
# case: both a message and data
x = tf.placeholder(tf.int32, [2])
for check in (tf.assert_equal, tf.assert_less, tf.assert_none_equal, tf.assert_greater_equal):
    try:
        with tf.Session() as s:
            for value in ([-3, -4], [-10, -10]):
                s.run(check(x, [-3, -10], data=["seen", x], message="told"), {x: value})
    except tf.errors.InvalidArgumentError as error:
        print(check.__name__, error.message.split("\n")[0])

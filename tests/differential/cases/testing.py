# case: assertions of test cases
class Case(tf.test.TestCase):
    def runTest(self):
        pass
case = Case()
def attempt(call):
    try:
        print("passes", call())
    except Exception as error:
        print(type(error).__name__)
with case.test_session() as sess:
    print(tf.get_default_session() is sess, sess.run(tf.constant(3)))
    attempt(lambda: case.assertAllEqual(tf.square([2, 3]).eval(), [4, 9]))
    attempt(lambda: case.assertAllEqual(tf.square([2, 3]), [4, 9]))
    print(case.evaluate(tf.constant([1, 2])).tolist())
attempt(lambda: case.assertAllEqual([1, 2], [1, 3]))
attempt(lambda: case.assertAllEqual([1, 2], [[1, 2]]))
attempt(lambda: case.assertAllEqual([1.0, np.nan], [1.0, np.nan]))
attempt(lambda: case.assertAllClose([1.0, 2.0], [1.0, 2.0000001]))
attempt(lambda: case.assertAllClose([1.0, 2.0], [1.0, 2.1]))
attempt(lambda: case.assertAllClose({"a": [1.0], "b": (2.0, [3.0])}, {"a": [1.0], "b": (2.0, [3.0])}))
attempt(lambda: case.assertAllClose({"a": [1.0]}, {"b": [1.0]}))
attempt(lambda: case.assertAllClose(1.0, 1.05, rtol=0.1))
attempt(lambda: case.assertAllCloseAccordingToType(np.float16(1.0), np.float16(1.0005)))
attempt(lambda: case.assertNotAllClose([1.0], [1.0]))
attempt(lambda: case.assertNotAllClose([1.0], [2.0]))
attempt(lambda: case.assertNear(1.0, 1.1, 0.2))
attempt(lambda: case.assertNear(1.0, 1.1, 0.01))
attempt(lambda: case.assertArrayNear([1.0, 2.0], [1.0, 2.1], 0.2))
attempt(lambda: case.assertArrayNear([1.0, 2.0], [1.0, 2.1], 0.01))
attempt(lambda: case.assertNDArrayNear(np.ones([2]), np.ones([2]), 0.1))
attempt(lambda: case.assertShapeEqual(np.ones([2, 3]), tf.zeros([2, 3])))
attempt(lambda: case.assertShapeEqual(np.ones([2, 3]), tf.zeros([3, 2])))
attempt(lambda: case.assertDeviceEqual("/cpu:0", "/device:CPU:0"))
attempt(lambda: case.assertDeviceEqual("/cpu:0", "/device:CPU:1"))
attempt(lambda: case.assertStartsWith("abc", "ab"))
attempt(lambda: case.assertStartsWith("abc", "b"))
attempt(lambda: case.assertProtoEquals("name: 'a' op: 'b'", tf.NodeDef(name="a", op="b")))
attempt(lambda: case.assertProtoEquals("name: 'a' op: 'c'", tf.NodeDef(name="a", op="b")))
attempt(lambda: case.assertItemsEqual([1, 2], [2, 1]))
attempt(lambda: case.assertAllInRange([1.0, 2.0], 0.0, 2.0))
attempt(lambda: case.assertAllGreater([1.0, 2.0], 1.5))
attempt(lambda: case.assertDTypeEqual(tf.zeros([1]), np.float32))
def op_error():
    with case.assertRaisesOpError("must feed"):
        with tf.Session() as sess:
            sess.run(tf.placeholder(tf.float32))
attempt(op_error)
def predicate():
    with case.assertRaisesWithPredicateMatch(ValueError, lambda e: "text" in str(e)):
        raise ValueError("other")
attempt(predicate)
def regexp():
    with case.assertRaisesRegexp(ValueError, "te.t"):
        raise ValueError("text")
attempt(regexp)
import os
print(os.path.isdir(case.get_temp_dir()), case.get_temp_dir() == case.get_temp_dir(), os.path.isdir(tf.test.get_temp_dir()), isinstance(tf.test.is_built_with_cuda(), bool), tf.test.is_gpu_available(), repr(tf.test.gpu_device_name()))
thread = case.checkedThread(target=lambda: 1 // 0)
thread.start()
attempt(thread.join)
# case: numeric gradients
x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x")
y = tf.square(x)
with tf.Session():
    start = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    theoretical, numeric = tf.test.compute_gradient(x, [2, 2], y, [2, 2], x_init_value=start)
    print(theoretical.tolist(), np.round(numeric, 1).tolist())
    print(tf.test.compute_gradient_error(x, [2, 2], y, [2, 2], x_init_value=start) < 1e-2)
    print(tf.test.compute_gradient_error(x, [2, 2], y, [2, 2]) < 1e-2)
    z = tf.complex(x, 2.0 * x)
    theoretical, numeric = tf.test.compute_gradient(x, [2, 2], z, [2, 2], x_init_value=start)
    print(theoretical.shape, theoretical.tolist())
    pairs = tf.test.compute_gradient([x, x], [[2, 2], [2, 2]], y, [2, 2], x_init_value=[start, start])
    print([(a.shape, b.shape) for a, b in pairs])

# case: arrays of one element are near
import numpy as np

case = tf.test.TestCase("run")
case.assertNear(np.array([1.0]), 1.05, 0.1)
case.assertNear(np.array([[1.0]]), np.array([[1.05]]), 0.1)
case.assertNear(1.0, np.array([2.0]), 0.1)

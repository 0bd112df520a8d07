# case: texts of lists
from tensorflow.python.ops import list_ops, gen_list_ops


def attempt(f):
    try:
        r = f()
        show(r if not isinstance(r, tuple) else list(r))
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])


with tf.Session() as s:
    R = s.run
    E = lambda shape, n=None: list_ops.empty_tensor_list(
        element_shape=shape, element_dtype=tf.float32, max_num_elements=n
    )
    P = list_ops.tensor_list_push_back
    f32 = tf.float32
    attempt(lambda: R(list_ops.tensor_list_pop_back(E([]), element_dtype=f32)[1]))
    attempt(lambda: R(list_ops.tensor_list_stack(P(P(E([], 1), 1.0), 2.0), element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_stack(P(E([2]), 1.0), element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_stack(P(E([]), 1), element_dtype=tf.int32)))
    attempt(lambda: R(list_ops.tensor_list_stack(P(E([]), 1.0), element_dtype=tf.int32)))
    attempt(lambda: R(list_ops.tensor_list_get_item(P(E([]), 1.0), 1, element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_get_item(P(E([]), 1.0), -1, element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_set_item(P(E([]), 1.0), 1, 2.0)))
    attempt(
        lambda: R(
            list_ops.tensor_list_stack(
                list_ops.tensor_list_set_item(P(E([]), 1.0), 1, 2.0), element_dtype=f32
            )
        )
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_stack(
                list_ops.tensor_list_set_item(P(E([]), 1.0), 0, [2.0]), element_dtype=f32
            )
        )
    )
    attempt(lambda: R(list_ops.tensor_list_stack(E(None), element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_stack(E([None, 2]), element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_stack(P(E([]), 1.0), element_dtype=f32, num_elements=3)))
    attempt(
        lambda: R(
            list_ops.tensor_list_stack(
                list_ops.tensor_list_reserve(element_shape=None, num_elements=2, element_dtype=f32),
                element_dtype=f32,
            )
        )
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_stack(
                list_ops.tensor_list_reserve(element_shape=[2], num_elements=2, element_dtype=f32),
                element_dtype=f32,
            )
        )
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_pop_back(
                list_ops.tensor_list_reserve(element_shape=None, num_elements=2, element_dtype=f32),
                element_dtype=f32,
            )[1]
        )
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_get_item(
                list_ops.tensor_list_reserve(element_shape=None, num_elements=2, element_dtype=f32),
                0,
                element_dtype=f32,
            )
        )
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_get_item(
                list_ops.tensor_list_reserve(element_shape=[3], num_elements=2, element_dtype=f32),
                0,
                element_dtype=f32,
            )
        )
    )
    attempt(lambda: R(list_ops.tensor_list_stack(P(P(E(None), 1.0), [2.0]), element_dtype=f32)))
    attempt(
        lambda: R(list_ops.tensor_list_stack(P(P(E([None]), [1.0]), [2.0, 3.0]), element_dtype=f32))
    )
    l2 = P(P(P(E(None), 1.0), 2.0), [3.0, 4.0])
    attempt(lambda: R(list_ops.tensor_list_gather(l2, [1, 0], element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_gather(l2, [0, 2], element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_gather(l2, [0, 7], element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_gather(l2, [], element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_length(l2)))
    attempt(lambda: R(list_ops.tensor_list_element_shape(l2, tf.int32)))
    attempt(lambda: R(list_ops.tensor_list_element_shape(E([None, 2]), tf.int64)))
    attempt(
        lambda: R(
            list_ops.tensor_list_concat(P(P(E([None]), [1.0]), [2.0, 3.0]), element_dtype=f32)
        )
    )
    attempt(lambda: R(list_ops.tensor_list_concat(E([None, 2]), element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_concat(E(None), element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_concat(P(E(None), 1.0), element_dtype=f32)))
    attempt(
        lambda: R(list_ops.tensor_list_concat(P(E([None, None]), [[1.0, 2.0]]), element_dtype=f32))
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_concat(
                P(P(E([None, None]), [[1.0, 2.0]]), [[1.0]]), element_dtype=f32
            )
        )
    )
    sp = list_ops.tensor_list_split([1.0, 2.0, 3.0], element_shape=[None], lengths=[1, 2])
    attempt(
        lambda: R(
            [
                list_ops.tensor_list_length(sp),
                list_ops.tensor_list_get_item(sp, 1, element_dtype=f32),
            ]
        )
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_length(
                list_ops.tensor_list_split([1.0, 2.0, 3.0], element_shape=[None], lengths=[1, 1])
            )
        )
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_length(
                list_ops.tensor_list_split([1.0, 2.0, 3.0], element_shape=[None], lengths=[1, -1])
            )
        )
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_length(
                list_ops.tensor_list_split(1.0, element_shape=[None], lengths=[1])
            )
        )
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_length(
                list_ops.tensor_list_split([1.0, 2.0, 3.0], element_shape=[1], lengths=[1, 2])
            )
        )
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_length(list_ops.tensor_list_from_tensor(1.0, element_shape=[]))
        )
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_length(list_ops.tensor_list_from_tensor([1.0], element_shape=[2]))
        )
    )
    attempt(
        lambda: R(
            list_ops.tensor_list_stack(
                list_ops.tensor_list_from_tensor([1.0, 2.0], element_shape=[]), element_dtype=f32
            )
        )
    )
    sc = list_ops.tensor_list_scatter([1.0, 2.0], [3, 0], element_shape=[])
    attempt(
        lambda: R(
            [
                list_ops.tensor_list_length(sc),
                list_ops.tensor_list_get_item(sc, 3, element_dtype=f32),
            ]
        )
    )
    attempt(lambda: R([list_ops.tensor_list_stack(sc, element_dtype=f32)]))
    attempt(
        lambda: R(
            [
                list_ops.tensor_list_length(
                    list_ops.tensor_list_scatter([1.0, 2.0], [3], element_shape=[])
                )
            ]
        )
    )
    attempt(
        lambda: R(
            [
                list_ops.tensor_list_stack(
                    list_ops.tensor_list_scatter(
                        [1.0, 2.0], [1, 0], input_handle=list_ops.tensor_list_reserve([], 3, f32)
                    ),
                    element_dtype=f32,
                )
            ]
        )
    )
    attempt(
        lambda: R(
            [list_ops.tensor_list_stack(list_ops.tensor_list_resize(sc, 6), element_dtype=f32)]
        )
    )
    attempt(
        lambda: R(
            [list_ops.tensor_list_stack(list_ops.tensor_list_resize(sc, 2), element_dtype=f32)]
        )
    )
    attempt(
        lambda: R(
            [list_ops.tensor_list_stack(list_ops.tensor_list_resize(sc, -2), element_dtype=f32)]
        )
    )
    attempt(
        lambda: R(
            [
                list_ops.tensor_list_length(
                    gen_list_ops.tensor_list_concat_lists(
                        P(E([]), 1.0), P(E([]), 2.0), element_dtype=f32
                    )
                )
            ]
        )
    )
    attempt(
        lambda: R(
            [
                gen_list_ops.tensor_list_concat_lists(
                    tf.stack([P(E([]), 1.0)] * 2), P(E([]), 2.0), element_dtype=f32
                )
            ]
        )
    )
    attempt(
        lambda: R(
            [
                gen_list_ops.tensor_list_push_back_batch(
                    tf.stack([P(E([]), 1.0)] * 2), [2.0, 3.0, 4.0]
                )
            ]
        )
    )
    b = gen_list_ops.tensor_list_push_back_batch(tf.stack([P(E([]), 1.0)] * 2), [2.0, 3.0])
    show(b)
    attempt(lambda: R([list_ops.tensor_list_stack(x, element_dtype=f32) for x in tf.unstack(b)]))
    attempt(lambda: R(list_ops.tensor_list_stack(tf.zeros_like(l2), element_dtype=f32)))
    attempt(lambda: R(list_ops.tensor_list_stack(tf.zeros_like(b[0]), element_dtype=f32)))

# case: shapes and nodes of lists
from tensorflow.python.ops import list_ops, gen_list_ops

l = list_ops.empty_tensor_list(element_shape=[2, None], element_dtype=tf.float32)
l = list_ops.tensor_list_push_back(l, [[1.0], [2.0]])
show(l)
l2, e = list_ops.tensor_list_pop_back(l, element_dtype=tf.float32)
show(l2, e)
show(list_ops.tensor_list_stack(l, element_dtype=tf.float32))
show(list_ops.tensor_list_stack(l, element_dtype=tf.float32, num_elements=3))
show(list_ops.tensor_list_gather(l, [1, 2], element_dtype=tf.float32))
show(list_ops.tensor_list_get_item(l, 1, element_dtype=tf.float32))
show(list_ops.tensor_list_concat(l, element_dtype=tf.float32))
show(list_ops.tensor_list_length(l), list_ops.tensor_list_element_shape(l, tf.int64))
l = list_ops.tensor_list_from_tensor(tf.ones([3, 2, 2]), element_shape=[2, 2])
show(
    list_ops.tensor_list_stack(
        list_ops.tensor_list_set_item(l, 0, tf.ones([2, 2])), element_dtype=tf.float32
    )
)
r = list_ops.tensor_list_reserve([None, 3], tf.constant(3), tf.float32)
show(r, list_ops.tensor_list_stack(r, element_dtype=tf.float32))
show(
    list_ops.tensor_list_split(tf.ones([5, 2]), [None, 2], [2, 3]),
    list_ops.tensor_list_scatter(tf.ones([5, 2]), [0, 1, 2, 3, 4], [2]),
    list_ops.tensor_list_resize(l, 7),
)
nodes()

# case: loops and branches with lists
from tensorflow.python.ops import list_ops

l = list_ops.empty_tensor_list(element_shape=[], element_dtype=tf.float32)
x = tf.placeholder(tf.float32, [])
i, l2 = tf.while_loop(
    lambda i, l: i < 4,
    lambda i, l: (i + 1, list_ops.tensor_list_push_back(l, x * tf.cast(i, tf.float32))),
    [0, l],
)
y = list_ops.tensor_list_stack(l2, element_dtype=tf.float32)
z = tf.cond(x > 1.0, lambda: list_ops.tensor_list_push_back(l2, x), lambda: l2)
zs = list_ops.tensor_list_stack(z, element_dtype=tf.float32)
with tf.Session() as s:
    for v in [1.0, 2.0, 3.0, 1.0]:
        show(s.run([y, zs], {x: v}))
    show(s.run(tf.gradients(y, x), {x: 1.0}))

# case: gradients of lists
from tensorflow.python.ops import list_ops, gen_list_ops

a, b = tf.constant(2.0), tf.constant(3.0)
P, S = (
    list_ops.tensor_list_push_back,
    lambda l: list_ops.tensor_list_stack(l, element_dtype=tf.float32),
)
l0 = list_ops.empty_tensor_list(element_shape=[], element_dtype=tf.float32)
l = P(P(l0, a), b)
with tf.Session() as s:
    show(s.run(tf.gradients(S(l) ** 2, [a, b])))
    l1, e = list_ops.tensor_list_pop_back(l, element_dtype=tf.float32)
    show(s.run(tf.gradients(e * 2, [a, b])))
    show(s.run(tf.gradients([e * 2, S(l1)], [a, b])))
    show(
        s.run(
            tf.gradients(list_ops.tensor_list_get_item(l, 0, element_dtype=tf.float32) ** 2, [a, b])
        )
    )
    l3 = list_ops.tensor_list_set_item(l, 0, a * b)
    show(s.run(tf.gradients(S(l3) ** 2, [a, b])))
    show(
        s.run(
            tf.gradients(
                list_ops.tensor_list_gather(l, [1, 0, 1], element_dtype=tf.float32)
                * [1.0, 2.0, 3.0],
                [a, b],
            )
        )
    )
    t = tf.constant([1.0, 2.0, 3.0])
    l4 = list_ops.tensor_list_from_tensor(t, element_shape=[])
    show(s.run(tf.gradients(S(l4) ** 2, t)))
    l5 = list_ops.tensor_list_scatter(t, [2, 0, 1], element_shape=[])
    show(s.run(tf.gradients(S(l5) * [1.0, 2.0, 3.0], t)))
    l6 = list_ops.tensor_list_split(t, element_shape=[None], lengths=[1, 2])
    c = list_ops.tensor_list_concat(l6, element_dtype=tf.float32)
    show(s.run(tf.gradients(c * c, t)))
    show(s.run(tf.gradients(S(list_ops.tensor_list_resize(l4, 5)) * [1.0, 2.0, 3.0, 4.0, 5.0], t)))
    show(s.run(tf.gradients(S(list_ops.tensor_list_resize(l4, 2)) * [1.0, 2.0], t)))
    l7 = list_ops.tensor_list_scatter(
        t,
        [2, 0, 1],
        input_handle=list_ops.tensor_list_from_tensor(tf.stack([a, b, a, b]), element_shape=[]),
    )
    show(s.run(tf.gradients(S(l7) * [1.0, 2.0, 3.0, 4.0], [t, a, b])))
    show(s.run(tf.gradients(S(l) + S(l) * 2, [a, b])))
nodes(start=1)

# case: more nodes of lists
from tensorflow.python.ops import list_ops

l = list_ops.empty_tensor_list(tf.TensorShape([2]), tf.float32, max_num_elements=4, name="a")
list_ops.tensor_list_gather(l, [0], tf.float32, tf.TensorShape(None), name="b")
list_ops.tensor_list_gather(l, tf.constant([0]), tf.float32, [2], name="b")
list_ops.tensor_list_scatter([1.0], [0], name="c")
list_ops.tensor_list_scatter([1.0], [0], [], name="d")
list_ops.tensor_list_set_item(l, 0, [1.0, 2.0], name="e")
list_ops.tensor_list_set_item(l, 3, [1.0, 2.0], resize_if_index_out_of_bounds=True, name="f")
list_ops.tensor_list_concat(l, tf.float32, tf.TensorShape([None]), name="g")
list_ops.tensor_list_split([1.0], tf.TensorShape([None]), [1], name="h")
list_ops.tensor_list_stack(l, tf.float32, 3, [2], name="i")
list_ops.tensor_list_get_item(l, 0, tf.float32, [2], name="j")
list_ops.tensor_list_resize(l, 4, name="k")
list_ops.tensor_list_from_tensor([[1.0]], [None], name="m")
list_ops.tensor_list_reserve(None, 3, tf.float32, name="n")
nodes()

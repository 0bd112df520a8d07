# case: nodes of alpha dropout and flipped cross entropies
N, p = tf.contrib.nn, lambda *shape: tf.placeholder(tf.float32, list(shape))
show(N.alpha_dropout(p(2, 3), 0.8), N.alpha_dropout(p(2, 3), 1.0))
show(N.deprecated_flipped_softmax_cross_entropy_with_logits(p(2, 3), p(2, 3)))
show(N.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(p(2, 3), tf.constant([0, 1])))
show(N.deprecated_flipped_sigmoid_cross_entropy_with_logits(p(2, 3), p(2, 3)))
try:
    N.alpha_dropout(p(2), 0.0)
except ValueError as error:
    print(error)
nodes()
# case: values of scaled softplus
N = tf.contrib.nn
x, alpha = tf.constant([[-3.0, 0.5, 2.0], [1.0, 0.0, 40.0]]), tf.constant([0.6, 1.0, 2.0])
with tf.Session() as session:
    for clip in (None, 1.5):
        y = N.scaled_softplus(x, alpha, clip)
        show(session.run([y, tf.gradients(y, [x, alpha])]))
# case: values of ranked sampled softmax
from tensorflow.contrib.nn.python.ops import sampling_ops
r = np.random.RandomState(0)
w, b = tf.constant(r.normal(size=(7, 4)), tf.float32), tf.constant(r.normal(size=7), tf.float32)
x, labels = tf.constant(r.normal(size=(3, 4)), tf.float32), tf.constant([[1, 2], [0, 3], [4, 4]], tf.int64)
values = (
    tf.constant([5, 6, 1, 3, 2], tf.int64), tf.constant(r.uniform(size=(3, 2)), tf.float32),
    tf.constant(r.uniform(size=5), tf.float32),
)
with tf.Session() as session:
    for hits in (False, True):
        for n in (2, 3, 4):
            loss = sampling_ops.rank_sampled_softmax_loss(
                w, b, labels, x, 5, n, 7, 2, values, 0.3, hits, "div"
            )
            show(session.run(loss))
    one = (values[0], values[1][:, :1], values[2])
    show(session.run(sampling_ops.sampled_sparse_softmax_loss(w, b, labels[:, :1], x, 5, 7, one)))
for n in (5, 6):
    try:
        tf.contrib.nn.rank_sampled_softmax_loss(w, b, labels, x, 5, n, 7, 2, values, 0.3, True, "div")
    except ValueError as error:
        print(error)
# case: multiclass hinge loss
from tensorflow.contrib.kernel_methods.python import losses
scores = tf.constant([[1.2, 2.0, 0.5], [0.1, 0.3, 0.2]])
with tf.Session() as session:
    show(session.run(losses.sparse_multiclass_hinge_loss(tf.constant([0, 2]), scores)))
    weighted = losses.sparse_multiclass_hinge_loss(
        tf.constant([[0], [2]]), scores, tf.constant([[1.0], [0.5]])
    )
    show(session.run(weighted))
for given in ([0.0, 2.0], [[[0]], [[2]]]):
    try:
        losses.sparse_multiclass_hinge_loss(tf.constant(given), scores)
    except ValueError as error:
        print(str(error).split("\n")[0])
# case: derivatives in the direction of the computation
from tensorflow.contrib.nn.python.ops.fwd_gradients import fwd_gradients
a, b = tf.constant([1.0, 2.0, 3.0]), tf.constant([2.0, 0.5, 1.0])
ys = [a ** 2 * b, tf.reduce_sum(tf.exp(b))]
with tf.Session() as session:
    show(session.run(fwd_gradients(ys, [a, b], grad_xs=[tf.ones(3), tf.constant([0.0, 1.0, 2.0])])))

# case: compute_weighted_loss
x = tf.placeholder(tf.float32, [4, 3])
show(tf.losses.compute_weighted_loss(x))
show(tf.losses.compute_weighted_loss(x, tf.placeholder(tf.float32, [4, 1]), scope="s"))
nodes()
# case: reductions of losses
x = tf.placeholder(tf.float64, [4, 3])
for reduction in tf.losses.Reduction.all():
    show(tf.losses.compute_weighted_loss(x, 2.0, reduction=reduction, scope=reduction))
show(tf.losses.compute_weighted_loss(tf.placeholder(tf.float32, [None, 3]), reduction="weighted_mean"))
nodes()
show(tf.losses.get_losses(), tf.losses.Reduction.all())
# case: values of reductions of losses
x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
with tf.Session() as session:
    for weights in (2.0, 0.0, [[1.0], [0.0]], [[1.0, 0.0, 3.0], [0.0, 0.0, 1.0]], [[1, 0, 2]]):
        for reduction in tf.losses.Reduction.all():
            show(session.run(tf.losses.compute_weighted_loss(x, weights, reduction=reduction)))
# case: an unknown reduction
tf.losses.compute_weighted_loss([1.0], reduction="x")
# case: weights of another rank
tf.losses.compute_weighted_loss(tf.zeros([4, 3]), tf.zeros([3]))
# case: weights of another shape
tf.losses.compute_weighted_loss(tf.zeros([4, 3]), tf.zeros([4, 2]))
# case: losses of numbers
x, y = tf.placeholder(tf.float32, [4, 3]), tf.placeholder(tf.int32, [4, 3])
show(tf.losses.absolute_difference(y, x), tf.losses.mean_squared_error(y, x, scope="m"))
show(tf.losses.huber_loss(y, x), tf.losses.cosine_distance(y, x, axis=1))
show(tf.losses.mean_pairwise_squared_error(y, x))
nodes()
# case: losses of probabilities
x, y = tf.placeholder(tf.float32, [4, 3]), tf.placeholder(tf.int32, [4, 3])
show(tf.losses.hinge_loss(y, x), tf.losses.log_loss(y, x))
show(tf.losses.sigmoid_cross_entropy(y, x, label_smoothing=0.1))
show(tf.losses.softmax_cross_entropy(y, x, label_smoothing=0.1, loss_collection=None))
nodes()
show(tf.losses.get_losses(), tf.losses.get_losses(scope="log"))
# case: losses of classes
x = tf.placeholder(tf.float32, [4, 3])
show(tf.losses.sparse_softmax_cross_entropy(tf.placeholder(tf.int32, [4]), x))
labels, weights = tf.placeholder(tf.int32, [4, 1]), tf.placeholder(tf.float32, [4, 1])
show(tf.losses.sparse_softmax_cross_entropy(labels, x, weights, scope="s"))
nodes()
# case: values of losses
x = tf.constant([[0.1, 0.9, 0.4], [0.7, 0.2, 0.6]])
y = tf.constant([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
losses = [
    tf.losses.absolute_difference(y, x),
    tf.losses.cosine_distance(y, x, dim=1),
    tf.losses.hinge_loss(y, x),
    tf.losses.huber_loss(y, x, delta=0.3),
    tf.losses.log_loss(y, x, weights=[[1.0], [0.5]]),
    tf.losses.mean_pairwise_squared_error(y, x),
    tf.losses.mean_squared_error(y, x),
    tf.losses.sigmoid_cross_entropy(y, x, label_smoothing=0.1),
    tf.losses.softmax_cross_entropy(y, x, weights=[1.0, 3.0], label_smoothing=0.1),
    tf.losses.sparse_softmax_cross_entropy([1, 2], x),
]
with tf.Session() as session:
    for loss in losses:
        show(session.run(loss), session.run(tf.gradients(loss, x)))
# case: the total loss
show(tf.losses.get_regularization_loss())
x = tf.placeholder(tf.float32, [4, 3])
loss = tf.losses.mean_squared_error(x, x)
tf.losses.add_loss(tf.constant(3.0))
tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(1.0))
show(tf.losses.get_regularization_loss(), tf.losses.get_total_loss())
show(tf.losses.get_total_loss(add_regularization_losses=False, name="n"))
show(tf.losses.get_losses(), tf.losses.get_regularization_losses())
# case: no loss
tf.losses.get_total_loss()
# case: a loss without labels
tf.losses.mean_squared_error(None, [1.0])
# case: a loss without predictions
tf.losses.log_loss([1.0], None)
# case: a loss without logits
tf.losses.softmax_cross_entropy([1.0], None)
# case: a loss of different shapes
tf.losses.mean_squared_error(tf.zeros([2]), tf.zeros([3]))
# case: cosine_distance without an axis
tf.losses.cosine_distance([1.0], [1.0])

# case: nodes of losses
L, p = tf.contrib.losses, lambda *shape: tf.placeholder(tf.float32, list(shape))
show(L.absolute_difference(p(2, 3), p(2, 3), weights=p(2)))
show(L.mean_squared_error(p(2, 3), p(2, 3), weights=p(2, 1), scope="given"))
show(L.log_loss(p(2), p(2)), L.hinge_loss(p(2), p(2)))
show(L.cosine_distance(p(4, 3, 2), p(4, 3, 2), axis=2, weights=p(4)))
show(L.mean_pairwise_squared_error(p(2, 3), p(2, 3)))
show(L.mean_pairwise_squared_error(p(2, 3), p(2, 3), weights=p(2)))
show(tf.get_collection("losses"), L.get_total_loss())
nodes()
# case: nodes of cross entropies
L, p = tf.contrib.losses, lambda *shape: tf.placeholder(tf.float32, list(shape))
labels = tf.placeholder(tf.int32, [1, 2])
show(L.sigmoid_cross_entropy(p(1, 2), labels, label_smoothing=0.1))
show(L.softmax_cross_entropy(p(1, 2), labels, label_smoothing=0.1))
show(L.sparse_softmax_cross_entropy(p(1, 2), tf.placeholder(tf.int32, [1, 1])))
nodes()
# case: total loss
L = tf.contrib.losses
L.add_loss(tf.constant(1.0))
show(L.get_losses(), L.get_regularization_losses(), L.get_total_loss())
tf.add_to_collection("regularization_losses", tf.constant(3.0))
show(L.get_total_loss(), L.get_total_loss(add_regularization_losses=False, name="n"))
nodes()
# case: invalid arguments
L, p = tf.contrib.losses, lambda *shape: tf.placeholder(tf.float32, list(shape))
for f in (
    lambda: L.absolute_difference(tf.placeholder(tf.float32), tf.placeholder(tf.float32)),
    lambda: L.compute_weighted_loss(p(2), tf.placeholder(tf.float32)),
    lambda: L.absolute_difference(p(1), p(1), weights=None),
    lambda: L.mean_squared_error(p(1), p(2)),
    lambda: L.softmax_cross_entropy(p(1, 2), p(1, 3)),
    lambda: L.cosine_distance(p(1, 2), p(1, 2)),
    lambda: L.mean_pairwise_squared_error(p(2), p(2), weights=tf.placeholder(tf.float32)),
):
    try:
        show(f())
    except ValueError as error:
        print(error)
# case: values of losses
L = tf.contrib.losses
x = tf.constant([[4.0, 8.0, 12.0], [8.0, 1.0, 3.0]])
y = tf.constant([[1.0, 9.0, 2.0], [-5.0, -2.0, 6.0]])
q = tf.constant([[0.9, 0.2, 0.2], [0.8, 0.4, 0.6]])
z = tf.constant([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
with tf.Session() as session:
    for w in (1.0, 2.3, 0.0, [1.2, 3.4], [[1.2], [0.0]]):
        w = tf.constant(w)
        show(session.run([
            L.absolute_difference(x, y, w), L.mean_squared_error(x, y, w), L.log_loss(q, z, w),
            L.sigmoid_cross_entropy(x, z, w), L.cosine_distance(x, y, axis=1, weights=w),
            L.softmax_cross_entropy(x, z, w, label_smoothing=0.2),
            L.sparse_softmax_cross_entropy(x, tf.constant([0, 2]), w),
        ]))
        show(session.run(L.mean_pairwise_squared_error(x, y, w)))
    show(session.run(L.hinge_loss(x, z)))
    show(session.run(L.absolute_difference(x, y, tf.constant([[3.0, 6.0, 5.0], [0.0, 4.0, 2.0]]))))
# case: losses of embeddings
L = tf.contrib.losses.metric_learning
a = tf.nn.l2_normalize(np.random.RandomState(1).normal(size=(6, 4)).astype(np.float32), 1)
b = tf.nn.l2_normalize(np.random.RandomState(2).normal(size=(6, 4)).astype(np.float32), 1)
labels = tf.constant([0, 1, 0, 2, 1, 0])
with tf.Session() as session:
    show(session.run(L.contrastive_loss(tf.constant([1, 0, 1, 0, 0, 1]), a, b, margin=1.5)))
    show(session.run([L.triplet_semihard_loss(labels, a), L.triplet_semihard_loss(labels, a, 0.2)]))
    show(session.run([L.npairs_loss(labels, a, b), L.lifted_struct_loss(labels, a)]))
    sets = [tf.SparseTensor([[0, i % 3], [0, 3]], [1, 1], [1, 4]) for i in range(6)]
    show(session.run(L.npairs_loss_multilabel(sets, a, b)))

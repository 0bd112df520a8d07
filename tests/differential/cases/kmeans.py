# case: k-means of all points
points = np.concatenate([np.random.RandomState(3).randn(20, 2) * 0.2 + center for center in ([0, 3], [4, 0], [-3, -3])]).astype("f")
def train(steps, inputs, feeds=({},), show_graph=False, **options):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x = tf.placeholder_with_default(points, [None, 2], name="x")
        model = tf.contrib.factorization.KMeans(inputs(x), 3, **options)
        all_scores, clusters, scores, initialized, init_op, train_op = model.training_graph()
        sess.run(tf.global_variables_initializer())
        tries = 0
        while not sess.run(initialized):
            sess.run(init_op, feeds[tries % len(feeds)] and {x: feeds[tries % len(feeds)]["x"]})
            tries += 1
        centers = [v for v in tf.global_variables() if v.op.name == "clusters"][0]
        show(tries, len(clusters), [v.op.name for v in tf.global_variables()], sess.run(centers))
        for step in range(steps):
            feed = feeds[step % len(feeds)]
            sess.run(train_op, feed and {x: feed["x"]})
            show(sess.run(centers))
        found = sess.run([all_scores, clusters, scores])
        show([[part.shape for part in parts] for parts in found], [np.round(part[:5], 1) for part in found[0]], [part[::7] for part in found[1]], [np.round(part[::7], 2) for part in found[2]])
whole, halves = lambda x: x, lambda x: [x[::2], x[1::2]]
for metric in ("squared_euclidean", "cosine"):
    train(3, whole, distance_metric=metric)
    train(2, halves, distance_metric=metric, random_seed=7)
    train(1, whole, distance_metric=metric, initial_clusters="kmeans_plus_plus", random_seed=3, kmeans_plus_plus_num_retries=1)
    train(1, halves, distance_metric=metric, initial_clusters="kmc2")
    train(2, whole, distance_metric=metric, initial_clusters=points[[0, 20, 40]])
    train(1, halves, distance_metric=metric, initial_clusters=lambda inputs, count: tf.concat([inputs[0][:2], inputs[1][-1:]], 0))
# case: initial centers of several batches and wrong arguments
from tensorflow.contrib.factorization.python.ops import clustering_ops
show(clustering_ops.SQUARED_EUCLIDEAN_DISTANCE, clustering_ops.COSINE_DISTANCE, clustering_ops.RANDOM_INIT, clustering_ops.KMEANS_PLUS_PLUS_INIT, clustering_ops.KMC2_INIT, clustering_ops.CLUSTERS_VAR_NAME, clustering_ops.KMeans is tf.contrib.factorization.KMeans)
x = tf.placeholder(tf.float32, [None, 2])
model = tf.contrib.factorization.KMeans(x, tf.constant(5))
_, _, _, initialized, init_op, _ = model.training_graph()
centers = tf.global_variables()[0]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for start in range(4):
        show(sess.run(init_op, {x: np.arange(4.0).reshape(2, 2) + 10 * start}), sess.run([centers, initialized]))
tf.reset_default_graph()
def attempt(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
KMeans = tf.contrib.factorization.KMeans
attempt(lambda: KMeans([[1.0, 2.0]], 1, distance_metric="none"))
attempt(lambda: KMeans(tf.ones([3, 2]), 1, initial_clusters="none").training_graph())
init_op = KMeans(tf.ones([3, 2]), 5, initial_clusters="kmeans_plus_plus").training_graph()[4]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    attempt(lambda: sess.run(init_op))

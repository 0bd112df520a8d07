# case: softmax cross entropy
x, y = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [2, 3])
loss = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x)
show(loss, tf.gradients(loss, [x, y]))
nodes()
# case: softmax cross entropy of unknown shapes
x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=x)
show(tf.gradients(loss, [x, y]))
x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 3])
show(tf.nn.softmax_cross_entropy_with_logits_v2(y, x, name="n"))
nodes()
# case: softmax cross entropy along an axis
x, y = tf.placeholder(tf.float32, [None, 3, 4]), tf.placeholder(tf.float32, [None, 3, 4])
loss = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x, dim=1)
show(loss, tf.gradients(loss, [x, y]))
nodes()
# case: softmax cross entropy of half precision
x, y = tf.placeholder(tf.float16, [2, 3]), tf.placeholder(tf.int32, [2, 3])
show(tf.nn.softmax_cross_entropy_with_logits_v2(y, x))
show(tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[1, 0]], logits=[[1.0, 2.0]]))
nodes()
# case: second gradients of softmax cross entropy
x, y = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [2, 3])
loss = tf.nn.softmax_cross_entropy_with_logits_v2(logits=x, labels=y)
show(tf.gradients(tf.gradients(loss, x), x, name="second"))
nodes()
# case: values of softmax cross entropy
logits = [[1.0, 2.0], [1000.0, 1001.0], [-np.inf, 1.0], [np.nan, 1.0], [3.0, -2.0]]
labels = [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0], [0.0, 1.0], [0.25, 0.5]]
with tf.Session() as session:
    for dtype in (np.float32, np.float64):
        x, y = tf.constant(np.array(logits, dtype)), tf.constant(np.array(labels, dtype))
        loss = tf.nn.softmax_cross_entropy_with_logits_v2(logits=x, labels=y)
        given = tf.constant(np.array([1, 2, 3, 4, 5], dtype))
        first = tf.gradients(loss, [x, y], given)
        show(session.run([loss, first]))
        x = tf.constant(np.array([[1, 2, 0.5]], dtype))
        y = tf.constant(np.array([[0.2, 0.3, 0.5]], dtype))
        loss = tf.nn.softmax_cross_entropy_with_logits_v2(logits=x, labels=y)
        show(session.run(tf.gradients(tf.gradients(loss, x)[0][0, 1], [x, y])))
    raw = tf.raw_ops.SoftmaxCrossEntropyWithLogits
    show(session.run(raw(features=[[1.0, 2.0, 3.0]], labels=[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])))
    show(session.run(raw(features=np.zeros([0, 3], "f"), labels=np.zeros([0, 3], "f"))))
    show(session.run(raw(features=np.zeros([2, 0], "f"), labels=np.zeros([2, 0], "f"))))
# case: softmax cross entropy without labels
tf.nn.softmax_cross_entropy_with_logits(logits=tf.placeholder(tf.float32, [2, 3]))
# case: softmax cross entropy with one argument
tf.nn.softmax_cross_entropy_with_logits(tf.placeholder(tf.float32, [2, 3]))
# case: softmax cross entropy with three tensors
x = tf.placeholder(tf.float32, [2, 3])
tf.nn.softmax_cross_entropy_with_logits(x, x, x)
# case: softmax cross entropy of different shapes
tf.nn.softmax_cross_entropy_with_logits_v2(
    tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [2, 4])
)
# case: softmax cross entropy of vectors
tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=[1.0], labels=[1.0])
# case: softmax cross entropy of different shapes at run time
tf.Session().run(
    tf.raw_ops.SoftmaxCrossEntropyWithLogits(
        features=tf.placeholder_with_default([[1.0, 2.0]], None),
        labels=tf.placeholder_with_default([[1.0, 2.0, 3.0]], None),
    )
)
# case: sparse softmax cross entropy
x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [None])
loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
show(loss, tf.gradients(loss, [x]))
x, y = tf.placeholder(tf.float16, [4, 3]), tf.placeholder(tf.int64, [4])
show(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x, name="n"))
nodes()
# case: sparse softmax cross entropy of other ranks
x, y = tf.placeholder(tf.float32, [4, 5, 3]), tf.placeholder(tf.int32, [4, 5])
loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x, name="q")
show(loss, tf.gradients(loss, [x]))
x, y = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.int32, [])
show(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x))
nodes()
# case: sparse softmax cross entropy of unknown shapes
x, y = tf.placeholder(tf.float32, [None, 5, 3]), tf.placeholder(tf.int32, [None, 5])
show(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x))
x, y = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
show(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x))
nodes()
# case: values of sparse softmax cross entropy
logits = np.array([[1, 2, 3], [-np.inf, 2, 3], [-np.inf, 2, 3], [1000, 1001, 999]])
with tf.Session() as session:
    for dtype in (np.float32, np.float64):
        x = tf.constant(logits.astype(dtype))
        y = np.array([0, 1, 0, 2])
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
        given = tf.constant(np.array([1, 2, 3, 4], dtype))
        show(session.run([loss, tf.gradients(loss, x, given)]))
    x = tf.constant(np.arange(24).reshape(2, 4, 3).astype("f") % 5)
    y = tf.placeholder_with_default(np.array([[0, 1, 2, 0], [1, 1, 2, 2]]), [None, None])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
    show(session.run([loss, tf.gradients(loss, x)]))
    raw = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits
    show(session.run(raw(features=np.zeros([0, 3], "f"), labels=np.zeros([0], np.int32))))
# case: a label above the classes
tf.Session().run(
    tf.nn.sparse_softmax_cross_entropy_with_logits(logits=[[1.0, 2.0], [3.0, 4.0]], labels=[1, 2])
)
# case: a negative label
tf.Session().run(
    tf.nn.sparse_softmax_cross_entropy_with_logits(logits=[[1.0, 2.0], [3.0, 4.0]], labels=[-1, 5])
)
# case: no classes
tf.Session().run(
    tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(
        features=np.zeros([2, 0], "f"), labels=np.zeros([2], np.int32)
    )
)
# case: sparse labels of the rank of logits
x, y = tf.placeholder(tf.float32, [4, 3]), tf.placeholder(tf.int32, [4, 3])
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
# case: sparse labels of another batch
x, y = tf.placeholder(tf.float32, [4, 3]), tf.placeholder(tf.int32, [5])
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
# case: sparse labels and a scalar
x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.int32, [])
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
# case: sparse labels that are floats
x, y = tf.placeholder(tf.float32, [4, 3]), tf.placeholder(tf.float32, [4])
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
# case: logits that are integers
x, y = tf.placeholder(tf.int32, [4, 3]), tf.placeholder(tf.int32, [4])
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
# case: sparse softmax cross entropy without logits
tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.placeholder(tf.int32, [3]))
# case: sparse labels of another batch at run time
x = tf.placeholder_with_default([[1.0, 2.0]], None)
y = tf.placeholder_with_default([0, 1], None)
tf.Session().run(tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=y))
# case: sigmoid cross entropy
x, z = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [2, 3])
loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x)
show(loss, tf.gradients(loss, [x, z]))
show(tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[2.0], name="q"))
nodes()
x, z = tf.constant([-1000.0, -2, 0, 3, 1000]), tf.constant([0.0, 1, 0.5, 0.25, 1])
loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x)
show(tf.Session().run([loss, tf.gradients(loss, [x, z])]))
# case: sigmoid cross entropy of different shapes
x, z = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [3])
tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x)
# case: sigmoid cross entropy with integer labels
tf.nn.sigmoid_cross_entropy_with_logits(labels=[1, 0], logits=tf.placeholder(tf.float32, [2]))
# case: sigmoid cross entropy without labels
tf.nn.sigmoid_cross_entropy_with_logits(logits=tf.placeholder(tf.float32, [2]))
# case: weighted cross entropy
x, z = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2])
show(tf.nn.weighted_cross_entropy_with_logits(z, x, 3.0))
q = tf.placeholder(tf.float32, [2])
show(tf.nn.weighted_cross_entropy_with_logits(targets=z, logits=x, pos_weight=q, name="w"))
nodes()
x, z = tf.constant([-1000.0, -2, 0, 3, 1000]), tf.constant([0.0, 1, 0.5, 0.25, 1])
loss = tf.nn.weighted_cross_entropy_with_logits(z, x, 3.0)
show(tf.Session().run([loss, tf.gradients(loss, [x, z])]))
# case: weighted cross entropy with both names of the labels
x = tf.placeholder(tf.float32, [2])
tf.nn.weighted_cross_entropy_with_logits(labels=x, targets=x, logits=x, pos_weight=1)
# case: weighted cross entropy of different shapes
x, z = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [3])
tf.nn.weighted_cross_entropy_with_logits(labels=z, logits=x, pos_weight=1)
# case: log poisson loss
x, z = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2])
show(tf.nn.log_poisson_loss(z, x), tf.nn.log_poisson_loss(z, x, True, name="k"))
nodes()
x, z = tf.constant([-2.0, 0, 3]), tf.constant([0.0, 1, 7])
show(tf.Session().run([tf.nn.log_poisson_loss(z, x), tf.nn.log_poisson_loss(z, x, True)]))
# case: log poisson loss of different shapes
x, z = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [3])
tf.nn.log_poisson_loss(z, x)
# case: candidate samplers
true = tf.placeholder(tf.int64, [None, 2])
show(tf.nn.uniform_candidate_sampler(true, 2, 9, True, 7))
show(tf.nn.log_uniform_candidate_sampler(true, 2, 9, True, 7, seed=3, name="q"))
show(tf.nn.all_candidate_sampler(true, 2, 9, True))
show(tf.nn.compute_accidental_hits(true, tf.placeholder(tf.int64, [7]), 2))
# case: classes that are sampled
true = np.array([[1], [3]])
unigrams = [1.0, 2.0, 3.0, 4.0, 5.0, 0.5]
with tf.Session() as session:
    for unique in (True, False):
        samples = [
            tf.nn.uniform_candidate_sampler(true, 1, 5, unique, 8, seed=2),
            tf.nn.uniform_candidate_sampler(true, 1, 5, unique, 7, seed=2),
            tf.nn.log_uniform_candidate_sampler(true, 1, 4, unique, 100, seed=2),
            tf.nn.learned_unigram_candidate_sampler(true, 1, 4, unique, 6, seed=2),
            tf.nn.all_candidate_sampler(true, 1, 6, unique),
            tf.nn.fixed_unigram_candidate_sampler(true, 1, 4, unique, 6, unigrams=unigrams, seed=3),
            tf.nn.fixed_unigram_candidate_sampler(
                true, 1, 4, unique, 6, "", 0.75, 1, unigrams=unigrams[:5], seed=3
            ),
            tf.nn.fixed_unigram_candidate_sampler(
                true, 1, 2, unique, 3, num_shards=2, shard=1, unigrams=unigrams, seed=3
            ),
        ]
        for _ in range(3):
            for sample in samples:
                show(session.run(sample))
    show(session.run(tf.nn.uniform_candidate_sampler(true, 1, 4, False, 2**40 + 3, seed=2)[0]))
# case: accidental hits
true = np.array([[1, 2], [3, 4], [5, 1]])
show(tf.Session().run(tf.nn.compute_accidental_hits(true, np.array([4, 1, 9, 1]), 2)))
show(tf.Session().run(tf.nn.compute_accidental_hits(true, np.array([7]), 2)))
# case: accidental hits with another number of labels
tf.nn.compute_accidental_hits(tf.placeholder(tf.int64, [3, 2]), tf.placeholder(tf.int64, [7]), 3)
# case: a sample that is larger than its range
tf.Session().run(tf.nn.uniform_candidate_sampler(np.array([[1]]), 1, 9, True, 7))
# case: a sample with another number of labels
tf.Session().run(tf.nn.uniform_candidate_sampler(np.array([[1]]), 2, 9, False, 7))
# case: fixed_unigram_candidate_sampler without unigrams
tf.Session().run(tf.nn.fixed_unigram_candidate_sampler(np.array([[1]]), 1, 3, False, 5))
# case: a sample of two things
tf.Session().run(
    tf.nn.fixed_unigram_candidate_sampler(np.array([[1]]), 1, 3, False, 5, "a", unigrams=[1.0])
)
# case: nce_loss
F = tf.float32
show(
    tf.nn.nce_loss(
        tf.placeholder(F, [10, 3]),
        tf.placeholder(F, [10]),
        tf.placeholder(tf.int64, [None, 1]),
        tf.placeholder(F, [None, 3]),
        4,
        10,
    )
)
nodes()
# case: sampled_softmax_loss
F = tf.float32
show(
    tf.nn.sampled_softmax_loss(
        [tf.placeholder(F, [5, 3]), tf.placeholder(F, [5, 3])],
        [tf.placeholder(F, [5]), tf.placeholder(F, [5])],
        tf.placeholder(tf.int32, [5, 2]),
        tf.placeholder(F, [5, 3]),
        4,
        10,
        num_true=2,
        partition_strategy="div",
        name="s",
    )
)
nodes()
# case: values of sampled losses
tf.set_random_seed(3)
weights = tf.constant(np.linspace(-1, 1, 30).reshape(10, 3).astype("f"))
biases = tf.constant(np.linspace(0, 0.5, 10).astype("f"))
x = tf.constant(np.cos(np.arange(12)).reshape(4, 3).astype("f"))
labels = tf.constant([[1], [5], [0], [9]], tf.int64)
a = tf.nn.nce_loss(weights, biases, labels, x, 4, 10)
b = tf.nn.sampled_softmax_loss(weights, biases, labels, x, 4, 10)
with tf.Session() as session:
    show(session.run([a, b]))
    show(session.run(tf.gradients(a + b, [x])))

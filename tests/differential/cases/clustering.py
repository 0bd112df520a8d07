# case: centres
from tensorflow.python.ops import gen_clustering_ops as lib
rng = np.random.RandomState(0)
points = rng.rand(30, 2).astype(np.float32)
with tf.Session() as s:
    for seed in range(3):
        for retries in (0, 1, -1, 3):
            show(s.run(lib.kmeans_plus_plus_initialization(points, 4, seed, retries)))
        show(s.run(lib.kmc2_chain_initialization(points[:, 0], seed)))
    for k in (1, 3, 7):
        found = s.run(lib.nearest_neighbors(points, points[:5] + 0.1, k))
        show(found[0], np.round(found[1], 3))
# case: bad centres
from tensorflow.python.ops import gen_clustering_ops as lib
points = np.ones([3, 2], np.float32)
with tf.Session() as s:
    for count, data in ((0, points), (4, points), (1, points[:0])):
        try:
            s.run(lib.kmeans_plus_plus_initialization(data, count, 1, 1))
        except tf.errors.InvalidArgumentError as e:
            print(e.message.splitlines()[0])
    for args in ((points, points[:, :1], 1), (points, points[0], 1)):
        try:
            s.run(lib.nearest_neighbors(*args))
        except tf.errors.InvalidArgumentError as e:
            print(e.message.splitlines()[0])
    show(s.run(lib.nearest_neighbors(points, points[:0], 2)))
# case: factorization
from tensorflow.contrib.factorization.python.ops import gen_factorization_ops as lib
rng = np.random.RandomState(0)
factors = rng.rand(3, 4).astype(np.float32)
places = np.array([[0, 0], [0, 2], [1, 1], [3, 2]], np.int64)
values = rng.rand(4).astype(np.float32)
with tf.Session() as s:
    out = lib.wals_compute_partial_lhs_and_rhs(factors, [0.1, 0.2, 0.3], 0.1, [1.0, 2.0, 3.0, 4.0], places, values,
                                               [], input_block_size=4, input_is_transpose=False)
    show(*out)
    show(s.run(out))
    out = lib.wals_compute_partial_lhs_and_rhs(factors, [], 0.1, [], places[:, ::-1], values,
                                               [0.5, 0.25, 1.0, 2.0], input_block_size=4, input_is_transpose=True)
    show(s.run(out))
    for a, b in ((False, False), (True, False), (False, True), (True, True)):
        x = factors.T if not a else factors
        y = np.ones([3, 5], np.float32) * np.arange(5, dtype=np.float32)
        show(s.run(lib.masked_matmul(x, y.T if b else y, places, a, b)))
# case: probes
from tensorflow.contrib.nearest_neighbor.python.ops import nearest_neighbor_ops as lib
product = np.random.RandomState(0).randn(4, 12).astype(np.float32)
with tf.Session() as s:
    for tables, planes, probes in ((2, 6, 20), (3, 4, 2), (4, 3, 32), (1, 12, 9)):
        show(s.run(lib.hyperplane_lsh_probes(product, tables, planes, probes)))
    for tables, planes, probes in ((0, 3, 7), (2, 2, 7), (2, 6, 0), (4, 3, 33)):
        try:
            s.run(lib.hyperplane_lsh_probes(product, tables, planes, probes))
        except tf.errors.OpError as e:
            print(type(e).__name__, e.message.splitlines()[0])

# case: the iris data of estimator tests
from tensorflow.contrib.learn.python.learn.estimators import test_data
values = np.array([5.0, 1.0, 3.0, 3.0, 2.0, 9.0, 7.0, 8.0])
for count in (1, 2, 3, 10):
    print(["%.6f" % v for v in test_data.get_quantile_based_buckets(values, count)])
with tf.Session() as session:
    for function in (test_data.iris_input_logistic_fn, test_data.iris_input_multiclass_fn):
        features, labels = function()
        print(sorted(features), features["feature"].shape, labels)
        found, classes = session.run([features["feature"], labels])
        show(found.sum(axis=0), found[::30], classes[::30])
iris = test_data.prepare_iris_data_for_logistic_regression()
print(iris._fields, iris.data.shape, iris.target.shape, sorted(set(iris.target.tolist())))
# case: what estimators have
from tensorflow.contrib.learn.python.learn.estimators import estimator_test_utils
from tensorflow.python.platform import test
class Case(test.TestCase):
    def runTest(self):
        pass
for kind in (tf.contrib.learn.DNNClassifier, tf.contrib.learn.SVM, tf.estimator.Estimator, object):
    try:
        print(estimator_test_utils.assert_estimator_contract(Case(), kind))
    except AssertionError:
        print("no")
for value in (0, 0.5, 1, 1.5, -1):
    try:
        print(estimator_test_utils.assert_in_range(0, 1, "key", {"key": value}))
    except ValueError as error:
        print(error)
# case: matrices of factorizations
from tensorflow.contrib.factorization.python.ops import factorization_ops_test_utils as utils
matrix = np.array([[0, 1.0, 2], [3, 0, 4], [0, 0, 0], [5, 6, 0]], np.float32)
rows = np.arange(1, 9).reshape(4, 2).astype(np.float32)
columns = rows[:3] / 10
weights = {"row_weights": np.arange(1, 5).astype(np.float32)}
both = {"col_weights": np.array([0.5, 1, 2], np.float32)}
both.update(weights)
with tf.Session() as session:
    for options in [
        {},
        {"transpose": True},
        {"row_slices": [2, 0, 3]},
        {"col_slices": [2, 1]},
        {"row_slices": [1, 3], "transpose": True},
    ]:
        show(session.run(utils.np_matrix_to_tf_sparse(matrix, **options)))
    sparse = utils.np_matrix_to_tf_sparse(matrix)
    for options in [{}, {"regularization": 0.5}, {"w0": 0.3}, weights, both]:
        print("%.1f" % utils.calculate_loss(sparse, rows, columns, **options))
show([np.asarray(x) for x in utils.remove_empty_rows_columns(matrix)])
# case: statistics of samples
from tensorflow.python.kernel_tests.random import util
samples = np.random.RandomState(0).randn(1000)
uniform = np.random.RandomState(1).rand(1000)
class Normal(object):
    def moment(self, number):
        return {1: 0.0, 2: 1.0, 3: 0.0, 4: 3.0, 6: 15.0, 8: 105.0}[number]
print(["%.5f" % v for v in util.test_moment_matching(samples, 4, Normal())])
print("%.5f" % util.anderson_darling(samples))
for value in (util.chi_squared(uniform, 10), util.chi_squared(uniform**1.1, 7), util.normal_cdf(0.5)):
    print("%.5f" % value)
# case: arrays in order
from tensorflow.python.ops.distributions import bijector_test_util as util
for values in ([1.0, 2.0, 3.0], [1.0, 1.0, 2.0], [3.0, 2.0, 1.0], [1.0, np.inf], [1.0, 3.0, 2.0]):
    for name in ("finite", "strictly_increasing", "strictly_decreasing", "strictly_monotonic"):
        try:
            print(name, getattr(util, "assert_" + name)(np.array(values)))
        except AssertionError:
            print(name, "no")

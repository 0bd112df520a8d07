# case: counts and covariances
M = tf.contrib.metrics
p, l, w = [0.1, 0.4, 0.8, 0.9, 0.3], [0.0, 1.0, 1.0, 1.0, 0.0], [1.0, 2.0, 0.0, 1.0, 1.0]
p, l, w = tf.constant(p), tf.constant(l), tf.constant(w)
made = [M.count(p), M.count(p, w), M.streaming_covariance(p, l), M.streaming_covariance(p, l, w)]
made += [M.streaming_pearson_correlation(p, l), M.streaming_pearson_correlation(p, l, w)]
print([v.name for v in tf.local_variables()])
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    show(session.run([value for value, _ in made]))
    for _ in range(2):
        show(session.run([update for _, update in made]))
    show(session.run([value for value, _ in made]))
# case: rates and curves
M = tf.contrib.metrics
p, l, w = [0.1, 0.4, 0.8, 0.9, 0.3], [0.0, 1.0, 1.0, 1.0, 0.0], [1.0, 2.0, 0.0, 1.0, 1.0]
p, l, w = tf.constant(p), tf.constant(l), tf.constant(w)
made = [
    M.streaming_false_negative_rate(p > 0.5, l), M.streaming_false_positive_rate(p > 0.2, l, w),
    M.streaming_false_negative_rate_at_thresholds(p, l, [0.2, 0.85]),
    M.streaming_false_positive_rate_at_thresholds(p, l, [0.2, 0.85], w),
    M.f1_score(l, p, num_thresholds=5), M.f1_score(l, p, w, num_thresholds=5),
    M.precision_at_recall(l, p, 0.6, num_thresholds=5),
    M.recall_at_precision(l, p, 0.6, num_thresholds=5),
    M.recall_at_precision(l, p, 0.99, num_thresholds=5, strict_mode=True),
    M.streaming_true_positives_at_thresholds(p, l, [0.2, 0.5]),
]
print([v.name for v in tf.local_variables()])
roc = M.streaming_curve_points(l, p, num_thresholds=4)
pr = M.streaming_curve_points(l, p, num_thresholds=4, curve="PR")
points = M.precision_recall_at_equal_thresholds(l > 0.5, p, w, num_thresholds=3)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    show(session.run([value for value, _ in made]))
    show(session.run([update for _, update in made]))
    for value, update in (roc, pr, points):
        session.run(update)
        show(session.run(value))
# case: exact areas
M = tf.contrib.metrics
l, p = [0, 1, 0, 1, 1, 0, 1, 0], [0.2, 0.9, 0.1, 0.3, 0.4, 0.5, 0.3, 0.3]
l, p, w = tf.constant(l), tf.constant(p), tf.constant([1.0, 2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 2.0])
made = [M.streaming_dynamic_auc(l, p), M.streaming_dynamic_auc(l, p, curve="PR", weights=w)]
made += [M.streaming_dynamic_auc(tf.constant([1, 1]), tf.constant([0.1, 0.2]))]
made += [M.auc_with_confidence_intervals(l, p, w, logit_transformation=False)]
made += [M.auc_with_confidence_intervals(l, p, alpha=0.9)]
made += [M.auc_using_histogram(l > 0, p, [0.0, 1.0], nbins=10)]
print([v.name for v in tf.local_variables()])
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    show(session.run([value for value, _ in made]))
    for _ in range(2):
        for _, update in made:
            session.run(update)
        show(session.run([value for value, _ in made]))
# case: chosen classes
M = tf.contrib.metrics
chosen, labels = tf.constant([[0, 2], [1, 2]], tf.int64), tf.constant([[2], [1]], tf.int64)
scores = tf.constant([[0.1, 0.5, 0.4], [0.6, 0.1, 0.3]])
made = [
    M.sparse_recall_at_top_k(labels, chosen), M.streaming_sparse_precision_at_top_k(chosen, labels),
    M.streaming_sparse_precision_at_top_k(chosen, labels, class_id=2),
    M.streaming_sparse_average_precision_at_top_k(chosen, labels),
    M.streaming_sparse_precision_at_k(scores, labels, 2),
    M.streaming_sparse_recall_at_k(scores, labels, 2, class_id=1),
    M.streaming_recall_at_k(scores, tf.constant([2, 1]), 2),
    M.cohen_kappa(tf.constant([0, 1, 2, 1]), tf.constant([0, 1, 1, 2]), 3),
    M.cohen_kappa(tf.constant([0, 1, 2]), tf.constant([0, 1, 1]), 3, tf.constant([1.0, 2.0, 1.0])),
]
show(made)
print([v.name for v in tf.local_variables()])
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    show(session.run([update for _, update in made]))
    show(session.run([value for value, _ in made]))
# case: renamed
M = tf.contrib.metrics
p, l, w = tf.constant([0.1, 0.4, 0.8]), tf.constant([0.0, 1.0, 1.0]), tf.constant([1.0, 2.0, 0.0])
made = [
    M.streaming_mean(p, w), M.streaming_mean_tensor(p), M.streaming_percentage_less(p, 0.5),
    M.streaming_accuracy(p > 0.5, l > 0.5, w), M.streaming_precision(p > 0.2, l, w),
    M.streaming_recall(p > 0.5, l), M.streaming_auc(p, l), M.streaming_mean_squared_error(p, l, w),
    M.streaming_root_mean_squared_error(p, l), M.streaming_mean_absolute_error(p, l),
    M.streaming_mean_relative_error(p, l, l + 1.0), M.streaming_mean_cosine_distance(p, l, 0),
    M.streaming_mean_iou(tf.constant([1, 2]), tf.constant([1, 1]), 3),
    M.streaming_sensitivity_at_specificity(p, l, 0.5), M.streaming_true_positives(p > 0.5, l),
    M.streaming_specificity_at_sensitivity(p, l, 0.5), M.streaming_false_negatives(p > 0.5, l, w),
    M.streaming_precision_at_thresholds(p, l, [0.2, 0.5]),
]
show(made)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    show(session.run([update for _, update in made]))
# case: all values and accuracy
M = tf.contrib.metrics
x = tf.placeholder(tf.float32, [None, 2])
value, update = M.streaming_concat(x, max_size=4)
turned, turned_update = M.streaming_concat(tf.transpose(x), axis=1)
print(value.shape, turned.shape, [v.name for v in tf.local_variables()])
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    show(session.run([value, turned]))
    for rows in ([[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0]]):
        show(session.run([update, turned_update], {x: rows}))
        show(session.run([value, turned]))
    show(session.run(M.accuracy(tf.constant([1, 2, 3]), tf.constant([1, 2, 2]))))
    show(session.run(M.accuracy(tf.constant(["a"]), tf.constant(["a"]), tf.constant([2.0]))))
values, updates = M.aggregate_metrics(M.count(x), M.streaming_mean(x))
show(values, updates, M.aggregate_metric_map({"a": M.count(x)}))
# case: invalid arguments
M, p = tf.contrib.metrics, lambda *shape: tf.placeholder(tf.float32, list(shape))
for f in (
    lambda: M.accuracy(p(2), p(2)), lambda: M.accuracy(tf.constant([1]), tf.constant([1], tf.int64)),
    lambda: M.aggregate_metrics(), lambda: M.cohen_kappa(tf.constant([0]), tf.constant([0]), 1),
    lambda: M.streaming_concat(tf.placeholder(tf.float32)), lambda: M.streaming_concat(p(None, None)),
    lambda: M.streaming_concat(p(2, 2), axis=2), lambda: M.precision_at_recall(p(2), p(2), 2),
    lambda: M.recall_at_precision(p(2), p(2), -1), lambda: M.streaming_curve_points(p(2), p(2), curve="x"),
    lambda: M.streaming_dynamic_auc(p(2), p(2), curve="x"),
    lambda: M.auc_with_confidence_intervals(p(2), p(2), alpha=2.0),
    lambda: M.streaming_covariance(p(2), p(3)),
):
    try:
        f()
    except ValueError as error:
        print(str(error).split("\n")[0])

"""Models of time series that run here and in TensorFlow 1.15.5, with given values of variables.

`MODELS` are functions from a namespace with the modules to a model and its features.
"""

import numpy as np

TIMES = np.array([[1, 2, 5, 7, 8, 30], [3, 4, 5, 6, 20, 21]])


def _values(num_features):
    random = np.random.RandomState(7)
    return 3.0 + 2.0 * random.normal(size=(*TIMES.shape, num_features))


def _state_space(make, num_features=1, **options):
    def build(m):
        configuration = m.StateSpaceModelConfiguration(
            num_features=num_features, dtype=m.tf.float64, **options
        )
        return make(m, configuration), {"times": TIMES, "values": _values(num_features)}

    return build


def _autoregressive(input_window, output_window, num_features=1, hidden=None, **options):
    def build(m):
        if hidden:
            options["prediction_model_factory"] = lambda **sizes: m.FlatPredictionModel(
                hidden_layer_sizes=hidden, **sizes
            )
        model = m.ARModel(
            periodicities=options.get("periodicities", [4, 7]),
            input_window_size=input_window,
            output_window_size=output_window,
            num_features=num_features,
            **{key: value for key, value in options.items() if key != "periodicities"},
        )
        values = _values(num_features).astype(np.float32)
        return model, {"times": TIMES, "values": values}

    return build


def _anomalies(distribution):
    def build(m):
        model = m.AnomalyMixtureARModel(
            periodicities=5,
            anomaly_prior_probability=0.1,
            input_window_size=4,
            output_window_size=2,
            num_features=1,
            anomaly_distribution=distribution,
        )
        return model, {"times": TIMES, "values": _values(1).astype(np.float32)}

    return build


def _lstm(m):
    model = m.ARModel(
        periodicities=[4],
        input_window_size=4,
        output_window_size=2,
        num_features=2,
        prediction_model_factory=lambda **sizes: m.LSTMPredictionModel(num_units=3, **sizes),
    )
    return model, {"times": TIMES, "values": _values(2).astype(np.float32)}


def _exogenous(m):
    columns = [
        m.tf.feature_column.numeric_column("x", shape=(2,)),
        m.tf.feature_column.indicator_column(
            m.tf.feature_column.categorical_column_with_vocabulary_list("kind", ["a", "b"])
        ),
    ]
    configuration = m.StateSpaceModelConfiguration(
        num_features=1,
        dtype=m.tf.float64,
        exogenous_feature_columns=columns,
        exogenous_noise_decreases=True,
        exogenous_update_condition=lambda times, features: features["x"][:, 0] > 0.0,
    )
    random = np.random.RandomState(8)
    features = {
        "times": TIMES,
        "values": _values(1),
        "x": random.normal(size=(*TIMES.shape, 2)).astype(np.float32),
        "kind": np.array([list("abaabb"), list("bbaaab")]),
    }
    return m.StructuralEnsemble([3], 1, 0, configuration=configuration), features


def _detector(m):
    configuration = m.StateSpaceModelConfiguration(
        num_features=2,
        dtype=m.tf.float64,
        filtering_postprocessor=m.StateInterpolatingAnomalyDetector(anomaly_prior_probability=0.2),
    )
    model = m.StructuralEnsemble([], 1, 1, configuration=configuration)
    return model, {"times": TIMES, "values": _values(2)}


MODELS = {
    "level and trend": _state_space(lambda m, c: m.AdderStateSpaceModel(configuration=c)),
    "trend with noise": _state_space(
        lambda m, c: m.AdderStateSpaceModel(use_level_noise=False, configuration=c)
    ),
    "unrolled": _state_space(
        lambda m, c: m.AdderStateSpaceModel(configuration=c),
        static_unrolling_window_size_threshold=10,
    ),
    "cycle": _state_space(lambda m, c: m.CycleStateSpaceModel(4, configuration=c)),
    "cycle without noise of observations": _state_space(
        lambda m, c: m.CycleStateSpaceModel(3, configuration=c),
        use_observation_noise=False,
        bayesian_prior_weighting=False,
    ),
    "cycle of fractions": _state_space(
        lambda m, c: m.ResolutionCycleModel(3, 7.5, configuration=c)
    ),
    "cycle of whole periods": _state_space(
        lambda m, c: m.ResolutionCycleModel(5, 10, configuration=c)
    ),
    "vector autoregression": _state_space(
        lambda m, c: m.VARMA(2, 1, configuration=c), num_features=2
    ),
    "moving average": _state_space(
        lambda m, c: m.VARMA(1, 3, configuration=c), trainable_start_state=True
    ),
    "structural": _state_space(lambda m, c: m.StructuralEnsemble([3, 4], 1, 0, configuration=c)),
    "structural, two features": _state_space(
        lambda m, c: m.StructuralEnsemble([3], 1, 2, configuration=c), num_features=2
    ),
    "structural, resolutions": _state_space(
        lambda m, c: m.MultiResolutionStructuralEnsemble([5, 3], 2, 1, [7, 2.5], configuration=c),
        num_features=2,
    ),
    "structural with anomalies": _detector,
    "structural with exogenous features": _exogenous,
    "autoregressive": _autoregressive(4, 2, num_features=2),
    "autoregressive, hidden layer": _autoregressive(4, 2, hidden=[5, 3], num_time_buckets=3),
    "autoregressive, squares": _autoregressive(3, 3, loss="squared_loss"),
    "autoregressive, no period": _autoregressive(4, 2, periodicities=[]),
    "autoregressive, no input": _autoregressive(0, 6),
    "autoregressive, gaussian anomalies": _anomalies("gaussian"),
    "autoregressive, cauchy anomalies": _anomalies("cauchy"),
    "autoregressive, lstm": _lstm,
}


def _statistics(m, num_features, dtype):
    """What is known of a series: constants instead of variables."""
    features = np.arange(num_features) + 1.0
    return m.InputStatistics(
        series_start_moments=m.Moments(
            m.tf.constant(features, dtype), m.tf.constant(2.0 * features, dtype)
        ),
        overall_feature_moments=m.Moments(
            m.tf.constant(0.5 * features, dtype), m.tf.constant(3.0 * features, dtype)
        ),
        start_time=m.tf.constant(1, m.tf.int64),
        total_observation_count=m.tf.constant(40, m.tf.int64),
    )


def _load(variables, session):
    for variable in sorted(variables, key=lambda variable: variable.op.name):
        sizes = variable.shape.as_list()
        seed = sum(ord(letter) for letter in variable.op.name) % 1000
        variable.load(0.3 * np.random.RandomState(seed).normal(size=sizes), session)


def outcome(m, name, with_statistics):
    """Returns names and shapes of variables, losses, gradients, predictions and states."""
    model, arrays = MODELS[name](m)
    features = {key: m.tf.constant(value) for key, value in arrays.items()}
    statistics = None
    if with_statistics:
        statistics = _statistics(m, model.num_features, model.dtype)
    with m.tf.name_scope("test"):
        model.initialize_graph(statistics)
        with m.tf.variable_scope("model", use_resource=True):
            trained = model.define_loss(features, "train")
        with m.tf.variable_scope("model", reuse=True):
            evaluated = model.define_loss(features, "eval")
            start = m.replicate_state(model.get_start_state(), 2)
            exogenous = {
                key: value for key, value in features.items() if key not in ("times", "values")
            }
            predicted = model.predict(
                dict(exogenous, times=features["times"], start_tuple=evaluated.end_state)
                if not exogenous
                else dict(exogenous, times=features["times"], start_tuple=start)
            )
    variables = m.tf.trainable_variables()
    gradients = m.tf.gradients(trained.loss, variables)
    used = [pair for pair in zip(variables, gradients) if pair[1] is not None]
    with m.tf.Session() as session:
        session.run([m.tf.global_variables_initializer(), m.tf.tables_initializer()])
        _load(m.tf.global_variables(), session)
        values = session.run(
            {
                "train loss": trained.loss,
                "eval loss": evaluated.loss,
                "predictions": evaluated.predictions,
                "times": evaluated.prediction_times,
                "state": list(evaluated.end_state),
                "predicted": predicted,
                "gradients": {variable.op.name: gradient for variable, gradient in used},
            }
        )
    values["variables"] = {v.op.name: v.shape.as_list() for v in m.tf.global_variables()}
    return values


def cases():
    """Yields the name of a model and whether it has statistics."""
    for name in MODELS:
        yield name, False
        yield name, True


def flat(values):
    """Returns nested values as lists of numbers."""
    if isinstance(values, dict):
        return {key: flat(value) for key, value in sorted(values.items())}
    if isinstance(values, (list, tuple)):
        return [flat(value) for value in values]
    return np.asarray(values).tolist()

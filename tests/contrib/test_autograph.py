"""Marks of functions for AutoGraph; what they return is what TensorFlow 1.15.5 returns."""

import headwater as tf

experimental = tf.autograph.experimental


def test_functions_that_are_not_converted():
    @experimental.do_not_convert
    def add(x, *, y=1):
        """Adds."""
        return x + y

    class Model:
        @experimental.do_not_convert()
        def call(self):
            return self

    assert (add(2, y=3), add.__name__, add.__doc__) == (5, "add", "Adds.")
    model = Model()
    assert model.call() is model
    assert tf.contrib.autograph.do_not_convert is experimental.do_not_convert


def test_features():
    feature = experimental.Feature
    assert [x.value for x in feature.all()][:2] == ["ALL", "AUTO_CONTROL_DEPS"]
    for excluded in (feature.LISTS, [feature.LISTS]):
        rest = feature.all_but(excluded)
        assert set(feature.all()) - set(rest) == {feature.ALL, feature.LISTS}


def test_trace_prints(capsys):
    assert tf.autograph.trace(1, "a") is None
    assert tf.autograph.set_verbosity(3) is None
    assert capsys.readouterr().out == "1 a\n"

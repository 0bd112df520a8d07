"""Internal modules that libraries import for their bookkeeping."""

from __future__ import annotations

import importlib

import pytest

import headwater as tf
from headwater.compat import install as hook


@pytest.fixture(autouse=True)
def installed():
    hook.install()
    with tf.Graph().as_default():
        yield
    hook.uninstall()


def module(path):
    return importlib.import_module(f"tensorflow.python.{path}")


def test_monitoring():
    monitoring = module("eager.monitoring")
    counter = monitoring.Counter("/a", "text", "label")
    counter.get_cell("x").increase_by(3)
    counter.get_cell("x").increase_by(1)
    assert (counter.get_cell("x").value(), counter.get_cell("y").value()) == (4, 0)
    with pytest.raises(ValueError, match="The Counter expects taking 1 labels"):
        counter.get_cell()
    gauge = monitoring.BoolGauge("/b", "text")
    gauge.get_cell().set(True)
    assert gauge.get_cell().value() is True
    sampler = monitoring.Sampler("/c", monitoring.ExponentialBuckets(1.0, 2.0, 3), "text")
    for sample in (0.5, 1.5, 3.0, 9.0, 10.0):
        sampler.get_cell().add(sample)
    assert sampler.get_cell().value() == [1, 1, 1, 2]


def test_the_context_of_shards():
    tpu_function = module("tpu.tpu_function")
    assert tpu_function.get_tpu_context().number_of_shards is None
    with tpu_function.tpu_shard_context(4):
        assert tpu_function.get_tpu_context().number_of_shards == 4
        with (
            pytest.raises(NotImplementedError, match="cannot be nested"),
            tpu_function.tpu_shard_context(2),
        ):
            pass
    assert tpu_function.get_tpu_context().number_of_shards is None


def test_tapes_stop_recording():
    tape = module("eager.tape")
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tape.stop_recording():
            assert not tape.could_possibly_record()
            hidden = x * x
        assert tape.could_possibly_record()
    assert outer.gradient(hidden, x) is None
    assert not tape.could_possibly_record()
    tape.record_operation("name", [x], [x], None)


def test_a_call_with_its_gradient():
    call = module("ops.custom_gradient")._graph_mode_decorator
    x = tf.constant(2.0)
    y = call(lambda a: (a * a, lambda grad: grad * 7.0), x)
    with tf.Session() as session:
        assert session.run([y, tf.gradients(y, x)[0]]) == [4.0, 7.0]


def test_parameter_servers_in_turn():
    setter = module("training.device_setter")
    assert {"VariableV2", "VarHandleOp"} < set(setter.STANDARD_PS_OPS)
    choose = setter._RoundRobinStrategy(2)
    assert [choose(None) for _ in range(3)] == [0, 1, 0]


def test_versions_of_the_build():
    root = importlib.import_module("tensorflow")
    assert root.__git_version__ == root.version.GIT_VERSION
    assert (root.__cxx11_abi_flag__, root.__monolithic_build__) == (0, 0)


def test_helpers_of_keras():
    utils = module("keras.utils.conv_utils")
    assert utils.normalize_tuple(2, 3, "k") == (2, 2, 2)
    with pytest.raises(ValueError, match="The `k` argument must be a tuple of 3 integers"):
        utils.normalize_tuple((1, 2), 3, "k")
    assert utils.normalize_padding("SAME") == "same"
    assert utils.normalize_data_format(None) == "channels_last"
    snake = module("keras.utils.generic_utils").to_snake_case
    assert [snake(n) for n in ("FooBar", "_Foo", "HTTPServer", "Conv2D")] == [
        "foo_bar", "private__foo", "http_server", "conv2d",
    ]  # fmt: skip
    assert callable(module("keras.saving.hdf5_format").load_optimizer_weights_from_hdf5_group)


def test_summaries_outside_of_replicas():
    assert module("distribute.summary_op_util").skip_summary() is False
    assert module("framework.ops").inside_function() is False


def test_op_defs_are_made_when_they_are_asked_for():
    op_def_registry = module("framework.op_def_registry")
    registered = op_def_registry.get_registered_ops()
    assert registered.get("NoSuchOp") is None and "NoSuchOp" not in registered
    made = registered["Softplus"]
    assert [arg.name for arg in made.input_arg] == ["features"]
    assert op_def_registry.get_registered_ops()["Softplus"] is made
    assert len(registered) == len(list(registered)) > 1000
    assert {"Add", "Softplus"} <= set(registered)


def test_parts_of_optimizers():
    session = tf.Session()
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    r = tf.get_variable("r", initializer=3.0, use_resource=True)
    optimizers = module("training.optimizer")
    summed, unique = optimizers._deduplicate_indexed_slices(
        values=tf.constant([[1.0], [2.0], [3.0]]), indices=tf.constant([4, 1, 4])
    )
    assert session.run(summed).tolist() == [[4.0], [2.0]]
    assert session.run(unique).tolist() == [4, 1]
    processors = [optimizers._get_processor(variable) for variable in (v, r)]
    targets = [processor.target() for processor in processors]
    assert (targets[0].op.name, targets[1]) == ("v", r)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    optimizer._prepare()
    gradients = tf.gradients(tf.reduce_sum(v * v) + r, targets)
    updates = [p.update_op(optimizer, g) for p, g in zip(processors, gradients)]
    session.run(tf.global_variables_initializer())
    session.run(updates)
    assert session.run(v).tolist() == [0.0, 0.0] and session.run(r) == 2.5
    assert optimizers._var_key(r) == (session.graph, "r")


def test_counted_op_types():
    registry = module("profiler.internal.flops_registry")
    assert {"MatMul", "Conv2D", "Softmax"} <= registry.IMPLEMENTED_OPS
    assert "Identity" not in registry.IMPLEMENTED_OPS

"""What the package tensorflow-estimator imports from inside TensorFlow."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

import headwater as tf
from headwater.compat.internals import all_internals
from headwater.compat.mirrors.util.deprecation import hide_attribute_from_api
from headwater.compat.mirrors.util.module_wrapper import TFModuleWrapper
from headwater.compat.modules import make_module
from headwater.profiling.monitoring import BoolGauge, Counter, IntGauge, StringGauge


def internal(path):
    return all_internals()[f"tensorflow.python.{path}"]


def test_metrics_have_a_cell_for_each_label():
    gauge = BoolGauge("/api/method", "which methods are used", "method")
    gauge.get_cell("train").set(True)
    assert (gauge.get_cell("train").value(), gauge.get_cell("predict").value()) == (True, False)
    counter = Counter("/api/count", "how often")
    counter.get_cell().increase_by(3)
    counter.get_cell().increase_by(1)
    assert counter.get_cell().value() == 4
    assert StringGauge("/api/name", "a name").get_cell().value() == ""
    assert IntGauge("/api/size", "a size").get_cell().value() == 0


def test_metrics_check_their_labels():
    with pytest.raises(ValueError, match="The BoolGauge expects taking 1 labels"):
        BoolGauge("/api/method", "which", "method").get_cell()
    with pytest.raises(ValueError, match="Cannot create Counter metric with label >= 3"):
        Counter("/api/count", "how often", "a", "b", "c")


def test_a_wrapped_module_has_its_names_and_those_of_a_table():
    module = ModuleType("wrapped_example")
    module.there, module._inner = 3, 4
    wrapped = TFModuleWrapper(module, "example", public_apis={"join": ("os.path", "join")})
    assert (wrapped.there, wrapped._inner, wrapped.__all__) == (3, 4, ["join"])
    assert wrapped.join("a", "b") == "a/b"
    assert isinstance(wrapped, ModuleType)
    wrapped.there = 5
    assert module.there == 5
    with pytest.raises(AttributeError, match="no attribute 'missing'"):
        _ = wrapped.missing
    assert "wrapped_example" not in sys.modules


def test_a_hidden_attribute_is_missing_in_objects():
    class Base:
        def method(self):
            return 1

    class Derived(Base):
        method = hide_attribute_from_api("use another method")

    assert Base().method() == 1
    assert not hasattr(Derived(), "method")
    with pytest.raises(AttributeError, match="use another method"):
        _ = Derived().method


def test_functions_of_exports_are_those_of_estimators():
    tags = internal("saved_model.model_utils.EXPORT_TAG_MAP")
    assert tags == {"infer": ["serve"], "train": ["train"], "eval": ["eval"]}
    outputs = internal("saved_model.model_utils.get_export_outputs")(None, tf.constant([1.0]))
    assert list(outputs) == ["serving_default"]
    assert internal("saved_model.model_utils.export_utils.SINGLE_LABEL_DEFAULT_NAME") == "label"


def test_functions_of_collections(session):
    to_proto = internal("framework.ops.get_to_proto_function")
    assert to_proto("not_registered") is None
    variable = tf.Variable(1.0, name="v")
    key = tf.GraphKeys.TRAINABLE_VARIABLES
    copied = internal("framework.ops.get_from_proto_function")(key)(to_proto(key)(variable))
    assert copied.name == variable.name
    proto = internal("ops.resource_variable_ops._to_proto_fn")(variable)
    assert proto.variable_name == "v:0"
    chosen = internal("ops.cond_v2.cond_v2")(
        tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2), name="either"
    )
    assert (session.run(chosen), chosen.op.name) == (1, "either/Merge")


def test_strategies_of_several_machines_are_refused():
    class Distribute:
        train_distribute, eval_distribute, remote_cluster = "train", "eval", None

    class Config:
        _experimental_distribute = Distribute()

    config = Config()
    internal("distribute.estimator_training.init_run_config")(config, {})
    assert (config._train_distribute, config._eval_distribute) == ("train", "eval")
    assert config._distribute_coordinator_mode is None
    assert not internal("distribute.estimator_training.should_run_distribute_coordinator")(config)
    Distribute.remote_cluster = {"worker": ["a:1"]}
    with pytest.raises(ValueError, match="`remote_cluster` cannot be set"):
        internal("distribute.estimator_training.init_run_config")(config, {})


def test_modules_of_tpus_are_imported_and_say_what_is_missing():
    module = make_module("tensorflow.python.tpu.tensor_tracer")
    with pytest.raises(AttributeError, match=r"tensor_tracer\.TensorTracer yet"):
        _ = module.TensorTracer


def test_parameter_servers_are_taken_in_turn():
    strategy = internal("training.device_setter._RoundRobinStrategy")(3)
    assert [strategy(None) for _ in range(4)] == [0, 1, 2, 0]
    kinds = internal("training.device_setter.STANDARD_PS_OPS")
    assert (kinds[0], kinds[-1], len(kinds)) == ("Variable", "ResourceConditionalAccumulator", 13)

"""Settings of the process are those of sessions without a ConfigProto."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import headwater as tf
from headwater.session import process_config


@pytest.fixture(autouse=True)
def untouched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(process_config, "_settings", {})
    yield


def test_nothing_is_set_at_first() -> None:
    assert process_config.process_config() is None
    assert tf.config.get_soft_device_placement() is False
    assert tf.debugging.get_log_device_placement() is False
    assert tf.config.threading.get_inter_op_parallelism_threads() == 0
    assert tf.config.threading.get_intra_op_parallelism_threads() == 0
    assert tf.config.optimizer.get_jit() is False


def test_soft_placement() -> None:
    with tf.Graph().as_default() as graph, tf.device("/gpu:7"):
        x = tf.constant(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="GPU:7"):
        tf.Session(graph=graph).run(x)
    tf.config.set_soft_device_placement(True)
    assert tf.config.get_soft_device_placement() is True
    assert tf.Session(graph=graph).run(x) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="GPU:7"):
        tf.Session(graph=graph, config=tf.ConfigProto()).run(x)


def test_threads_and_compilation() -> None:
    tf.config.threading.set_inter_op_parallelism_threads(3)
    tf.config.threading.set_intra_op_parallelism_threads(2)
    tf.config.optimizer.set_jit(True)
    proto = process_config.process_config()
    assert (proto.inter_op_parallelism_threads, proto.intra_op_parallelism_threads) == (3, 2)
    with tf.Graph().as_default() as graph:
        assert tf.Session(graph=graph)._settings.jit_mode == "always"


def test_a_processor_may_stand_for_several_devices() -> None:
    config = tf.config.experimental
    cpu = config.list_physical_devices("CPU")[0]
    assert cpu.name == "/physical_device:CPU:0"
    assert config.get_virtual_device_configuration(cpu) is None
    parts = [config.VirtualDeviceConfiguration(), config.VirtualDeviceConfiguration(3)]
    config.set_virtual_device_configuration(cpu, parts)
    assert config.get_virtual_device_configuration(cpu) == parts
    names = [device.name for device in config.list_logical_devices("CPU")]
    assert [name[-6:] for name in names] == [":CPU:0", ":CPU:1"]
    with tf.Graph().as_default() as graph, tf.device("/cpu:1"):
        x = tf.constant(2.0)
    assert tf.Session(graph=graph).run(x) == 2.0


def test_what_is_no_device_is_refused() -> None:
    config = tf.config.experimental
    cpu = config.list_physical_devices("CPU")[0]
    with pytest.raises(ValueError, match="non-GPU devices"):
        config.set_memory_growth(cpu, True)
    for call in (config.set_visible_devices, lambda d: config.set_memory_growth(d, True)):
        with pytest.raises(ValueError, match="Unrecognized device"):
            call(process_config.PhysicalDevice("/physical_device:TOASTER:0", "TOASTER"))
    config.set_visible_devices([cpu], "CPU")
    assert config.get_visible_devices("CPU") == [cpu]
    with pytest.raises(ValueError, match="Not a valid device policy"):
        config.set_device_policy("xx")


def test_options_of_graph_optimizers_are_kept() -> None:
    tf.config.optimizer.set_experimental_options({"min_graph_nodes": 3, "unknown": 1})
    options = tf.config.optimizer.get_experimental_options()
    assert options["min_graph_nodes"] == 3
    assert "unknown" not in options

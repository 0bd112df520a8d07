"""Where TensorFlow keeps the modules whose messages ours are."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Final

# Package of TensorFlow -> its .proto files, which stand flat in headwater/protos.
_FOLDERS: Final[dict[str, str]] = {
    "tensorflow.contrib.boosted_trees.proto": "learner quantiles split_info tree_config",
    "tensorflow.contrib.session_bundle": "manifest",
    "tensorflow.contrib.tensorboard.plugins.projector": "projector_config",
    "tensorflow.contrib.decision_trees.proto": "generic_tree_model",
    "tensorflow.contrib.tensor_forest.proto": "fertile_stats tensor_forest_params",
    "tensorflow.contrib.training.python.training": "hparam",
    "tensorflow.core.debug": "debug_service",
    "tensorflow.core.example": "example example_parser_configuration feature",
    "tensorflow.core.framework": (
        "allocation_description api_def attr_value cost_graph device_attributes function "
        "graph graph_transfer_info kernel_def log_memory node_def op_def reader_base "
        "remote_fused_graph_execute_info resource_handle step_stats summary tensor "
        "tensor_description tensor_shape tensor_slice types variable versions"
    ),
    "tensorflow.core.kernels.boosted_trees": "boosted_trees",
    "tensorflow.core.lib.core": "error_codes",
    "tensorflow.core.profiler": "profile tfprof_log tfprof_options tfprof_output",
    "tensorflow.core.protobuf": (
        "cluster config control_flow debug device_properties master meta_graph named_tensor "
        "queue_runner rewriter_config saved_model saved_object_graph saver struct "
        "tensor_bundle tensorflow_server trackable_object_graph transport_options "
        "verifier_config worker"
    ),
    "tensorflow.core.protobuf.data.experimental": "snapshot",
    "tensorflow.core.protobuf.tpu": "topology",
    "tensorflow.core.util": "event memmapped_file_system saved_tensor_slice test_log",
    "tensorflow.python.training": "checkpoint_state",
}

# "tensorflow.core.framework.graph_pb2" -> "headwater.protos.graph_pb2", and so on.
ORIGINAL_MODULES: Final[dict[str, str]] = {
    f"{folder}.{name}_pb2": f"headwater.protos.{name}_pb2"
    for folder, names in _FOLDERS.items()
    for name in names.split()
}


def load_original(path: str) -> ModuleType:
    """Imports the module of messages that stands for one of TensorFlow's.

    Args:
        path: the name of TensorFlow's module, a key of ORIGINAL_MODULES.

    Returns:
        The module of ours.
    """
    return importlib.import_module(ORIGINAL_MODULES[path])

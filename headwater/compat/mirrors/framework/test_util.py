"""tensorflow.python.framework.test_util."""

from __future__ import annotations

from headwater.distributed.local_cluster import create_local_cluster
from headwater.graph import Graph, import_graph_def
from headwater.protos.lazy import graph_pb2
from headwater.testing.graph_comparison import (
    assert_equal_graph_def,
    assert_meta_graph_protos_equal,
    assert_ops_in_graph,
    get_node_def_from_graph,
)
from headwater.testing.layouts import (
    NCHW_VECT_CToNHWC,
    NCHWToNHWC,
    NHWCToNCHW,
    NHWCToNCHW_VECT_C,
)
from headwater.testing.machine import gpu_device_name, is_gpu_available
from headwater.testing.modes import (
    also_run_as_tf_function,
    assert_no_garbage_created,
    assert_no_new_pyobjects_executing_eagerly,
    assert_no_new_tensors,
    build_as_function_and_v1_graph,
    deprecated_graph_mode_only,
    device,
    disable_c_api,
    disable_c_shapes,
    disable_control_flow_v2,
    disable_xla,
    enable_c_api,
    enable_c_shapes,
    enable_cond_v2,
    enable_control_flow_v2,
    enable_output_all_intermediates,
    enable_tf_xla_constant_folding,
    for_all_test_methods,
    force_cpu,
    force_gpu,
    generate_combinations_with_testcase_name,
    is_xla_enabled,
    no_xla_auto_jit,
    py_func_if_in_function,
    run_all_in_graph_and_eager_modes,
    run_cuda_only,
    run_deprecated_v1,
    run_gpu_only,
    run_in_graph_and_eager_modes,
    run_v1_only,
    run_v2_only,
    skip_if,
    use_deterministic_cudnn,
    use_gpu,
    with_c_api,
    with_c_shapes,
    with_control_flow_v2,
    xla_allow_fallback,
)
from headwater.testing.sessions import ErrorLoggingSession
from headwater.testing.test_case import CapturedWrites
from headwater.testing.test_case import TestCase as TensorFlowTestCase

__all__ = [
    "CapturedWrites",
    "CudaSupportsHalfMatMulAndConv",
    "ErrorLoggingSession",
    "GpuSupportsHalfMatMulAndConv",
    "InstallStackTraceHandler",
    "IsBuiltWithROCm",
    "IsGoogleCudaEnabled",
    "IsMklEnabled",
    "NCHWToNHWC",
    "NCHW_VECT_CToNHWC",
    "NHWCToNCHW",
    "NHWCToNCHW_VECT_C",
    "TensorFlowTestCase",
    "also_run_as_tf_function",
    "assert_equal_graph_def",
    "assert_equal_graph_def_v1",
    "assert_meta_graph_protos_equal",
    "assert_no_garbage_created",
    "assert_no_new_pyobjects_executing_eagerly",
    "assert_no_new_tensors",
    "assert_ops_in_graph",
    "build_as_function_and_v1_graph",
    "create_local_cluster",
    "deprecated_graph_mode_only",
    "device",
    "disable_c_api",
    "disable_c_shapes",
    "disable_control_flow_v2",
    "disable_xla",
    "enable_c_api",
    "enable_c_shapes",
    "enable_cond_v2",
    "enable_control_flow_v2",
    "enable_output_all_intermediates",
    "enable_tf_xla_constant_folding",
    "for_all_test_methods",
    "force_cpu",
    "force_gpu",
    "generate_combinations_with_testcase_name",
    "get_node_def_from_graph",
    "gpu_device_name",
    "is_gpu_available",
    "is_xla_enabled",
    "no_xla_auto_jit",
    "py_func_if_in_function",
    "run_all_in_graph_and_eager_modes",
    "run_cuda_only",
    "run_deprecated_v1",
    "run_gpu_only",
    "run_in_graph_and_eager_modes",
    "run_v1_only",
    "run_v2_only",
    "set_producer_version",
    "skip_if",
    "use_deterministic_cudnn",
    "use_gpu",
    "with_c_api",
    "with_c_shapes",
    "with_control_flow_v2",
    "xla_allow_fallback",
]

assert_equal_graph_def_v1 = assert_equal_graph_def


def IsGoogleCudaEnabled() -> bool:
    """Tells whether GPUs of NVIDIA can be used."""
    return is_gpu_available(cuda_only=True)


def CudaSupportsHalfMatMulAndConv() -> bool:
    """Tells whether there is a GPU that multiplies matrices of float16."""
    return is_gpu_available(cuda_only=True)


GpuSupportsHalfMatMulAndConv = CudaSupportsHalfMatMulAndConv


def IsBuiltWithROCm() -> bool:
    """Tells whether the package is for GPUs of AMD alone."""
    return False


def IsMklEnabled() -> bool:
    """Tells whether kernels of MKL are used; there are none."""
    return False


def InstallStackTraceHandler() -> None:
    """Does nothing: Python prints its own stack trace when a signal ends the process."""


def set_producer_version(graph: Graph, producer_version: int) -> None:
    """Sets the producer version of a graph to that of an older release.

    Args:
      graph: a Graph.
      producer_version: the version of that release.

    Raises:
      AssertionError: if an even older release has made a part of the graph.
    """
    graph_def = graph_pb2.GraphDef()
    graph_def.versions.producer = producer_version
    with graph.as_default():
        import_graph_def(graph_def)
    if graph.graph_def_versions.producer != producer_version:
        raise AssertionError(f"The graph's version is {graph.graph_def_versions.producer}")

"""`tf.test`; its modules are imported on first use of their names."""

from __future__ import annotations

from typing import Final

from headwater.base.export import export_lazy

# Module of this folder -> names below tf.test.
PUBLIC_NAMES: Final[dict[str, str]] = {
    "benchmark": "Benchmark benchmark_config",
    "gradient_checker": "compute_gradient compute_gradient_error",
    "graph_comparison": "assert_equal_graph_def",
    "machine": (
        "gpu_device_name is_built_with_cuda is_built_with_gpu_support is_built_with_rocm "
        "is_gpu_available"
    ),
    "running": "StubOutForTesting get_temp_dir main mock test_src_dir_path",
    "test_case": "TestCase",
}

for _module, _names in PUBLIC_NAMES.items():
    for _name in _names.split():
        export_lazy(f"test.{_name}", f"headwater.testing.{_module}", _name)
# Tests import these from tf.contrib.eager as well.
for _name, _function in (
    ("run_test_in_graph_and_eager_modes", "run_in_graph_and_eager_modes"),
    ("run_all_tests_in_graph_and_eager_modes", "run_all_in_graph_and_eager_modes"),
):
    export_lazy(f"contrib.eager.{_name}", "headwater.testing.modes", _function)

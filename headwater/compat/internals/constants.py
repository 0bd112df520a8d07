"""Names, keys and versions that internal modules of TensorFlow hold as values."""

from __future__ import annotations

import re
import unittest
from typing import Any

import numpy as np

from headwater.base import namespace
from headwater.base.dtypes import (
    complex64,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    qint8,
    qint32,
    quint8,
    uint8,
)
from headwater.compat.internals import internal

_CONTRIB = "tensorflow.contrib"
_LEARN = f"{_CONTRIB}.learn.python.learn"

_VALUES: dict[str, Any] = {
    "framework.dtypes.np_resource": np.dtype([("resource", np.ubyte)]),
    "framework.meta_graph.SAVE_AND_RESTORE_OPS": [
        *("SaveV2", "Save", "SaveSlice", "LegacySave", "LegacySaveSlice"),
        *("RestoreV2", "Restore", "RestoreSlice", "LegacyRestore", "LegacyRestoreSlice"),
    ],
    "ops.array_ops.NEW_AXIS": -1,
    "ops.array_ops.SHRINK_AXIS": -2,
    "ops.check_ops.NUMERIC_TYPES": frozenset(
        (float32, float64, int8, int16, int32, int64, uint8, qint8, qint32, quint8, complex64)
    ),
    "platform.control_imports.OSS_APP": True,
    "platform.control_imports.OSS_FLAGS": True,
    "platform.control_imports.OSS_GFILE": True,
    "platform.control_imports.OSS_GOOGLETEST": True,
    "platform.control_imports.OSS_LOGGING": True,
    "platform.control_imports.OSS_PARAMETERIZED": True,
    "platform.control_imports.USE_OSS": True,
    "platform.googletest.defaultTestLoader": unittest.defaultTestLoader,
    "estimator.util.MAX_DIRECTORY_CREATION_ATTEMPTS": 10,
    f"{_CONTRIB}.framework.python.ops.critical_section_ops.CRITICAL_SECTIONS": "critical_sections",
    f"{_CONTRIB}.framework.python.ops.critical_section_ops.CRITICAL_SECTION_EXECUTIONS": (
        "critical_section_executions"
    ),
    f"{_CONTRIB}.image.python.ops.interpolate_spline.EPSILON": 1e-10,
    f"{_CONTRIB}.layers.python.layers.layers.DATA_FORMAT_NCHW": "NCHW",
    f"{_CONTRIB}.layers.python.layers.layers.DATA_FORMAT_NHWC": "NHWC",
    f"{_CONTRIB}.layers.python.layers.layers.DATA_FORMAT_NCDHW": "NCDHW",
    f"{_CONTRIB}.layers.python.layers.layers.DATA_FORMAT_NDHWC": "NDHWC",
    f"{_CONTRIB}.layers.python.layers.normalization.DATA_FORMAT_NCHW": "NCHW",
    f"{_CONTRIB}.layers.python.layers.normalization.DATA_FORMAT_NHWC": "NHWC",
    f"{_CONTRIB}.layers.python.layers.rev_block_lib.LAYER_RE": re.compile(
        ".*revlayer_([0-9]*)/([fg])/.*"
    ),
    f"{_LEARN}.datasets.mnist.DEFAULT_SOURCE_URL": (
        "https://storage.googleapis.com/cvdf-datasets/mnist/"
    ),
    f"{_LEARN}.datasets.text_datasets.DBPEDIA_URL": (
        "https://github.com/le-scientifique/torchDatasets/raw/master/dbpedia_csv.tar.gz"
    ),
    f"{_LEARN}.utils.saved_model_export_utils.DEFAULT_INPUT_ALTERNATIVE_KEY": (
        "default_input_alternative"
    ),
    f"{_LEARN}.utils.saved_model_export_utils.FEATURES_INPUT_ALTERNATIVE_KEY": (
        "features_input_alternative"
    ),
    f"{_LEARN}.utils.saved_model_export_utils.MAX_DIRECTORY_CREATION_ATTEMPTS": 10,
    f"{_CONTRIB}.opt.python.training.elastic_average_optimizer.GLOBAL_VARIABLE_NAME": (
        "global_center_variable"
    ),
    f"{_CONTRIB}.opt.python.training.elastic_average_optimizer.LOCAL_VARIABLE_NAME": (
        "local_center_variable"
    ),
    f"{_CONTRIB}.opt.python.training.model_average_optimizer.GLOBAL_VARIABLE_NAME": (
        "global_center_variable"
    ),
    "summary.text_summary.PLUGIN_NAME": "text",
}

for _path, _value in _VALUES.items():
    internal(_path)(_value)
# The release, as the public namespace tells it.
for _name in ("VERSION", "GIT_VERSION", "COMPILER_VERSION", "CXX11_ABI_FLAG", "MONOLITHIC_BUILD"):
    internal(f"framework.versions.{_name}")(getattr(namespace.root(), _name))

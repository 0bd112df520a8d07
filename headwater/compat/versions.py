"""The release of TensorFlow whose interface Headwater offers."""

from __future__ import annotations

import platform

from headwater.base.export import export_value
from headwater.base.version import API_LEVEL
from headwater.graph.versions import (
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
)

for _name, _value in (
    ("VERSION", API_LEVEL),
    ("GIT_VERSION", f"v{API_LEVEL}"),
    ("COMPILER_VERSION", platform.python_compiler()),
    ("GRAPH_DEF_VERSION", GRAPH_DEF_VERSION),
    ("GRAPH_DEF_VERSION_MIN_CONSUMER", GRAPH_DEF_VERSION_MIN_CONSUMER),
    ("GRAPH_DEF_VERSION_MIN_PRODUCER", GRAPH_DEF_VERSION_MIN_PRODUCER),
):
    export_value(_name, _value)
    export_value(f"version.{_name}", _value)

"""The versions of GraphDefs: of the producer, and the least version of a consumer."""

from __future__ import annotations

# Those of TensorFlow 1.15.
GRAPH_DEF_VERSION = 134
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

"""The release of Headwater; `pyproject.toml` says the same."""

from __future__ import annotations

__version__ = "0.1.0"
# The release of TensorFlow whose interface is offered.
API_LEVEL = "1.15.0"

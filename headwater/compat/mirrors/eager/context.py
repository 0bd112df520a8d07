"""tensorflow.python.eager.context: the answers of a process that builds graphs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from headwater.engine.devices import local_devices
from headwater.graph.default_graph import device
from headwater.graph.device import DeviceSpec
from headwater.graph.execution_mode import executing_eagerly
from headwater.session.process_config import list_devices

__all__ = ["Context", "device", "executing_eagerly", "list_devices"]

GRAPH_MODE, EAGER_MODE = 0, 1
SYNC, ASYNC = 0, 1
DEVICE_PLACEMENT_EXPLICIT, DEVICE_PLACEMENT_WARN = 0, 1
DEVICE_PLACEMENT_SILENT, DEVICE_PLACEMENT_SILENT_FOR_INT32 = 2, 3


in_eager_mode = executing_eagerly


def in_graph_mode() -> bool:
    """Tells whether ops become nodes of a graph; they always do."""
    return True


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """A with block in which ops become nodes of the default graph, as they do everywhere."""
    yield


def eager_mode() -> Any:
    """Would return a with block in which ops run at once.

    Raises:
      RuntimeError: always.
    """
    raise RuntimeError("Headwater has no eager mode: it runs graphs in sessions.")


def num_gpus() -> int:
    """Returns the number of GPUs."""
    return sum(found.device_type == "GPU" for found in local_devices())


def scope_name() -> str:
    """Returns the name scope of eager mode: there is none."""
    return ""


def shared_name(name: str | None = None) -> str | None:
    """Returns the name under which a resource is shared; in a graph it is the given one."""
    return name


def global_seed() -> int | None:
    """Returns the seed of eager mode: there is none."""
    return None


def is_async() -> bool:
    """Tells whether ops of eager mode run in the background."""
    return False


def async_wait() -> None:
    """Waits for ops of eager mode: there are none."""


class Context:
    """The state of eager mode, with what can be asked of it in graph mode too.

    Args:
      config: a ConfigProto or None.
      device_policy: accepted.
      execution_mode: accepted.
    """

    def __init__(
        self, config: Any = None, device_policy: Any = None, execution_mode: Any = None
    ) -> None:
        self.config = config
        self.device_name = self.scope_name = ""
        self.device_spec = DeviceSpec()
        self.summary_writer = self.summary_step = None

    executing_eagerly = staticmethod(executing_eagerly)
    in_eager_mode = staticmethod(executing_eagerly)
    in_graph_mode = staticmethod(in_graph_mode)
    is_async = staticmethod(is_async)
    num_gpus = staticmethod(num_gpus)
    devices = staticmethod(list_devices)

    def ensure_initialized(self) -> None:
        """Looks for devices; nothing else has to be prepared."""


_context = Context()


def context() -> Context:
    """Returns the context of this process."""
    return _context


context_safe = context


def ensure_initialized() -> None:
    """Prepares eager mode: there is nothing to prepare."""

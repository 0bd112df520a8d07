"""tensorflow.python.autograph.impl.api: names of its own; the public ones are in the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.contrib.autograph.conversion import to_code as to_code_v1
from headwater.contrib.autograph.conversion import to_graph as to_graph_v1
from headwater.model.autograph import calls

__all__ = ["tf_convert", "to_code_v1", "to_graph_v1"]


def tf_convert(
    f: Callable[..., Any], ctx: Any, convert_by_default: bool = True, force_conversion: bool = False
) -> Callable[..., Any]:
    """Returns a function converted as a state of conversion says.

    Args:
      f: the function.
      ctx: the state.
      convert_by_default: whether it is if the state does not say.
      force_conversion: accepted.
    """
    status = ctx.status.name
    wanted = status == "ENABLED" or (status == "UNSPECIFIED" and convert_by_default)
    return calls.convert(f) if wanted else f

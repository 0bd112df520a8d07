"""tf_inspect, function_utils and the like: Python's inspect under names of their own."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from headwater.compat.internals import internal


@internal("util.tf_inspect.ArgSpec")
class ArgSpec(NamedTuple):
    """The parameters of a callable, as inspect.getargspec gave them."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


for _name in (
    "FullArgSpec",
    "currentframe",
    "getcallargs",
    "getdoc",
    "getfile",
    "getframeinfo",
    "getmembers",
    "getmodule",
    "getmro",
    "getsource",
    "getsourcefile",
    "getsourcelines",
    "isbuiltin",
    "isclass",
    "isframe",
    "isfunction",
    "isgenerator",
    "isgeneratorfunction",
    "ismethod",
    "ismodule",
    "isroutine",
    "stack",
):
    internal(f"util.tf_inspect.{_name}")(getattr(inspect, _name))

internal("util.tf_contextlib.contextmanager")(contextlib.contextmanager)


@internal("util.tf_inspect.getfullargspec")
def getfullargspec(obj: Any) -> inspect.FullArgSpec:
    """Returns the parameters of a callable, those that a partial has bound left out."""
    if isinstance(obj, functools.partial):
        spec = inspect.getfullargspec(obj.func)
        args = [name for name in spec.args[len(obj.args) :] if name not in obj.keywords]
        count = min(len(spec.defaults or ()), len(args))
        return spec._replace(args=args, defaults=(spec.defaults or ())[-count:] if count else None)
    if not (inspect.isroutine(obj) or inspect.isclass(obj)) and callable(obj):
        obj = type(obj).__call__
    return inspect.getfullargspec(obj)


@internal("util.tf_inspect.getargspec")
def getargspec(obj: Any) -> ArgSpec:
    """Returns the parameters of a callable as (args, varargs, keywords, defaults)."""
    spec = getfullargspec(obj)
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


@internal("util.function_utils.fn_args")
def fn_args(fn: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of the parameters that a call may give, `self` left out.

    Raises:
      ValueError: if `fn` is not callable.
    """
    if not callable(fn):
        raise TypeError("unsupported callable")
    names = getfullargspec(fn).args
    target = fn.func if isinstance(fn, functools.partial) else fn
    is_method = inspect.ismethod(target) or not inspect.isroutine(target)
    return tuple(names[1:] if is_method and names[:1] == ["self"] else names)


@internal("util.all_util.remove_undocumented")
def remove_undocumented(
    module_name: str,
    allowed_exception_list: Any = None,
    doc_string_modules: Any = None,
) -> None:
    """Hid undocumented names of a module of TensorFlow; leaves the caller's as it is."""


@internal("util.all_util.make_all")
def make_all(module_name: str, doc_string_modules: Any = None) -> list[str]:
    """Returns the names of a module without a leading underscore."""
    module = __import__(module_name, fromlist=["__name__"])
    return sorted(name for name in vars(module) if not name.startswith("_"))


@internal("tf2.enabled")
def enabled() -> bool:
    """Tells whether the behaviour of TensorFlow 2 is on; it never is."""
    return False

"""tf_inspect, function_utils and related modules: wrappers of Python's inspect."""

from __future__ import annotations

import contextlib
import functools
import inspect
from typing import Any, NamedTuple

from headwater.base.arguments import fn_args, getfullargspec, has_kwargs
from headwater.base.decorators import unwrap
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

internal("util.tf_inspect._inspect")(inspect)
internal("util.tf_contextlib.contextmanager")(contextlib.contextmanager)


internal("util.tf_inspect.getfullargspec")(getfullargspec)
internal("util.function_utils.fn_args", "estimator.util.fn_args")(fn_args)
internal("util.function_utils.has_kwargs")(has_kwargs)


@internal("util.tf_inspect.getargspec")
def getargspec(obj: Any) -> ArgSpec:
    """Returns the parameters of a callable as (args, varargs, keywords, defaults)."""
    spec = getfullargspec(obj)
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def _code_of(func: Any) -> Any:
    _, target = unwrap(func)
    if not callable(target):
        raise ValueError("Argument must be callable")
    return getattr(target, "__code__", None)


@internal("util.function_utils.get_func_code")
def get_func_code(func: Any) -> Any:
    """Returns the code object of a function, None for other callables.

    Raises:
      ValueError: if `func` is not callable.
    """
    return _code_of(func)


@internal("util.function_utils.get_func_name")
def get_func_name(func: Any) -> str:
    """Returns the name of a function, or of the class of another callable.

    Raises:
      ValueError: if `func` is not callable.
    """
    _code_of(func)
    _, target = unwrap(func)
    if isinstance(target, functools.partial) or not hasattr(target, "__name__"):
        return str(type(target))
    return str(target.__name__)


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

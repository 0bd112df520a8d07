"""Converts functions, and what they call when they call it."""

from __future__ import annotations
import __future__

import ast
import builtins
import functools
import inspect
import sys
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, SimpleNamespace
from typing import Any

from headwater.base import dtypes
from headwater.graph import Tensor, shape_tensor
from headwater.model.autograph import operators
from headwater.model.autograph.converter import CannotConvert, converted
from headwater.model.autograph.source import class_name, tree_of
from headwater.ops.control.print_v2 import print_v2
from headwater.ops.math.cast import cast
from headwater.ops.math.extrema import maximum
from headwater.ops.math.ranges import range_

_UNCONVERTED = "_headwater_unconverted"
# Libraries whose functions have no control flow over tensors of ours.
_LEFT_ALONE = sys.stdlib_module_names | {
    "PIL", "absl", "google", "h5py", "headwater", "jax", "matplotlib", "numpy", "pandas", "pytest",
    "_pytest", "scipy", "six", "sklearn", "tensorboard", "tensorflow", "tqdm", "wrapt",
}  # fmt: skip
_FUTURE = __future__.annotations.compiler_flag
# The code of functions made here, which is not converted again.
_made: weakref.WeakSet[CodeType] = weakref.WeakSet()
_known: weakref.WeakKeyDictionary[CodeType, dict[bool, CodeType | None]] = (
    weakref.WeakKeyDictionary()
)


def leave_alone(function: Any) -> Any:
    """Marks a function that is not converted when it is called; returns it."""
    setattr(function, _UNCONVERTED, True)
    return function


def convert(function: Callable[..., Any], recursive: bool = True) -> Callable[..., Any]:
    """A function whose control flow may depend on tensors.

    Args:
        function: a function, a method, a partial, or an object with `__call__`.
        recursive: whether the functions that it calls are converted too.

    Returns:
        The converted one; `function` itself if there is nothing to convert.
    """
    if isinstance(function, functools.partial):
        inner = convert(function.func, recursive)
        return functools.partial(inner, *function.args, **function.keywords)
    if isinstance(function, MethodType):
        inner = convert(function.__func__, recursive)
        return function if inner is function.__func__ else MethodType(inner, function.__self__)
    if isinstance(function, FunctionType):
        return _converted_function(function, recursive)
    call = inspect.getattr_static(type(function), "__call__", None)
    if isinstance(function, type) or not isinstance(call, FunctionType):
        return function
    inner = _converted_function(call, recursive)
    return function if inner is call else MethodType(inner, function)


def _converted_function(function: FunctionType, recursive: bool) -> FunctionType:
    module = str(function.__globals__.get("__name__", ""))
    if module.partition(".")[0] in _LEFT_ALONE or getattr(function, _UNCONVERTED, False):
        return function
    code = function.__code__
    if code in _made or inspect.iscoroutinefunction(function):
        return function
    variants = _known.setdefault(code, {})
    if recursive not in variants:
        variants[recursive] = _converted_code(function, recursive)
    new_code = variants[recursive]
    return function if new_code is None else _with_code(function, new_code)


def definition(function: FunctionType, recursive: bool = True) -> ast.FunctionDef | None:
    """The syntax tree of a converted function; None if it cannot be converted."""
    node = tree_of(function)
    if node is None:
        return None
    try:
        return converted(node, recursive, class_name(function.__qualname__))
    except CannotConvert:
        return None


def _converted_code(function: FunctionType, recursive: bool) -> CodeType | None:
    node = definition(function, recursive)
    if node is None:
        return None
    code = function.__code__
    # A function around it makes its free variables free again.
    outer = ast.parse(f"def ag__outer({', '.join(['ag__', *code.co_freevars])}): pass")
    body: list[ast.stmt] = [node]
    if node.name not in code.co_freevars:
        # A function of a module that calls itself means the name in the module.
        body.insert(0, ast.copy_location(ast.Global([node.name]), node))
    outer.body[0].body = body  # type: ignore[attr-defined]
    flags = code.co_flags & _FUTURE
    try:
        compiled = compile(outer, code.co_filename, "exec", flags, dont_inherit=True)
    except SyntaxError:  # such as a name that is global in one place and local in another
        return None
    made = next(c for c in _codes_of(compiled) if c.co_name == node.name)
    _made.update((made, *_codes_below(made)))
    return made


def _codes_of(module: CodeType) -> list[CodeType]:
    outer = next(c for c in module.co_consts if isinstance(c, CodeType))
    return [c for c in outer.co_consts if isinstance(c, CodeType)]


def _codes_below(code: CodeType) -> list[CodeType]:
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return inner + [each for found in inner for each in _codes_below(found)]


def _with_code(function: FunctionType, code: CodeType) -> FunctionType:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells["ag__"] = CellType(OPERATORS)
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    functools.update_wrapper(made, function)
    return made


# Calls


def converted_call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Calls what a converted function calls: builtins for tensors, functions converted."""
    if isinstance(function, (BuiltinFunctionType, type)):
        return called(function, *args, **kwargs)
    return convert(function)(*args, **kwargs)


def called(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Calls a function; builtins take tensors."""
    replacement = _for_tensors(function)
    if replacement is not None and any(isinstance(arg, Tensor) for arg in args):
        return replacement(*args, **kwargs)
    return function(*args, **kwargs)


def _for_tensors(function: Any) -> Callable[..., Any] | None:
    try:
        return _BUILTINS.get(function)
    except TypeError:  # not hashable
        return None


def _length(value: Tensor) -> Any:
    shape = value.shape
    if shape.ndims == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {shape}")
    known = shape[0].value if shape.ndims is not None else None
    return shape_tensor(value)[0] if known is None else known


def _print(*args: Any, sep: str = " ", end: str = "\n", file: Any = None, **_: Any) -> Any:
    stream = sys.stderr if file is sys.stderr else sys.stdout
    return print_v2(*args, sep=sep, end=end, output_stream=stream)


def _range(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """`tf.range` that is empty, as that of Python, where it would be an error."""
    if stop is None:
        start, stop = 0, start
    return range_(start, maximum(start, stop) if step == 1 else stop, step)


_BUILTINS: dict[Any, Callable[..., Any]] = {
    builtins.float: lambda value: cast(value, dtypes.float32),
    builtins.int: lambda value: cast(value, dtypes.int32),
    builtins.len: _length,
    builtins.print: _print,
    builtins.range: _range,
}

# What the converted functions see as `ag__`.
OPERATORS = SimpleNamespace(
    Undefined=operators.Undefined,
    and_=operators.and_,
    attribute=operators.attribute,
    called=called,
    converted_call=converted_call,
    for_stmt=operators.for_stmt,
    if_exp=operators.if_exp,
    if_stmt=operators.if_stmt,
    not_=operators.not_,
    or_=operators.or_,
    result=operators.result,
    undefined=operators.undefined,
    undefined_result=operators.undefined_result,
    while_stmt=operators.while_stmt,
)

"""The modules below `tensorflow` while the import hook is installed."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from types import ModuleType
from typing import Any

from headwater.base import namespace
from headwater.base.export import exported_names
from headwater.base.version import API_LEVEL
from headwater.compat.internals import all_internals
from headwater.compat.mirrors import mirror_of, mirrored_paths
from headwater.compat.old_paths import is_above, present_path
from headwater.compat.path_table import (
    imported_modules,
    mirrors_root,
    packages,
    public_names,
)
from headwater.compat.replacements import Replacements
from headwater.graph import build
from headwater.graph.registry import op_types
from headwater.protos.original_modules import ORIGINAL_MODULES, load_original

MISSING: Any = object()

# Internal modules that are aliases of a public module with another name.
_TWINS = {
    "tensorflow.python": "",
    "tensorflow.python.ops.standard_ops": "",
    "tensorflow.python.framework.errors_impl": "errors",
    "tensorflow.python.platform.tf_logging": "logging",
    "tensorflow.python.summary.summary": "summary",
    "tensorflow.python.training.training": "train",
}
# Modules that libraries import at their start; what they define is missing, and an error says so
# when it is used: tensorflow_probability's auto-batching, tensorflow_estimator on TPUs.
_IMPORTED_ONLY = frozenset(
    f"tensorflow.{name}"
    for name in (
        "core.protobuf.tpu.compilation_result_pb2",
        "python.autograph.converters.break_statements",
        "python.autograph.converters.continue_statements",
        "python.autograph.converters.return_statements",
        "python.autograph.pyct.common_transformers.anf",
        "python.autograph.pyct.compiler",
        "python.autograph.pyct.parser",
        "python.autograph.pyct.qual_names",
        "python.autograph.pyct.templates",
        "python.tpu.functional",
        "python.tpu.preempted_hook",
        "python.tpu.session_support",
        "python.tpu.tensor_tracer",
        "python.tpu.tpu_embedding_gradient",
        "python.tpu.tpu_function",
        "python.tpu.tpu_system_metadata",
    )
)
# Generated functions have modules of their own and are visible in those that import them.
_CONTRIB_OPS = r"contrib\.(\w+)\.(python\.)?ops"
_GENERATED = re.compile(
    rf"tensorflow\.(python\.(ops\.gen_\w+_ops|framework\.test_ops)|{_CONTRIB_OPS}\.gen_\w+_ops)"
)
_WITH_GENERATED = re.compile(
    rf"tensorflow\.(python\.(ops|training|framework)|{_CONTRIB_OPS})\.\w+_ops"
)
_OF_CONTRIB = re.compile(rf"tensorflow\.{_CONTRIB_OPS}(\.gen_\w+_ops)?")
# Modules that registered gradients when they were imported, and have nothing else.
_GRADIENTS = re.compile(r"tensorflow\.python\.ops\.\w+_grad")


def find_public(name: str) -> Any:
    """Returns the object of a dotted public name ("" is the root), or `MISSING`."""
    value: Any = namespace.root()
    parts = name.split(".") if name else []
    if parts and parts[0] in _private_folders():
        return MISSING
    for part in parts:
        value = getattr(value, part, MISSING)
        if value is MISSING or isinstance(value, InternalModule):
            return MISSING
    return value


@functools.cache
def _private_folders() -> frozenset[str]:
    """Returns the folders of the package that are not modules of the public namespace."""
    names = (*exported_names(), *namespace.waiting_modules())
    public = {name.partition(".")[0] for name in names if "." in name}
    return frozenset(
        {module.name for module in pkgutil.iter_modules(namespace.root().__path__)} - public
    )


def _for_star_import(module: ModuleType) -> list[str]:
    """The names that `from module import *` binds: those that exist here."""
    names = [name for name in dir(module) if not name.startswith("_")]
    return [name for name in names if getattr(module, name, MISSING) is not MISSING]


class RootModule(ModuleType):
    """The whole public namespace under another module name, with TensorFlow's version."""

    def __init__(self, name: str) -> None:
        super().__init__(name, namespace.root().__doc__)
        self.__version__ = API_LEVEL
        self.__git_version__ = find_public("GIT_VERSION")
        self.__compiler_version__ = find_public("COMPILER_VERSION")
        self.__cxx11_abi_flag__ = self.__monolithic_build__ = 0
        self.__file__ = namespace.root().__file__
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return _for_star_import(self)
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = find_public(name)
        path = f"tensorflow.{name}"
        if value is MISSING and is_internal_module(path):  # `tf.python`, `tf.core`
            value = importlib.import_module(path)
        if value is MISSING:
            raise AttributeError(
                f"module {self.__name__!r} has no attribute {name!r}. "
                f"Headwater has no tf.{name} yet"
            )
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(namespace.root())})


class InternalModule(ModuleType):
    """An internal module whose attributes are looked up at their first use.

    A function that is set as an attribute also replaces the one that the package itself calls. That
    does not hold for packages, which only show the functions of their modules.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, "Stands for a module of TensorFlow's own; see the public names.")
        self.__path__: list[str] = []
        self.__dict__["_replacements"] = Replacements()

    def __setattr__(self, name: str, value: Any) -> None:
        shows_others = self.__name__ in packages() or self.__name__ in _TWINS
        if not (name.startswith("__") or isinstance(value, ModuleType) or shows_others):
            self.__dict__["_replacements"].replace(name, getattr(self, name, MISSING), value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self.__dict__["_replacements"].restore(name)
        super().__delattr__(name)

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return _for_star_import(self)
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = _internal_attribute(self.__name__, name)
        if value is MISSING:
            raise AttributeError(
                f"module {self.__name__!r} has no attribute {name!r}. "
                + why_missing(f"{self.__name__}.{name}")
            )
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        names = {*super().__dir__(), *public_names().get(self.__name__, {})}
        prefix = self.__name__ + "."
        for path in (*all_internals(), *mirrored_paths(), *public_names(), *ORIGINAL_MODULES):
            if path.startswith(prefix):
                names.add(path[len(prefix) :].split(".")[0])
        names.update(name for name in dir(mirror_of(self.__name__)) if not name.startswith("_"))
        return sorted(names)


def _internal_attribute(module: str, name: str) -> Any:
    path = f"{module}.{name}"
    value = all_internals().get(path, MISSING)
    if value is not MISSING:
        return value
    value = getattr(mirror_of(module), name, MISSING)
    if value is not MISSING and value is not Any:  # `Any` is an op, too
        return value
    if path in mirrored_paths() or path in _modules_with_internals():
        return importlib.import_module(path)
    for candidate in public_names().get(module, {}).get(name, ()):
        value = find_public(candidate)
        if value is not MISSING:
            return value
    value = _imported_module(module, name)
    if value is not MISSING:
        return value
    if is_internal_module(path):
        return importlib.import_module(path)
    for candidate in _twin_names(module):
        twin = find_public(candidate)
        if isinstance(twin, ModuleType):
            value = getattr(twin, name, MISSING)
            if value is not MISSING:
                return value
    value = MISSING
    if mirrors_root(module) and not _GENERATED.fullmatch(module):
        value = find_public(name)
    if value is MISSING and _WITH_GENERATED.fullmatch(module):
        value = _generated_function(name)
    if value is MISSING:
        # `tensorflow.python.ops`, the package, may stand for the module that hides it.
        package, _, last = module.rpartition(".")
        value = getattr(_imported_module(package, last), name, MISSING)
    return value


def _imported_module(module: str, name: str) -> Any:
    """Returns the module that an internal module imports by a name, or `MISSING`."""
    path = imported_modules().get(module, {}).get(name)
    if path is None:
        return MISSING
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:  # one that Headwater does not have
        return MISSING


@functools.cache
def _modules_with_internals() -> frozenset[str]:
    """Returns the internal modules that have more names than a public module."""
    return frozenset(path.rpartition(".")[0] for path in all_internals())


def _twin_names(module: str) -> list[str]:
    """Returns the names of public modules that may have the names of an internal one."""
    if module in _TWINS:
        return [_TWINS[module]]
    parts = module.split(".")[1:]
    if parts[0] == "contrib":
        names = [f"contrib.{parts[1]}.{parts[-1]}", f"contrib.{parts[1]}"]
    else:
        names = [".".join(parts[start:]) for start in range(1, len(parts))]
    return [name for name in names if isinstance(find_public(name), ModuleType)]


def _generated_function(name: str) -> Any:
    """Returns the builder of the op whose generated function has this name."""
    letters = name.strip("_").replace("_", "").lower()
    for op_type in sorted(op_types()):
        if op_type.lower() == letters:
            return getattr(build, op_type)
    return MISSING


def is_internal_module(path: str) -> bool:
    """Tells whether TensorFlow has (or had) an internal module of this path."""
    if path in public_names() or path in _TWINS or path in ORIGINAL_MODULES:
        return True
    if path in _IMPORTED_ONLY:
        return True
    if path in mirrored_paths():
        return True
    of_contrib = _OF_CONTRIB.fullmatch(path)
    if of_contrib and isinstance(find_public(f"contrib.{of_contrib[1]}"), ModuleType):
        return True
    if path in packages() and "python" in path.split("."):
        return True
    prefix = path + "."
    known_paths = (*all_internals(), *mirrored_paths(), *ORIGINAL_MODULES, *_IMPORTED_ONLY)
    if any(known.startswith(prefix) for known in known_paths):
        return True
    if path.rpartition(".")[0] not in packages():
        return False
    return bool(_GENERATED.fullmatch(path) or _GRADIENTS.fullmatch(path) or _twin_names(path))


def make_module(path: str) -> ModuleType | None:
    """Returns the module of a path that begins with "tensorflow", or None."""
    if path == "tensorflow":
        return RootModule(path)
    if path in ORIGINAL_MODULES:
        return load_original(path)
    present = present_path(path)
    if present is not None:
        return importlib.import_module(present)
    name = path.removeprefix("tensorflow.")
    value = find_public(name)
    if isinstance(value, ModuleType):
        if not hasattr(value, "__path__"):
            value.__path__ = []  # so that modules below it can be imported
        return value
    if callable(value) and path not in public_names() and path not in mirrored_paths():
        # A module would take the place of the function or class in its package.
        return None
    return InternalModule(path) if is_internal_module(path) or is_above(path) else None


def why_missing(path: str) -> str:
    """Returns the error message for a name below `tensorflow` that does not exist.

    It has no full stop because Python may append a suggestion.
    """
    module, _, name = path.rpartition(".")
    names = public_names().get(module, {}).get(name)
    if names:
        return f"Headwater has no tf.{names[0]} yet"
    if "python" in path.split("."):
        return (
            f"Headwater has no {path} yet, an internal name of TensorFlow; "
            "a public name of the same thing may work"
        )
    return f"Headwater has no {path.replace('tensorflow', 'tf', 1)} yet"

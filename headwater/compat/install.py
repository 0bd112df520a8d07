"""Makes `import tensorflow` mean Headwater, in this process only."""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from types import FrameType, ModuleType

from headwater.compat import (
    estimator_package,
    h5py_names,
    matplotlib_names,
    numpy_names,
    pandas_names,
    pillow_names,
    protobuf_modules,
    python_names,
    scipy_names,
    sklearn_names,
    tensorboard_names,
)
from headwater.compat.modules import make_module, why_missing
from headwater.compat.old_paths import OTHER_ROOT
from headwater.compat.path_table import packages, public_names

_ROOT = "tensorflow"
# What gives Python and libraries back the names that old programs use.
_NAMES = (
    numpy_names,
    python_names,
    h5py_names,
    pillow_names,
    scipy_names,
    pandas_names,
    matplotlib_names,
    sklearn_names,
    tensorboard_names,
    protobuf_modules,
)


class _Loader(Loader):
    """Loads an existing module, or a lazy one, under the imported name."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        # A module that exists keeps its own spec: the import system gets a blank one to mark, and
        # exec_module puts the right one in its place.
        return None if self._module.__spec__ is not None else self._module

    def exec_module(self, module: ModuleType) -> None:
        if module is not self._module:
            assert module.__spec__ is not None
            sys.modules[module.__spec__.name] = self._module


class TensorFlowFinder(MetaPathFinder):
    """Finds `tensorflow` and everything below it; a TensorFlow on sys.path is never reached."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Returns the spec of a module below `tensorflow`, None for any other name.

        Raises:
          ModuleNotFoundError: if Headwater has no such module.
        """
        root = fullname.partition(".")[0]
        if root == estimator_package.ROOT:
            module = estimator_package.module_of(fullname)
            return None if module is None else _spec(fullname, module)
        if root not in (_ROOT, OTHER_ROOT):
            return None
        module = make_module(fullname)
        if module is None:
            package, _, name = fullname.rpartition(".")
            what = f"No module named {fullname!r}"
            if package in public_names() and package not in packages():
                what = f"cannot import name {name!r} from {package!r}"
            # With the missing module as `name`, `from package import name` would drop the text.
            missing = fullname.replace(_ROOT, "headwater", 1) if _in_from_import() else fullname
            raise ModuleNotFoundError(f"{what}. {why_missing(fullname)}.", name=missing)
        return _spec(fullname, module)


def _in_from_import() -> bool:
    """Whether the module that is looked for stands in the list of a `from package import`."""
    frame: FrameType | None = sys._getframe(2)  # `find_spec` is called by the import machinery
    while frame is not None and frame.f_globals.get("__name__", "").startswith("importlib."):
        if frame.f_code.co_name == "_handle_fromlist":
            return True
        frame = frame.f_back
    return False


def _spec(fullname: str, module: ModuleType) -> importlib.machinery.ModuleSpec:
    return importlib.machinery.ModuleSpec(
        fullname, _Loader(module), origin="headwater", is_package=True
    )


def _installed_finder() -> TensorFlowFinder | None:
    for finder in sys.meta_path:
        if isinstance(finder, TensorFlowFinder):
            return finder
    return None


def install() -> None:
    """Makes `import tensorflow` and its submodules resolve to Headwater.

    Names that Python and libraries have removed since, such as `collections.Mapping`, `np.float`
    and `scipy.misc.imread`, are restored, and modules of messages that old releases of protoc wrote
    can be imported. The effect ends with this process; an installed TensorFlow is neither imported
    nor changed.

    Raises:
      RuntimeError: if the process has imported TensorFlow itself before.
    """
    if _installed_finder() is not None:
        return
    present = sys.modules.get(_ROOT)
    if present is not None:
        where = getattr(present, "__file__", None) or "an unknown place"
        raise RuntimeError(
            f"This process has already imported TensorFlow from {where}. "
            "Call headwater.install() before the first `import tensorflow`."
        )
    sys.meta_path.insert(0, TensorFlowFinder())
    for names in _NAMES:
        names.add()


def uninstall() -> None:
    """Undoes `install`; modules that were imported meanwhile keep working."""
    finder = _installed_finder()
    if finder is None:
        return
    sys.meta_path.remove(finder)
    for names in _NAMES:
        names.remove()
    roots = (_ROOT, OTHER_ROOT, estimator_package.ROOT)
    for name in [name for name in sys.modules if name.partition(".")[0] in roots]:
        del sys.modules[name]

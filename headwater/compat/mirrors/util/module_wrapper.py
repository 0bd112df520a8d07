"""tensorflow.python.util.module_wrapper: modules that load names when they are asked for them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any

__all__ = ["TFModuleWrapper"]


class TFModuleWrapper(ModuleType):
    """Stands for a module; its names are those of the module and of a table.

    Args:
        wrapped: the module.
        module_name: the name of the module in the public interface.
        public_apis: by name, where it is defined: pairs of a module and a name in it; or None.
        deprecation: has no effect: deprecated names are not announced.
        has_lite: has no effect.
    """

    def __init__(
        self,
        wrapped: ModuleType,
        module_name: str,
        public_apis: Mapping[str, tuple[str, str]] | None = None,
        deprecation: bool = True,
        has_lite: bool = False,
    ) -> None:
        super().__init__(wrapped.__name__)
        # What Python itself reads of a module: __file__, __path__, __spec__.
        self.__dict__.update(wrapped.__dict__)
        self.__dict__["_tfmw_wrapped_module"] = wrapped
        self.__dict__["_tfmw_public_apis"] = dict(public_apis or {})
        if public_apis:
            self.__dict__["__all__"] = list(public_apis)

    def __getattr__(self, name: str) -> Any:
        place = self.__dict__.get("_tfmw_public_apis", {}).get(name)
        if place is None:
            return getattr(self.__dict__["_tfmw_wrapped_module"], name)
        module, attribute = place
        value = importlib.import_module(module)
        if attribute:
            value = getattr(value, attribute)
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value
        setattr(self.__dict__["_tfmw_wrapped_module"], name, value)

    def __dir__(self) -> list[str]:
        return [*self.__dict__["_tfmw_public_apis"], *dir(self.__dict__["_tfmw_wrapped_module"])]

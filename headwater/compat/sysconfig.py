"""`tf.sysconfig`: the folder of the package, and compiler flags for ops in C++."""

from __future__ import annotations

from pathlib import Path

from headwater.base.export import export, export_value

_ROOT = str(Path(__file__).resolve().parent.parent)

CXX11_ABI_FLAG = 0
MONOLITHIC_BUILD = 0

for _name, _value in (("CXX11_ABI_FLAG", CXX11_ABI_FLAG), ("MONOLITHIC_BUILD", MONOLITHIC_BUILD)):
    export_value(_name, _value)
    export_value(f"sysconfig.{_name}", _value)


@export("sysconfig.get_include")
def get_include() -> str:
    """The folder of the header files, of which there are none."""
    return f"{_ROOT}/include"


@export("sysconfig.get_lib")
def get_lib() -> str:
    """The folder of the package."""
    return _ROOT


@export("sysconfig.get_compile_flags")
def get_compile_flags() -> list[str]:
    """The flags with which the compiler would find the header files."""
    return [f"-I{get_include()}", f"-D_GLIBCXX_USE_CXX11_ABI={CXX11_ABI_FLAG}"]


@export("sysconfig.get_link_flags")
def get_link_flags() -> list[str]:
    """The flags with which the linker would find the package; it has no library in C++."""
    return [f"-L{get_lib()}"]

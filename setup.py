"""Builds the optional native kernels; all else that setuptools needs is in pyproject.toml."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib import metadata
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# The headers of XLA's foreign function interface and of NumPy, and oneDNN for GNU OpenMP.
REQUIREMENTS = [
    "jaxlib>=0.6.2",
    "numpy>=2.0",
    "onednn-cpu-gomp==2023.2.0",
    "onednn-devel-cpu-gomp==2023.2.0",
]
LIBRARY = "libdnnl.so.3"
# What of oneDNN's distribution goes beside the kernels, and under which name.
BESIDE = {
    f"lib/{LIBRARY}": LIBRARY,
    "doc/onednn/LICENSE": "oneDNN-LICENSE",
    "doc/onednn/THIRD-PARTY-PROGRAMS": "oneDNN-THIRD-PARTY-PROGRAMS",
}
FOLDER = Path("headwater/native")


def files(*names: str) -> list[str]:
    """The paths of sources."""
    return [f"headwater/native/{name}" for name in names]


def can_build() -> bool:
    """Whether this platform has oneDNN's library, and this machine a compiler."""
    compiler = os.environ.get("CXX") or sysconfig.get_config_var("CXX") or "g++"
    return (
        os.environ.get("HEADWATER_NATIVE") != "0"
        and sys.platform == "linux"
        and platform.machine() == "x86_64"
        and shutil.which(compiler.split()[0]) is not None
    )


def can_fetch() -> bool:
    """Whether pip finds oneDNN: otherwise requiring it would make the installation fail."""
    try:
        metadata.version("onednn-devel-cpu-gomp")
        return True
    except metadata.PackageNotFoundError:
        pass
    # pip is not on the path of an isolated build.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--retries=1",
            "--no-deps",
            "-d",
            folder,
        ]
        tried = subprocess.run(
            [*command, REQUIREMENTS[-1]], env=environment, capture_output=True, text=True
        )
    return tried.returncode == 0 or "No module named pip" in tried.stderr


def installed_file(distribution: str, ending: str) -> Path:
    """The file of an installed distribution whose path has this ending."""
    for file in metadata.files(distribution) or ():
        path = Path(str(file.locate())).resolve()
        if str(path).endswith(ending):
            return path
    raise FileNotFoundError(f"{distribution} has no {ending}")


class BuildNative(build_ext):
    """Builds the kernels with oneDNN's library beside them; without them if anything fails."""

    def build_extensions(self) -> None:
        self.extensions = [e for e in self.extensions if self._build(e)]

    def _build(self, extension: Extension) -> bool:
        """Builds an extension; tells whether it could."""
        try:
            if extension is kernels:
                self._find_libraries(extension)
            else:
                header = installed_file("numpy", "include/numpy/arrayobject.h")
                extension.include_dirs.append(str(header.parents[1]))
            self.build_extension(extension)
            if extension is kernels:
                _place_library(Path(self.get_ext_fullpath(extension.name)).parent)
            return True
        except Exception as error:
            self.warn(f"Headwater is installed without {extension.name}: {error}")
            return False

    def copy_extensions_to_source(self) -> None:
        super().copy_extensions_to_source()
        if kernels in self.extensions:
            _place_library(FOLDER)

    def _find_libraries(self, extension: Extension) -> None:
        dnnl = installed_file("onednn-devel-cpu-gomp", "include/oneapi/dnnl/dnnl.hpp")
        ffi = installed_file("jaxlib", "include/xla/ffi/api/ffi.h")
        extension.include_dirs += [str(dnnl.parents[2]), str(ffi.parents[3])]
        extension.extra_link_args += [str(installed_file("onednn-cpu-gomp", f"lib/{LIBRARY}"))]


def _place_library(folder: Path) -> None:
    for ending, name in BESIDE.items():
        shutil.copyfile(installed_file("onednn-cpu-gomp", ending), folder / name)


# Without contraction the results are those of the other forms, bit for bit.
OPTIONS = "-O3 -std=c++17 -ffp-contract=off -fvisibility=hidden -w".split()

kernels = Extension(
    "headwater.native.kernels",
    files("adam.cc", "bindings.cc", "convolution.cc", "examples.cc", "product.cc", "resize.cc"),
    depends=files("adam.h", "buffers.h", "convolution.h", "one_thread.h", "product.h", "workers.h"),
    language="c++",
    extra_compile_args=[*OPTIONS, "-fopenmp", "-fno-math-errno"],
    extra_link_args=["-fopenmp", "-Wl,-rpath,$ORIGIN"],
)
# A library of its own: loading oneDNN takes 8 ms.
host = Extension(
    "headwater.native.host",
    files("boxes.cc", "host.cc", "optimizers.cc", "paths.cc", "random.cc", "rows.cc", "words.cc"),
    depends=files("arrays.h", "indices.h"),
    language="c++",
    extra_compile_args=[*OPTIONS, "-fno-math-errno"],
)

builds = can_build() and can_fetch()
setup(
    ext_modules=[kernels, host] if builds else [],
    cmdclass={"build_ext": BuildNative},
    setup_requires=REQUIREMENTS if builds else [],
)

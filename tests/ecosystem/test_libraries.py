"""Libraries that were written for TensorFlow, unmodified, from the package registry.

    pytest -m ecosystem

Each library is installed into a temporary folder; its program trains, checks what it learned,
saves and restores, and prints numbers, which are compared with those of TensorFlow 1.15.5.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.ecosystem.libraries import LIBRARIES
from tests.ecosystem.running import install, run_with_headwater


def assert_close(found, wanted, tolerance, where=""):
    """Compares numbers up to a tolerance, and everything else exactly."""
    if isinstance(wanted, dict):
        assert sorted(found) == sorted(wanted), where
        for key in wanted:
            assert_close(found[key], wanted[key], tolerance, f"{where}/{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for i, item in enumerate(wanted):
            assert_close(found[i], item, tolerance, f"{where}/{i}")
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=tolerance, abs=tolerance), where
    else:
        assert found == wanted, where


@pytest.mark.ecosystem
@pytest.mark.timeout(600)
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_library(library, tmp_path):
    # A folder that is kept saves the installation of the next run.
    folder = Path(os.environ.get("HEADWATER_LIBRARIES", tmp_path)) / library.name
    install(library, folder)
    result, _ = run_with_headwater(library, folder)
    golden = json.loads(library.golden.read_text(encoding="utf-8"))
    assert_close(result, golden["result"], library.tolerance)


def test_every_library_has_its_files():
    for library in LIBRARIES:
        name, _, version = library.name.rpartition("-")
        pins = library.requirements.read_text(encoding="utf-8").splitlines()
        assert f"{name}=={version}" in pins
        assert library.source.exists()
        assert library.golden.exists()
    programs = {path.stem for path in LIBRARIES[0].source.parent.glob("*.py")}
    assert programs == {library.program for library in LIBRARIES}

"""A real browser for the tests of pages."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--disable-dev-shm-usage --window-size=1400,1000"
)


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    program = shutil.which("chromium") or shutil.which("google-chrome")
    driver_program = shutil.which("chromedriver")
    if not program or not driver_program:
        pytest.skip("needs chromium and chromedriver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    found = webdriver.Chrome(options=options, service=Service(driver_program))
    try:
        yield found
    finally:
        found.quit()


@pytest.fixture(scope="session")
def screenshot(driver):
    """Keeps a picture of the page if the environment names a folder for it."""

    def keep(name):
        folder = os.environ.get("HEADWATER_SCREENSHOTS")
        if folder:
            driver.save_screenshot(str(Path(folder, f"{name}.png")))

    return keep

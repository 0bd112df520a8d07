"""TensorBoard shows what a program has written, in a real browser."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.network, pytest.mark.timeout(300)]

PROGRAM = Path(__file__).with_name("program.py")
# Walks the page and all that is in shadow roots and frames.
WALK = """
function walk(node, visit) {
  if (!node) return;
  if (node.nodeType === 1) {
    if (['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT'].includes(node.tagName)) return;
    if (node.shadowRoot) walk(node.shadowRoot, visit);
    if (node.tagName === 'IFRAME') walk(node.contentDocument.body, visit);
  }
  visit(node);
  for (const child of node.childNodes) walk(child, visit);
}
const found = [];
"""
TEXTS = """
walk(document.body, node => {
  if (node.nodeType === 3 && node.textContent.trim()) found.push(node.textContent.trim());
});
return found;
"""
ELEMENTS = """
const [selector, text] = arguments;
walk(document.body, node => {
  if (node.nodeType !== 1 || !node.matches(selector)) return;
  if (text === null || node.textContent.trim() === text) found.push(node);
});
return found;
"""
SIZES = "return arguments[0].map(image => [image.naturalWidth, image.naturalHeight]);"


def run(*words, **options):
    command = [sys.executable, "-m", "headwater", *map(str, words)]
    return subprocess.run(command, check=True, timeout=200, **options)


@pytest.fixture(scope="module")
def logdir(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    run("run", PROGRAM, folder)
    return folder


@pytest.fixture(scope="module")
def url(logdir):
    """The address of a TensorBoard of the folder."""
    command = [sys.executable, "-m", "headwater", "tensorboard", "--logdir", str(logdir)]
    command += ["--host", "127.0.0.1", "--port", "0", "--reload_interval", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            lines = []
            for line in server.stderr:
                lines.append(line)
                match = re.search(r"http://[\d.]+:\d+/", line)
                if match:
                    yield match[0]
                    break
            else:
                pytest.fail("TensorBoard did not start:\n" + "".join(lines))
        finally:
            server.terminate()
            server.stderr.read()


class Browser:
    """Chromium on a page of TensorBoard."""

    def __init__(self, driver, url, screenshot):
        self.driver = driver
        self.url = url
        self.screenshot = screenshot

    def open(self, tab):
        self.driver.get("about:blank")
        self.driver.get(f"{self.url}#{tab}")

    def texts(self):
        return self.driver.execute_script(WALK + TEXTS)

    def elements(self, selector, text=None):
        return self.driver.execute_script(WALK + ELEMENTS, selector, text)

    def click(self, element, event="click"):
        script = "arguments[0].dispatchEvent(new MouseEvent(arguments[1], {bubbles: true}))"
        self.driver.execute_script(script, element, event)

    def wait(self, condition, what):
        """Waits until a function gives something, and returns that."""
        until = time.monotonic() + 60
        while True:
            result = condition()
            if result:
                return result
            if time.monotonic() > until:
                pytest.fail(f"TensorBoard does not show {what}; it shows {self.texts()[-80:]}")
            time.sleep(0.2)

    def wait_for_texts(self, *wanted):
        self.wait(lambda: set(wanted) <= set(self.texts()), wanted)

    def wait_for_elements(self, selector, text=None):
        return self.wait(lambda: self.elements(selector, text), selector)


@pytest.fixture(scope="module")
def browser(driver, url, screenshot):
    return Browser(driver, url, screenshot)


def wait_for_curve(browser, points):
    """Waits for a chart with a curve through so many points."""
    script = "return arguments[0].map(path => (path.getAttribute('d') || '').split(/[LC]/).length);"

    def drawn():
        paths = browser.elements(".render-area path")
        return max(browser.driver.execute_script(script, paths), default=0) >= points

    browser.wait(drawn, f"a curve through {points} points")


def test_scalars(browser):
    browser.open("scalars")
    browser.wait_for_texts("loss", "first")
    wait_for_curve(browser, 20)
    browser.screenshot("scalars")


def test_images(browser):
    browser.open("images")
    browser.wait_for_texts("picture/image/0", "picture/image/1", "19")

    def sizes():
        return browser.driver.execute_script(SIZES, browser.elements("img"))

    # Each picture is loaded for itself.
    browser.wait(lambda: sizes() == [[24, 32], [24, 32]], "both pictures")
    browser.screenshot("images")


def test_audio(browser):
    browser.open("audio")
    browser.wait_for_texts("sound/audio/0")
    (player,) = browser.wait_for_elements("audio")
    seconds = browser.wait(
        lambda: browser.driver.execute_script("return arguments[0].duration;", player), "a sound"
    )
    assert seconds == 1.0
    browser.screenshot("audio")


def test_histograms(browser):
    browser.open("histograms")
    browser.wait_for_texts("distribution")
    drawn = browser.wait_for_elements("g.histogram path")
    assert len(drawn) >= 20
    browser.screenshot("histograms")


def test_distributions(browser):
    browser.open("distributions")
    browser.wait_for_texts("distribution")
    wait_for_curve(browser, 20)
    browser.screenshot("distributions")


def test_text(browser):
    browser.open("text")
    browser.wait_for_texts("note", "strong")
    assert browser.elements("strong", "strong")  # Markdown
    browser.screenshot("text")


def test_pr_curves(browser):
    browser.open("pr_curves")
    browser.wait_for_texts("curve", "tag:", "first is at")
    wait_for_curve(browser, 10)
    browser.screenshot("pr_curves")


def test_custom_scalars(browser):
    browser.open("custom_scalars")
    browser.wait_for_texts("my category", "chart of losses", "loss (first)")
    wait_for_curve(browser, 20)
    browser.screenshot("custom_scalars")


def test_projector(browser):
    browser.open("projector")
    browser.wait(lambda: {"Points:", "50", "Dimension:", "8"} <= set(browser.texts()), "points")
    assert "words.tsv" in browser.texts()  # from the configuration
    browser.screenshot("projector")


def test_hyperparameters(browser):
    browser.open("hparams")
    browser.wait_for_texts("rate", "loss", "first", "0.12500")
    browser.screenshot("hparams")


def node_of(browser, name):
    script = "return arguments[0].map(node => node.__data__ && node.__data__.node.name);"
    nodes = browser.elements("g.node")
    names = browser.driver.execute_script(script, nodes)
    return dict(zip(names, nodes)).get(name)


def test_graph(browser):
    browser.open("graphs")
    browser.wait(lambda: node_of(browser, "model"), "the scope")
    assert node_of(browser, "model/layer1") is None
    assert "?\N{MULTIPLICATION SIGN}1" in browser.texts()  # the shape of an edge
    # The run statistics of step 10.
    (item,) = browser.wait_for_elements("paper-item", "step10")
    browser.click(item)
    (button,) = browser.wait_for_elements("paper-radio-button", "Compute time")
    browser.wait(lambda: button.get_attribute("disabled") is None, "compute times")
    browser.click(button)
    browser.wait(lambda: any(re.fullmatch(r"[\d.]+ .?s", t) for t in browser.texts()), "times")
    browser.wait_for_texts("Devices included in stats:", "CPU:0")
    # The scope unfolds.
    model = browser.wait(lambda: node_of(browser, "model"), "the scope")
    shape = browser.driver.execute_script("return arguments[0].querySelector('.nodeshape')", model)
    browser.click(shape, "dblclick")
    browser.wait(lambda: node_of(browser, "model/layer1"), "the scope inside")
    browser.wait_for_texts("layer1", "layer2", "?\N{MULTIPLICATION SIGN}16")
    browser.screenshot("graphs")

"""The page of `headwater.show_graph` in a real browser: scopes, shapes, colours, details."""

from __future__ import annotations

import pytest

import headwater as tf

pytestmark = [pytest.mark.browser, pytest.mark.timeout(200)]

BOXES = """
return [...document.querySelectorAll("g.box")].map(box => box.dataset.name);
"""
SHAPES = """
return [...document.querySelectorAll("text.shape")].map(text => text.textContent);
"""
COLOURS = """
return Object.fromEntries([...document.querySelectorAll("g.box")].map(
  box => [box.dataset.name, getComputedStyle(box.querySelector("rect")).fill]));
"""
CLICK = """
const box = [...document.querySelectorAll("g.box")].find(box => box.dataset.name === arguments[0]);
const rect = box.querySelector("rect").getBoundingClientRect();
box.dispatchEvent(new MouseEvent("click", {bubbles: true, clientX: rect.x, clientY: rect.y}));
"""
COLOUR_BY = """
const choice = document.querySelector("#colour");
choice.value = arguments[0];
choice.dispatchEvent(new Event("change"));
"""
INSIDE = """
const [outer, inner] = [...arguments].map(name => [...document.querySelectorAll("g.box")].find(
  box => box.dataset.name === name).querySelector("rect").getBoundingClientRect());
return outer.left <= inner.left && inner.right <= outer.right &&
  outer.top <= inner.top && inner.bottom <= outer.bottom;
"""


@pytest.fixture
def drawing():
    """A drawing of two layers, with the RunMetadata of a traced run."""
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    with tf.name_scope("first"):
        w = tf.constant([[1.0] * 4] * 3, name="w")
        with tf.name_scope("inner"):
            h = tf.nn.relu(tf.matmul(x, w, name="product"), name="relu")
    with tf.name_scope("second"), tf.device("/cpu:0"):
        y = tf.reduce_sum(h, name="sum")
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session() as session:
        session.run(y, {x: [[1.0, 2.0, 3.0]] * 1000}, options, metadata)
    return tf.show_graph(run_metadata=metadata)


@pytest.fixture
def page(drawing, driver, tmp_path):
    """Opens the page from a file, where there is no network."""
    path = tmp_path / "graph.html"
    drawing.save(str(path))
    driver.get(path.as_uri())
    return driver


def test_scopes_fold_and_unfold(page, screenshot):
    assert set(page.execute_script(BOXES)) == {"x", "first", "second"}
    assert page.execute_script(SHAPES) == ["?×3", "?×4"]
    screenshot("show_graph_folded")
    page.execute_script(CLICK, "first")
    assert {"first/inner", "first/w"} <= set(page.execute_script(BOXES))
    assert "first/inner/relu" not in page.execute_script(BOXES)
    assert "3×4" in page.execute_script(SHAPES)
    page.execute_script(CLICK, "first/inner")
    assert "first/inner/relu" in page.execute_script(BOXES)
    assert page.execute_script(INSIDE, "first/inner", "first/inner/relu")
    assert page.execute_script(INSIDE, "first", "first/inner")
    screenshot("show_graph_unfolded")
    page.execute_script(CLICK, "first")
    assert set(page.execute_script(BOXES)) == {"x", "first", "second"}


def test_an_op_shows_its_details_and_is_found_by_name(page, screenshot):
    page.execute_script(
        "const search = document.querySelector('#search'); search.value = 'relu';"
        "search.dispatchEvent(new Event('change'));"
    )
    # The scopes around it are unfolded.
    assert "first/inner/relu" in page.execute_script(BOXES)
    panel = page.execute_script("return document.querySelector('#panel').innerText;")
    for text in ("first/inner/relu", "Relu", "float32 ?×4", "µs", "inputs (1)", "consumers (1)"):
        assert text in panel
    screenshot("show_graph_details")
    page.execute_script(CLICK, "first/w")
    panel = page.execute_script("return document.querySelector('#panel').innerText;")
    assert "float32 3×4: [[1 1 1 1]" in panel


def test_nodes_are_coloured_by_device_and_by_time(page, screenshot):
    page.execute_script(CLICK, "first")
    page.execute_script(CLICK, "second")
    by_structure = page.execute_script(COLOURS)
    page.execute_script(COLOUR_BY, "device")
    by_device = page.execute_script(COLOURS)
    legend = page.execute_script("return document.querySelector('#legend').innerText;")
    assert "CPU:0" in legend
    screenshot("show_graph_devices")
    page.execute_script(COLOUR_BY, "time")
    by_time = page.execute_script(COLOURS)
    screenshot("show_graph_times")
    assert by_time["second/sum"] != "rgb(255, 255, 255)"
    # What did not run, such as the fed placeholder, took no time.
    assert by_time["x"] == "rgb(255, 255, 255)"
    assert by_structure != by_device != by_time


def test_it_stands_in_a_notebook(drawing, driver, tmp_path, screenshot):
    path = tmp_path / "notebook.html"
    cell = f"<!DOCTYPE html><meta charset='utf-8'><p>A cell</p>{drawing._repr_html_()}"
    path.write_text(cell, encoding="utf-8")
    driver.get(path.as_uri())
    driver.switch_to.frame(driver.find_element("tag name", "iframe"))
    try:
        assert set(driver.execute_script(BOXES)) == {"x", "first", "second"}
        driver.execute_script(CLICK, "second")
        assert "second/sum" in driver.execute_script(BOXES)
    finally:
        driver.switch_to.default_content()
    screenshot("show_graph_notebook")


def test_no_colours_by_time_without_a_traced_run(driver, tmp_path):
    tf.constant(1.0, name="only")
    path = tmp_path / "plain.html"
    tf.show_graph().save(str(path))
    driver.get(path.as_uri())
    choices = "return [...document.querySelectorAll('#colour option')].map(o => o.value);"
    assert driver.execute_script(choices) == ["structure", "device"]
    assert driver.execute_script(BOXES) == ["only"]

"""A graph as an interactive page: in a file, as the value of a notebook's cell, by `show_graph`."""

from __future__ import annotations

import html
import json
import string
import sys
from functools import cache
from pathlib import Path
from typing import Any

from headwater.base.export import export
from headwater.graph.default_graph import get_default_graph
from headwater.graph.drawing.description import describe
from headwater.graph.graph import Graph
from headwater.graph.graph_base import proto_makers
from headwater.graph.importer import import_graph_def

_FOLDER = Path(__file__).parent


class GraphDrawing:
    """A graph drawn as a page that needs no network; scopes unfold when they are clicked.

    Args:
        graph: a Graph or GraphDef.
        run_metadata: the RunMetadata of a traced run; colours nodes by device and by time.
        width: the width of the frame in a notebook, a CSS length.
        height: the height of the frame in pixels.
    """

    def __init__(
        self, graph: Any, run_metadata: Any = None, width: str = "100%", height: int = 620
    ) -> None:
        if not isinstance(graph, Graph):
            graph = _imported(graph)
        self._description = describe(graph, run_metadata)
        self._width = width
        self._height = height

    def html(self) -> str:
        """Returns the page as the text of an HTML document."""
        # "</" would end the script that holds the description.
        description = json.dumps(self._description, ensure_ascii=False).replace("</", "<\\/")
        return _page().safe_substitute(description=description)

    def save(self, path: str) -> None:
        """Writes the page to a local file that any browser shows."""
        Path(path).write_text(self.html(), encoding="utf-8")

    def _repr_html_(self) -> str:
        """A frame with the page, which keeps its styles and scripts apart from the notebook's."""
        return (
            f'<iframe style="width:{self._width};height:{self._height}px;border:1px solid #ddd;'
            f'box-sizing:border-box" srcdoc="{html.escape(self.html())}"></iframe>'
        )


def _imported(graph_def: Any) -> Graph:
    graph = Graph()
    with graph.as_default():
        import_graph_def(graph_def, name="")
    return graph


@cache
def _page() -> string.Template:
    """The page without the description of a graph."""
    template = string.Template((_FOLDER / "page.html").read_text(encoding="utf-8"))
    parts = {
        "style": (_FOLDER / "drawing.css").read_text(encoding="utf-8"),
        "drawing": (_FOLDER / "drawing.js").read_text(encoding="utf-8"),
        "layout": _layout_library(),
    }
    # What is not the description must not be taken for a placeholder in the second substitution.
    escaped = {key: text.replace("$", "$$") for key, text in parts.items()}
    return string.Template(template.safe_substitute(escaped))


def _layout_library() -> str:
    """The script of dagre, which the distribution XStatic-Dagre carries."""
    # It loads the parsers of e-mail, which few programs need.
    from importlib import metadata

    for file in metadata.files("XStatic-Dagre") or ():
        if file.name == "dagre.min.js":
            return Path(str(file.locate())).read_text(encoding="utf-8")
    raise ModuleNotFoundError("Drawing a graph needs the package XStatic-Dagre.")


@export("show_graph")
def show_graph(
    graph: Any = None, run_metadata: Any = None, width: str = "100%", height: int = 620
) -> GraphDrawing | None:
    """Draws a graph inline in a notebook; name scopes fold and unfold.

    Edges carry static shapes, constants their first elements. A graph that is the value of a cell
    is drawn the same way.

    Args:
        graph: a Graph or GraphDef; the default graph if None.
        run_metadata: the RunMetadata of a traced run; nodes can then be coloured by their device
            and by the time they took.
        width: the width of the drawing, a CSS length.
        height: the height of the drawing in pixels.

    Returns:
        None in a notebook. Elsewhere a drawing, whose `save(path)` writes a page for a browser.
    """
    drawing = GraphDrawing(
        get_default_graph() if graph is None else graph, run_metadata, width, height
    )
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        return drawing
    ipython.display.display(drawing)
    return None


def _graph_as_html(graph: Graph) -> str:
    return GraphDrawing(graph)._repr_html_()


proto_makers["html"] = _graph_as_html

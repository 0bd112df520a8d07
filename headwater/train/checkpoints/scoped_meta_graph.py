"""Meta graphs of parts of graphs: name scopes written to MetaGraphDefs, and read from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from headwater.graph import Graph, get_default_graph
from headwater.graph.graph_keys import GraphKeys
from headwater.graph.scope_names import strip_name_scope
from headwater.protos.lazy import meta_graph_pb2
from headwater.train.checkpoints.meta_graph import (
    add_meta_graph,
    make_meta_graph,
    read_meta_graph,
    write_proto,
)
from headwater.train.checkpoints.scoped_graph import UNBOUND_KEY, inside

if TYPE_CHECKING:
    from headwater.protos.graph_pb2 import GraphDef
    from headwater.protos.meta_graph_pb2 import MetaGraphDef


def create_meta_graph_def(
    meta_info_def: MetaGraphDef.MetaInfoDef | None = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Sequence[str] | None = None,
    graph: Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: Any = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
) -> Any:
    """Makes a MetaGraphDef.

    Args:
        meta_info_def: a MetaInfoDef to begin with.
        graph_def: the nodes; those of the graph by default.
        saver_def: a SaverDef.
        collection_list: the keys of the collections; all by default.
        graph: the Graph whose collections are written; the default graph by default.
        export_scope: the only name scope of which collections are written.
        exclude_nodes: accepted.
        clear_extraneous_savers: accepted.
        strip_default_attrs: whether attrs with default values are left out.

    Returns:
        The MetaGraphDef.

    Raises:
        TypeError: if `graph` or `saver_def` is of a wrong type.
    """
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"graph must be of type Graph, not {type(graph)}")
    graph = graph or get_default_graph()
    return make_meta_graph(
        graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def,
        graph,
        saver_def,
        collection_list,
        meta_info_def,
        strip_default_attrs,
        export_scope,
    )


def _variables(graph: Graph, scope: str | None) -> dict[str, Any]:
    """The global variables in a name scope, by their names without it."""
    found = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
    return {strip_name_scope(v.name, scope): v for v in found if not scope or inside(v.name, scope)}


def export_scoped_meta_graph(
    filename: str | None = None,
    graph_def: GraphDef | None = None,
    graph: Graph | None = None,
    export_scope: str | None = None,
    as_text: bool = False,
    unbound_inputs_col_name: str | None = UNBOUND_KEY,
    clear_devices: bool = False,
    saver_def: Any = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> tuple[Any, dict[str, Any]]:
    """Makes a MetaGraphDef of a graph or of one of its name scopes.

    Args:
        filename: the file to write, or None.
        graph_def: the nodes; those of the graph by default.
        graph: the Graph; the default graph by default.
        export_scope: the name scope, which the names of the result do not have.
        as_text: whether the file has the text form.
        unbound_inputs_col_name: the collection that names inputs from outside the scope, or None.
        clear_devices: whether devices are left out.
        saver_def: a SaverDef.
        clear_extraneous_savers: accepted.
        strip_default_attrs: whether attrs with default values are left out.
        save_debug_info: accepted.
        **kwargs: `meta_info_def` and `collection_list`, as for `create_meta_graph_def`.

    Returns:
        The MetaGraphDef, and the global variables in the scope by their names without it.
    """
    graph = graph or get_default_graph()
    proto = make_meta_graph(
        graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def,
        graph,
        saver_def,
        kwargs.get("collection_list"),
        kwargs.get("meta_info_def"),
        strip_default_attrs,
        export_scope,
        unbound_inputs_col_name,
    )
    if clear_devices:
        for node in proto.graph_def.node:
            node.device = ""
    if filename:
        write_proto(proto, filename, as_text)
    return proto, {} if graph_def is not None else _variables(graph, export_scope)


def import_scoped_meta_graph(
    meta_graph_or_file: MetaGraphDef,
    clear_devices: bool = False,
    graph: Graph | None = None,
    import_scope: str | None = None,
    input_map: dict[str, Any] | None = None,
    unbound_inputs_col_name: str | None = UNBOUND_KEY,
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
) -> dict[str, Any]:
    """Adds the nodes and collections of a MetaGraphDef to a graph.

    Args:
        meta_graph_or_file: a MetaGraphDef or the path of a file.
        clear_devices: whether devices are left out.
        graph: the Graph; the default graph by default.
        import_scope: a name scope for the nodes, made unique.
        input_map: tensors for inputs, by name.
        unbound_inputs_col_name: the collection that names inputs which `input_map` must have.
        restore_collections_predicate: tells of a key whether the collection is read.

    Returns:
        The global variables in the scope by their names without it.

    Raises:
        ValueError: if inputs from outside an exported scope are not in `input_map`.
    """
    return import_scoped_meta_graph_with_return_elements(
        meta_graph_or_file,
        clear_devices,
        graph,
        import_scope,
        input_map,
        unbound_inputs_col_name,
        restore_collections_predicate,
    )[0]


def import_scoped_meta_graph_with_return_elements(
    meta_graph_or_file: MetaGraphDef,
    clear_devices: bool = False,
    graph: Graph | None = None,
    import_scope: str | None = None,
    input_map: dict[str, Any] | None = None,
    unbound_inputs_col_name: str | None = UNBOUND_KEY,
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
    return_elements: Sequence[str] | None = None,
) -> tuple[dict[str, Any], list[Any] | None]:
    """Like `import_scoped_meta_graph`; also returns the nodes and tensors of given names."""
    is_proto = isinstance(meta_graph_or_file, meta_graph_pb2.MetaGraphDef)
    proto = meta_graph_or_file if is_proto else read_meta_graph(meta_graph_or_file)
    with nullcontext() if graph is None else graph.as_default():
        scope, elements = add_meta_graph(
            proto,
            clear_devices,
            import_scope,
            input_map,
            unbound_inputs_col_name,
            restore_collections_predicate,
            return_elements,
        )
        return _variables(get_default_graph(), scope), elements


def copy_scoped_meta_graph(
    from_scope: str,
    to_scope: str,
    from_graph: Graph | None = None,
    to_graph: Graph | None = None,
) -> dict[str, Any]:
    """Copies a name scope of a graph to another scope or graph.

    Args:
        from_scope: the name scope.
        to_scope: the name scope of the copy.
        from_graph: the Graph; the default graph by default.
        to_graph: the Graph of the copy; the default graph by default.

    Returns:
        The global variables of the copy by their names without the scope.

    Raises:
        ValueError: if both scopes are one scope of one graph.
    """
    from_graph, to_graph = from_graph or get_default_graph(), to_graph or get_default_graph()
    if from_graph is to_graph and from_scope == to_scope:
        raise ValueError(
            "'from_scope' and 'to_scope' need to be different when performing copy in the same "
            f"graph.\nHint: both are '{from_scope}'."
        )
    proto, _ = export_scoped_meta_graph(export_scope=from_scope, graph=from_graph)
    return import_scoped_meta_graph(proto, graph=to_graph, import_scope=to_scope)

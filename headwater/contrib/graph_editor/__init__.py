"""Selection, copies and rewiring of parts of a graph (`tf.contrib.graph_editor`)."""

ON_DEMAND = (
    "contrib.graph_editor",
    "contrib.graph_editor.util",
    "contrib.graph_editor.select",
    "contrib.graph_editor.subgraph",
    "contrib.graph_editor.reroute",
    "contrib.graph_editor.edit",
    "contrib.graph_editor.transform",
)

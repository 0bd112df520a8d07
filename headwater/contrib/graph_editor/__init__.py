"""Selection, copies and rewiring of parts of a graph (`tf.contrib.graph_editor`)."""

ON_DEMAND = ("contrib.graph_editor",)

"""Selection, copies and rewiring of parts of a graph (`tf.contrib.graph_editor`)."""

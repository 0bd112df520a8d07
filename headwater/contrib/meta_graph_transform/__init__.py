"""`tf.contrib.meta_graph_transform`: transforms of graphs with their collections and signatures."""

ON_DEMAND = (
    "contrib.meta_graph_transform",
    "contrib.meta_graph_transform.meta_graph_transform",
)

"""Functions of rows."""
def row_body(graph, count):
    return None

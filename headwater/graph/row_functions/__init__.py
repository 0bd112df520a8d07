"""Functions of elements as functions of many elements, stacked."""

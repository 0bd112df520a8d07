"""The lowest layer: element types, shapes, errors, nested structures, flags, logging."""

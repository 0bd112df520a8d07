"""The ground layer: element types, shapes, errors, nested structures, flags, logging."""

"""Tables that are looked up by key: initializers, hash tables, tables of indices."""

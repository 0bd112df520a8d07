"""Variables: their kinds, scopes, partitions and initializers."""

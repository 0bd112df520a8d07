"""Op families: nearest neighbours, choice of cluster centres, factorization."""

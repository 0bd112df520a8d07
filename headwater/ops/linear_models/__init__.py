"""Op families: stochastic dual coordinate ascent of linear models."""

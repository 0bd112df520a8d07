"""One op of a run: where its values stand, and how its kernel runs on the host."""

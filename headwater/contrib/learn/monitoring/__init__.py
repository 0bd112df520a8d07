"""Monitors: callbacks of training, and the hook that runs them."""

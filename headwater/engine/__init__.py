"""The engine: plans, segments, lowering to XLA, execution, state."""

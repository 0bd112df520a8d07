"""Op families: summaries, which report values as serialized Summary protos."""

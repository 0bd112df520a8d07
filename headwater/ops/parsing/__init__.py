"""Op families: records in text and protos taken apart into tensors."""

"""Files and formats: file systems, records, events, checkpoints, serialized tensors."""

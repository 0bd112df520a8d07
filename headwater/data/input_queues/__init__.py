"""Input by queues: producers of elements, and batches of examples."""

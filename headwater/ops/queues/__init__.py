"""Queues, barriers, accumulators and staging areas: what runs hand to each other."""

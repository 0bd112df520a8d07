"""Queues, barriers, accumulators and staging areas, which pass values between runs."""

"""Classes for queues, accumulators, barriers and staging areas."""

"""Input of training: sources of records, their decoders and providers, and queues."""

"""What a run consists of, found from its ops alone: loops and branches, order, calls, devices."""

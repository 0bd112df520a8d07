"""Faults: killed writers, full disks, damaged files, long runs. `python -m tests.faults --help`."""

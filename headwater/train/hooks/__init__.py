"""Hooks: callbacks around the runs of monitored sessions."""

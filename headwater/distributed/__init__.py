"""Programs on several machines."""

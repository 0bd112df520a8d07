"""Op families: nn."""

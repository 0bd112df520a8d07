"""Op families: tables that are looked up by key."""

"""Sessions that initialize, restore and close themselves."""

"""Sessions: feeds and fetches in, a plan, a run, and the values in the structure of the fetches."""

"""Writers of event files, and the summaries that ops write to them."""

"""Models for serving: SavedModels, and the tools that prepare graphs."""

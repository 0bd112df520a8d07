"""Exports of estimators: SavedModels, and the session bundles before them."""

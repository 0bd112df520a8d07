"""Loops whose iterations do not depend on each other, computed together."""

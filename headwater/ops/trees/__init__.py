"""Ops of decision trees."""

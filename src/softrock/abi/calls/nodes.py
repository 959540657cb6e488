"""Graphs and stream capture."""

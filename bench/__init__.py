"""Measurements of softrock beside native rivals. The command is `bench/run.py`, its manual docs/performance.md."""

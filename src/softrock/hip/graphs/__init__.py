"""Graphs: work written down once and launched many times, made by hand or by capturing streams."""

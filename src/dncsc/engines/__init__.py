"""Engines: how one pass over the rows runs. They know blocks, stripes and columns, and no mathematics."""

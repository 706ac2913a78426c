"""Engines: how one pass over the rows runs. They know blocks, shards and columns, and no mathematics."""

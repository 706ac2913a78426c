"""Phase 1, select: which points stand for the rows, and how a row finds its own."""

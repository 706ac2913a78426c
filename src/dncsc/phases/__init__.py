"""Phases: the mathematics of the paper, written as passes over row blocks with p-sized linear algebra between them."""

"""The paper's experiments, run again: suites of cells, each in its own process, and a report of what they gave."""

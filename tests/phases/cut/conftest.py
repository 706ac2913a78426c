"""Graphs of landmarks that several test files share."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array


@pytest.fixture
def spectrum_without_gap():
    """A grid of landmarks, twice as long as wide: its eigenvalues grow evenly."""
    place = np.stack(np.meshgrid(np.arange(24.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
    squared = ((place[:, None] - place) ** 2).sum(axis=2)
    return csr_array(np.where(squared < 5, np.exp(-squared), 0)), place

"""The cut of a landmark graph, from arrays: what tests of phases/cut share."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from dncsc.phases.cut.landmark_graph import LandmarkGraph, inflate
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.spectrum import Spectrum, bottom_of_spectrum


def spectrum_of(similarity, landmarks, wanted, mass=None):
    """The spectrum of W_R, which has to be found; landmarks weigh as much as their degrees by default."""
    similarity = csr_array(similarity)
    mass = np.asarray(similarity.sum(axis=1)).ravel() if mass is None else mass
    spectrum = bottom_of_spectrum(LandmarkGraph(similarity, mass, len(mass)), landmarks, wanted)
    assert isinstance(spectrum, Spectrum)
    return spectrum


def inflated(similarity, mass, n_clusters):
    """Inflated links."""
    return inflate(LandmarkGraph(similarity, mass, len(mass)), n_clusters, CutPolicy()).similarity

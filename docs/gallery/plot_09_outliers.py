"""
Stray rows make no cluster
==========================

A few rows far from all others are what spectral clustering stumbles over: the cheapest cut is to cut them off. Here
they are recognised, and the clusters are those of the other rows. With ``noise``, rows that lie apart get the label -1.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_moons

from dncsc import DnCSC, plot

random = np.random.default_rng(1)
moons, y = make_moons(1_500, noise=0.05, random_state=0)
X = np.concatenate([moons, random.uniform(-6, 8, (15, 2))])

labels = {
    "scikit-learn's\nSpectralClustering": SpectralClustering(2, random_state=0).fit(X).labels_,
    "DnCSC": DnCSC(2, random_state=0).fit(X).labels_,
    "DnCSC(noise=0.01)": DnCSC(2, noise=0.01, random_state=0).fit(X).labels_,
}
figure, axes = plt.subplots(1, 3, figsize=(12, 4.2))
for ax, (name, found) in zip(axes, labels.items(), strict=True):
    is_noise = found == -1
    ax.scatter(*X[~is_noise].T, s=8, c=plot.palette(2)[found[~is_noise]])
    ax.scatter(*X[is_noise].T, s=14, color="black", marker="x")
    ax.set(title=f"{name}: {np.bincount(found[~is_noise])}", xticks=[], yticks=[])
figure.tight_layout()

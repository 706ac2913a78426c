"""
Layers: coarse and fine clusters that nest
==========================================

One fit into 60 clusters has all coarser clusterings in it. `tree_` is a linkage matrix, and `merged` reads a clustering
of any size from it.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.cluster.hierarchy import dendrogram

from dncsc import DnCSC, plot

random = np.random.default_rng(0)
continents = 4 * np.array([[0, 0], [1, 2], [2, 0], [3, 2], [4, 0]])
countries = (continents[:, None] + random.uniform(-1.3, 1.3, (5, 4, 2))).reshape(-1, 2)
towns = (countries[:, None] + random.uniform(-0.5, 0.5, (20, 3, 2))).reshape(-1, 2)
X = (towns[:, None] + random.normal(0, 0.05, (60, 200, 2))).reshape(-1, 2)

model = DnCSC(n_clusters=60, random_state=0).fit(X)

# %%
# The same rows in 60, 20 and 5 clusters. Groups are made of whole clusters.
figure, axes = plt.subplots(1, 3, figsize=(13, 4.4))
for ax, n in zip(axes, (60, 20, 5), strict=True):
    labels = model.merged(n)[model.labels_]
    ax.scatter(*X.T, s=4, linewidths=0, c=plot.palette(n)[labels])
    ax.set(title=f"{n} clusters", xticks=[], yticks=[])
figure.tight_layout()

# %%
# The tree behind them. Joins are drawn at equal steps: links between towns that do not touch are all about as weak.
tree = model.tree_.copy()
tree[:, 2] = np.arange(1, len(tree) + 1)
ax = plt.figure(figsize=(13, 3)).subplots()
dendrogram(tree, ax=ax, color_threshold=len(tree) - 3.5, no_labels=True)
ax.set(yticks=[])

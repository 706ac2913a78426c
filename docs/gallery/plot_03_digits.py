"""
Handwritten digits
==================

scikit-learn's digits are 1,797 images of 8 by 8 pixels. Clusters know nothing of what was written, and still find the
digits; `DnCSC` and the ensemble `LSEC` next to k-means.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from dncsc import LSEC, DnCSC, metrics

images, y = load_digits(return_X_y=True)
models = {
    "KMeans": KMeans(10, random_state=0),
    "DnCSC": DnCSC(10, random_state=0),
    "LSEC": LSEC(10, random_state=0),
}
for name, model in models.items():
    scores = metrics.scores(y, model.fit(images).labels_)
    print(f"{name:7}", {key: round(value, 3) for key, value in scores.items()})

# %%
# The mean image of each cluster. `LSEC` also says how far its thirty base clusterings agree on each row: below are the
# ten images that they agree on least.
lsec = models["LSEC"]
figure, axes = plt.subplots(2, 10, figsize=(12, 2.9))
for cluster, ax in enumerate(axes[0]):
    ax.imshow(images[lsec.labels_ == cluster].mean(axis=0).reshape(8, 8), cmap="Greys")
for row, ax in zip(np.argsort(lsec.confidence_)[:10], axes[1], strict=True):
    ax.imshow(images[row].reshape(8, 8), cmap="Greys")
    ax.set_xlabel(f"{lsec.confidence_[row]:.2f}")
for ax in axes.flat:
    ax.set(xticks=[], yticks=[])
axes[0, 0].set_title("means of the clusters", loc="left")
axes[1, 0].set_title("least sure, with their confidence", loc="left")
figure.tight_layout()

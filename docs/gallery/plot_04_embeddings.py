"""
Topics in embeddings, by the cosine
===================================

Language models make unit vectors of texts. These are made up in the same manner: topics of uneven size that bend. From
fifty clusters on the graph is cut level by level, without an eigenvector for each.
"""

import time

import matplotlib.pyplot as plt
from sklearn.cluster import MiniBatchKMeans

from dncsc import DnCSC, datasets, metrics

# %%
# One fit of each goes ahead of what is timed: the first of a process loads kernels and starts threads.
X, y = datasets.embeddings(30_000, n_features=64, n_clusters=50)
DnCSC(50, metric="cosine", random_state=0).fit(X)
MiniBatchKMeans(50, random_state=0).fit(X)

results = []
for n_topics in (50, 100, 200):
    X, y = datasets.embeddings(30_000, n_features=64, n_clusters=n_topics)
    models = {
        "DnCSC": DnCSC(n_topics, metric="cosine", random_state=0),
        "MiniBatchKMeans": MiniBatchKMeans(n_topics, random_state=0),
    }
    for name, model in models.items():
        start = time.perf_counter()
        model.fit(X)
        results.append((n_topics, name, time.perf_counter() - start, metrics.ari(y, model.labels_)))
        print("{:3} topics  {:16} {:5.2f} s  ARI {:.3f}".format(*results[-1]))

# %%
# k-means cuts bent topics in pieces and joins small ones; the graph follows them.
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4))
for name in ("DnCSC", "MiniBatchKMeans"):
    topics, _, seconds, agreement = zip(*(each for each in results if each[1] == name), strict=True)
    axes[0].plot(topics, agreement, "o-", label=name)
    axes[1].plot(topics, seconds, "o-", label=name)
axes[0].set(xlabel="topics", ylabel="ARI", ylim=(0, 1.02))
axes[1].set(xlabel="topics", ylabel="seconds", ylim=(0, None))
axes[0].legend()
figure.tight_layout()

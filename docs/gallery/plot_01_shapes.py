"""
From two moons to a flower
==========================

Five sets of the paper, each of 100,000 rows, with the defaults. Only the number of clusters is given.
"""

import time

import matplotlib.pyplot as plt

from dncsc import DnCSC, datasets, metrics, plot

SETS = {"tm-1m": 2, "tc-6m": 3, "ts-60k": 3, "cg-10m": 11, "fl-20m": 13}

# %%
# The first fit of a process loads compiled kernels, so one small fit goes ahead of what is timed.
DnCSC(2, random_state=0).fit(datasets.load("tm-1m", n=10_000)[0])

figure, axes = plt.subplots(1, 5, figsize=(15, 3.9))
for ax, (name, k) in zip(axes, SETS.items(), strict=True):
    X, y = datasets.load(name, n=100_000)
    start = time.perf_counter()
    model = DnCSC(k, random_state=0).fit(X)
    seconds = time.perf_counter() - start
    plot.clusters(model, X, ax=ax)
    ax.set(title=f"{name}\nNMI {metrics.nmi(y, model.labels_):.3f}, {seconds:.2f} s", xlabel="", ylabel="")
    ax.set(xticks=[], yticks=[], aspect="equal")
figure.tight_layout()

# %%
# A gap in the spectrum behind the k-th eigenvalue says that k was right: the flower has 13 clusters.
plot.eigenvalues(model, ax=plt.figure(figsize=(7, 3.4), layout="tight").subplots())

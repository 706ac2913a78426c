"""
Dask: rows on workers
=====================

The same estimator takes Dask arrays and frames. Here two workers of a small cluster hold the rows; labels are a Dask
array, and equal those of one machine.
"""

import dask.array as da
import matplotlib.pyplot as plt
from distributed import Client

from dncsc import DnCSC, datasets, plot

X, y = datasets.load("ts-60k", n=300_000)

# %%
# Threads of this process play the workers; with processes or machines nothing else would change.
with Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None):
    x = da.from_array(X, chunks=(60_000, 2))
    model = DnCSC(3, random_state=0).fit(x)
    print(model.labels_)
    labels = model.labels_.compute()
    new = model.predict(x[:1000])
    print("predict is lazy:", type(new).__name__, new.compute().shape)

# %%
local = DnCSC(3, random_state=0).fit(X)
print("the same as without Dask:", bool((labels == local.labels_).all()))
ax = plot.clusters(local, X, ax=plt.figure(figsize=(5, 5)).subplots())
ax.set_title("three spirals, 300,000 rows")

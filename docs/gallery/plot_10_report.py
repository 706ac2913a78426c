"""
A report about a clustering
===========================

`write_report` makes one HTML page of a fitted model: how far to believe the clusters, their sizes, a map, what tells
them apart, and their tree.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dncsc import DnCSC, plot
from dncsc.report import write_report

iris = load_iris(as_frame=True)
steps = make_pipeline(StandardScaler().set_output(transform="pandas"), DnCSC(3, random_state=0)).fit(iris.data)
scaler, model = steps[0], steps[-1]

# %%
# Rows are those that the model was fitted to. `units` brings profiles and maps back to centimetres.
with tempfile.TemporaryDirectory() as folder:
    page = Path(folder, "iris.html")
    write_report(page, model, scaler.transform(iris.data), title="Iris", units=(scaler.mean_, scaler.scale_), reruns=2)
    print(f"{page.stat().st_size / 1e3:.0f} kB in one file")

# %%
# Two of its pictures, drawn here by `dncsc.plot`.
figure, axes = plt.subplots(1, 2, figsize=(10, 4))
plot.clusters(model, iris.data, features=["petal length (cm)", "petal width (cm)"], ax=axes[0])
plot.eigenvalues(model, ax=axes[1])
print(model.diagnosis_)

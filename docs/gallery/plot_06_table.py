"""
A table with text, gaps and scales
==================================

Most people have a table: numbers in different units, categories, missing cells. Two ways to cluster it, both in a
pipeline: scikit-learn's `ColumnTransformer`, and `TableEncoder`, which looks at the columns by itself.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from dncsc import DnCSC, TableEncoder, metrics

random = np.random.default_rng(0)
group = random.integers(3, size=3_000)
clients = pd.DataFrame(
    {
        "age": random.normal([28, 45, 66], 4, (3_000, 3))[np.arange(3_000), group].round(),
        "income": random.normal([24_000, 61_000, 33_000], 4_000, (3_000, 3))[np.arange(3_000), group].round(-2),
        "city": random.choice(["Bern", "Lyon", "Oslo", "Rome"], 3_000),
        "plan": np.array(["basic", "family", "basic"])[group],
    }
)
clients.loc[random.choice(3_000, 90, replace=False), "income"] = np.nan
print(clients.head())

# %%
# By hand: say what becomes of each column. The city says nothing about the groups here, and is left out.
by_hand = make_pipeline(
    make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["age", "income"]),
        (OneHotEncoder(sparse_output=False), ["plan"]),
    ),
    DnCSC(3, random_state=0),
)
print(f"NMI {metrics.nmi(group, by_hand.fit_predict(clients)):.3f}")

# %%
# By itself: gaps are filled, numbers scaled, categories encoded with less weight than numbers, so that a column that
# says nothing, such as the city, costs little. Pandas goes in, and pandas comes out.
by_itself = make_pipeline(TableEncoder().set_output(transform="pandas"), DnCSC(3, random_state=0))
labels = by_itself.fit_predict(clients)
print(f"NMI {metrics.nmi(group, labels):.3f}")
print(by_itself[0].transform(clients).head(3).round(2))

# %%
# What the clusters are.
print(clients.groupby(labels).agg({"age": "mean", "income": "mean", "plan": lambda plan: plan.mode()[0]}).round())
ax = plt.figure(figsize=(6, 4)).subplots()
for number in range(3):
    ax.scatter(*clients.loc[labels == number, ["age", "income"]].to_numpy().T, s=6, label=f"cluster {number}")
ax.set(xlabel="age", ylabel="income")
ax.legend()

"""Slow, obvious twins of the methods beside DnC-SC, in plain NumPy and float64, to check by eye against their papers.

Random choices are not repeated here: a twin is given the landmarks, groups or members that the package drew.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

import naive


def unit_rows(places):
    """Rows scaled to length 1."""
    return places / np.linalg.norm(places, axis=1, keepdims=True)


def similarity(rows, points, bandwidth):
    """``exp(-d^2 / 2 sigma^2)`` of every row and point."""
    return np.exp(-naive.squared_distances(rows, points) / (2 * bandwidth**2))


# Weights of links


def self_tuning_weights(nearest, squared, landmarks):
    """``exp(-d^2 / sigma_i sigma_j)``: mean distances of row i, and of landmark j, to their K nearest landmarks."""
    own = np.sqrt(squared).mean(axis=1)
    among = np.sort(cdist(landmarks, landmarks), axis=1)[:, 1 : nearest.shape[1] + 1].mean(axis=1)
    scale = own[:, None] * among[nearest]
    return np.exp(
        -np.divide(squared, scale, out=np.zeros_like(squared), where=scale > 0)
    )  # 1 for a row at its landmark


# U-SPEC (Huang et al. 2020)


def grouped_search(rows, groups, landmarks, n_nearest):
    """Nearest group centre, nearest landmark in that group, K nearest among the 10 K + 1 nearest to that landmark."""
    group_of = cdist(landmarks, groups).argmin(axis=1)
    found = []
    for row in rows:
        group = np.linalg.norm(groups - row, axis=1).argmin()
        distance = np.linalg.norm(landmarks - row, axis=1)
        own = np.where(group_of == group, distance, np.inf).argmin()
        near = np.linalg.norm(landmarks - landmarks[own], axis=1).argsort(kind="stable")[: 10 * n_nearest + 1]
        found.append(near[distance[near].argsort(kind="stable")[:n_nearest]])
    return np.array(found)


def u_spec(rows, groups, landmarks, n_nearest, n_clusters):
    """Grouped search, sigma the mean over all N x K pairs, transfer cut: neighbours, sigma, eigenvalues, places."""
    nearest = grouped_search(rows, groups, landmarks, n_nearest)
    squared = np.take_along_axis(naive.squared_distances(rows, landmarks), nearest, axis=1)
    bandwidth = np.sqrt(squared).mean()
    weights = naive.dense(nearest, naive.gaussian(squared, bandwidth)[0], len(landmarks))
    weights = weights[:, weights.sum(axis=0) > 0]
    eigenvalues, vectors = naive.transfer_cut(naive.landmark_similarity(weights), n_clusters)
    transition = weights / weights.sum(axis=1, keepdims=True)
    return nearest, bandwidth, eigenvalues, naive.embedding(transition, vectors, eigenvalues, "l2")


# LSC (Cai and Chen 2015) and hubs (Ye et al. 2018)


def lsc(rows, landmarks, n_nearest, n_clusters):
    """Rows of Z sum to 1, columns are scaled by 1 / sqrt(sum); sigma, squared singular values, vectors 2 to k + 1."""
    bandwidth = cdist(rows, landmarks).mean()
    nearest, squared = naive.search_all(rows, landmarks, n_nearest)
    z = naive.dense(nearest, naive.gaussian(squared, bandwidth)[1], len(landmarks))
    z = z[:, z.sum(axis=0) > 0]
    left, singular, _ = np.linalg.svd(z / np.sqrt(z.sum(axis=0)), full_matrices=False)
    return bandwidth, singular**2, unit_rows(left[:, 1 : n_clusters + 1])


def hub_scores(part, n_nearest):
    """How often each row is among the K nearest of another row of the part."""
    distance = cdist(part, part)
    np.fill_diagonal(distance, np.inf)
    nearest = np.argsort(distance, axis=1, kind="stable")[:, : min(n_nearest, len(part) - 1)]
    return np.array([np.count_nonzero(nearest == row) for row in range(len(part))])


# Nyström (Fowlkes et al. 2004)


def inverse_root(matrix):
    """Pseudo-inverse of the square root, without eigenvalues below a millionth of the largest."""
    values, vectors = np.linalg.eigh(matrix)
    kept = values > 1e-6 * values.max()
    return vectors[:, kept] / np.sqrt(values[kept]) @ vectors[:, kept].T


def nystrom(rows, landmarks, bandwidth, n_clusters):
    """One-shot orthogonalisation on dense A (p, p) and B (p, N - p): eigenvalues of S, and places of the rows."""
    chosen = cdist(rows, landmarks).argmin(axis=0)
    others = np.setdiff1d(np.arange(len(rows)), chosen)
    a, b = (similarity(rows[chosen], rows[each], bandwidth) for each in (chosen, others))
    degree = a.sum(axis=1) + b.sum(axis=1)
    degree_of_others = b.sum(axis=0) + b.T @ inverse_root(a) @ inverse_root(a) @ b.sum(axis=1)
    a, b = a / np.sqrt(np.outer(degree, degree)), b / np.sqrt(np.outer(degree, degree_of_others))
    root = inverse_root(a)
    values, vectors = np.linalg.eigh(a + root @ b @ b.T @ root)
    values, vectors = values[::-1], vectors[:, ::-1]
    places = np.empty((len(rows), n_clusters))
    places[[*chosen, *others]] = np.vstack([a, b.T]) @ root @ vectors[:, :n_clusters] / np.sqrt(values[:n_clusters])
    return values, unit_rows(places)


# SC (Chen et al. 2010)


def self_tuning_graph(rows, n_nearest):
    """Dense weights of rows that are among each other's t nearest, either way; sigma_i is the mean distance to them."""
    distance = cdist(rows, rows)
    np.fill_diagonal(distance, -1)
    nearest = np.argsort(distance, axis=1, kind="stable")[:, 1 : n_nearest + 1]
    scale = np.take_along_axis(distance, nearest, axis=1).mean(axis=1)
    graph = np.zeros_like(distance)
    for i, j in np.ndindex(nearest.shape):
        other = nearest[i, j]
        graph[i, other] = graph[other, i] = np.exp(-(distance[i, other] ** 2) / (scale[i] * scale[other]))
    return graph


def spectral_clustering(rows, n_nearest, n_clusters):
    """Eigenvalues of the normalised Laplacian, and the k leading eigenvectors with rows of length 1."""
    graph = self_tuning_graph(rows, n_nearest)
    degree = graph.sum(axis=1)
    values, vectors = np.linalg.eigh(np.eye(len(rows)) - graph / np.sqrt(np.outer(degree, degree)))
    return values, unit_rows(vectors[:, :n_clusters])


# Ensembles


def consensus(members, n_clusters, weighted=False):
    """Rows and base clusters as one graph, ``L u = gamma D u``: places of the rows; `members` is (N, m) of labels.

    Weighted, vectors count by (1 / 64 + lambda / lambda_k)^-1/4, some behind the first k too, unless there is a gap.
    """
    columns = [base[:, None] == np.unique(base) for base in members.T]
    links = np.concatenate(columns, axis=1).astype(float)
    n, c = links.shape
    graph = np.block([[np.zeros((n, n)), links], [links.T, np.zeros((c, c))]])
    degree = np.diag(graph.sum(axis=1))
    count = n_clusters + (min(n_clusters - 1, 5) if weighted else 0)
    gamma, vectors = scipy.linalg.eigh(degree - graph, degree, subset_by_index=[0, count - 1])
    values = 1 - (1 - gamma) ** 2
    if count > n_clusters and values[n_clusters - 1] >= 0.4 * values[n_clusters]:
        vectors /= (1 / 64 + values / values[n_clusters - 1]) ** 0.25
    else:
        vectors = vectors[:, :n_clusters]
    return unit_rows(vectors[:n])


def own_choice(members, own, labels):
    """The member that others agree with most, if these agree better with it than with the labels of the consensus.

    `own` are the numbers of the members that have as many clusters as are sought, and end at a gap. None where the
    consensus stands.
    """
    choices = [members[:, number] for number in own]
    among = [np.mean([adjusted_rand_score(a, b) for b in choices if b is not a]) for a in choices]
    with_consensus = np.mean([adjusted_rand_score(labels, a) for a in choices])
    best = int(np.argmax(among))
    return choices[best] if among[best] > with_consensus + 1e-6 else None


def confidence(members, labels):
    """Of each row, the share of its own label in the base cluster it is in, on average over the members."""
    return [
        np.mean([np.mean(labels[base == base[row]] == labels[row]) for base in members.T]) for row in range(len(labels))
    ]

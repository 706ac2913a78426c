"""Slow, obvious twins of the kernels and of the method, in plain NumPy and float64, to check by eye against the paper.

The twins of the kernels come first, in the order of the phases; the whole method, `dnc_sc`, is put together from them
at the end. It draws the package's random numbers (`dncsc.engines.seeds`), so that results can be compared row by row.
"""

from __future__ import annotations

import itertools

import numpy as np
import scipy.linalg
from scipy.optimize import brentq
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from dncsc.engines.seeds import generator, stream

# Random numbers and totals


def row_keys(stream, start, n):
    """SplitMix64 of stream + row number, in Python's integers (kernels/hashing.py)."""
    keys = []
    for row in range(start, start + n):
        z = (int(stream) + (row + 1) * 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        keys.append(z ^ (z >> 31))
    return np.array(keys, np.uint64)


def rows_below(keys, group, limit, weight):
    """Rows of positive weight whose key is at most the limit of their group, where that is not 0."""
    return [r for r, g in enumerate(group) if limit[g] > 0 and keys[r] <= limit[g] and weight[r] > 0]


def places_below(keys, group, limit, first):
    """Places of the rows that `rows_below` chooses, from ``first[g]`` on in group g, in row order, or else -1."""
    chosen = rows_below(keys, group, limit, np.ones(len(keys)))
    return [first[g] + sum(group[c] == g for c in chosen if c < r) if r in chosen else -1 for r, g in enumerate(group)]


def group_rows(group, n_groups):
    """Row numbers group by group, and where each group begins (kernels/grouping.py)."""
    members = [[r for r, g in enumerate(group) if g == number] for number in range(n_groups)]
    return list(itertools.chain(*members)), [0, *itertools.accumulate(map(len, members))]


def sums_by_group(rows, weight, index, squared, n_groups):
    """Weighted sums of rows, weights and squared distances, and the number of rows of positive weight, by group."""
    membership = (index == np.arange(n_groups)[:, None]) * weight
    return membership @ rows.astype(float), membership.sum(axis=1), membership @ squared, (membership > 0).sum(axis=1)


# Distances


def unit_rows(rows):
    """``x / |x|``; rows of zeros as they are (kernels/survey.py)."""
    lengths = np.linalg.norm(rows.astype(float), axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def squared_distances(rows, points):
    """``|x - c|^2`` of every row and point."""
    return cdist(rows.astype(float), points.astype(float), "sqeuclidean")


def nearest_centres(rows, group, centres, first_centre):
    """Of a row's group's centres the nearest; the first where several are. Also its squared distance."""
    squared = squared_distances(rows, centres)
    for r, g in enumerate(group):
        squared[r, : first_centre[g]] = squared[r, first_centre[g + 1] :] = np.inf
    return squared.argmin(axis=1), squared.min(axis=1)


def candidates(landmarks, count):
    """Section 3.2: the landmarks nearest to each landmark, itself first, and their distances."""
    squared = squared_distances(landmarks, landmarks)
    np.fill_diagonal(squared, -1)
    order = np.argsort(squared, axis=1, kind="stable")[:, :count]
    return order, np.sqrt(np.maximum(np.take_along_axis(squared, order, axis=1), 0))


def search_candidates(rows, own, landmarks, candidates, n_nearest):
    """The K nearest among the candidates of a row's own landmark, equally near ones as they stand in that list."""
    squared = np.take_along_axis(squared_distances(rows, landmarks), candidates[own], axis=1)
    order = np.argsort(squared, axis=1, kind="stable")[:, :n_nearest]
    return np.take_along_axis(candidates[own], order, axis=1), np.take_along_axis(squared, order, axis=1)


def search_all(rows, points, n_nearest):
    """The K nearest of all points, equally near ones in their order."""
    squared = squared_distances(rows, points)
    nearest = np.argsort(squared, axis=1, kind="stable")[:, :n_nearest]
    return nearest, np.take_along_axis(squared, nearest, axis=1)


def search_cells(rows, cells, points, first, n_nearest):
    """The K nearest points of a row in its cells, equally near ones by their numbers (kernels/cells.py)."""
    squared = squared_distances(rows, points)
    of_cell = np.searchsorted(first, np.arange(len(points)), side="right") - 1
    inside = [np.flatnonzero(np.isin(of_cell, some)) for some in cells]
    nearest = [each[np.argsort(squared[r, each], kind="stable")][:n_nearest] for r, each in enumerate(inside)]
    return nearest, [squared[r, each] for r, each in enumerate(nearest)]


def projections(points, directions):
    """Products with some orthonormal directions, and the length of what these leave (kernels/projection.py)."""
    products = points.astype(float) @ directions.T.astype(float)
    return np.column_stack([products, np.linalg.norm(points - products @ directions.astype(float), axis=1)])


# The graph and its spectrum


def gaussian(squared, bandwidth):
    """Equation 13, ``B = exp(-d^2 / 2 sigma^2)``; its row sums ``D_X``; and ``T = D_X^-1 B``."""
    weights = np.exp(-squared.astype(float) / (2 * bandwidth**2))
    degree = weights.sum(axis=1)
    return weights, weights / degree[:, None], degree


def dense(nearest, values, n_landmarks):
    """An (N, p) matrix from K entries a row."""
    matrix = np.zeros((len(nearest), n_landmarks))
    np.put_along_axis(matrix, nearest.astype(np.int64), values, axis=1)
    return matrix


def landmark_similarity(weights, sample_weight=1.0):
    """Equation 7, ``W_R = B^T D_X^-1 B`` of a dense B; a row of sample weight 2 counts twice."""
    return weights.T @ np.diag(sample_weight / weights.sum(axis=1)) @ weights


def transfer_cut(similarity, count):
    """Equation 8, ``L_R v = lambda D_R v``: the smallest lambda, and v with ``v^T D_R v = 1`` and a definite sign."""
    degree = similarity.sum(axis=1)
    eigenvalues, vectors = scipy.linalg.eigh(np.diag(degree) - similarity, np.diag(degree))
    scaled = vectors[:, :count] * np.sqrt(degree)[:, None]
    signs = [np.sign(column[np.abs(column).argmax()]) for column in scaled.T]
    return eigenvalues[:count], vectors[:, :count] * signs


def adaptive(squared):
    """Nie et al. 2016: ``(d_K^2 - d_j^2) / sum`` of the K nearest; the last gets nothing.

    Unless all but the nearest are equally far: there the level is 1.5 times that.
    """
    last, second = squared[:, -1:], squared[:, 1:2]
    level = np.where(last - second <= 1e-3 * last, 1.5 * last, last) - squared
    return level / level.sum(axis=1, keepdims=True)


# The default cut (phases/cut/)


def inflate(similarity, mass, n_clusters):
    """Squared links. A landmark is linked to itself only where it may be a cluster: dense, alone, or one of few."""
    others = similarity * ~np.eye(len(mass), dtype=bool)
    sums = others.sum(axis=1)
    dense = mass * sums >= 10 * (others @ mass)
    may_be_cluster = dense | (sums == 0) | (len(mass) < 40 * n_clusters)
    return ((others + np.diag(may_be_cluster * similarity.diagonal())) / similarity[similarity > 0].mean()) ** 2


def components(links):
    """Sets of landmarks that hang together."""
    left, found = set(range(len(links))), []
    while left:
        inside, reached = set(), {min(left)}
        while reached:
            inside |= reached
            reached = {j for i in reached for j in np.flatnonzero(links[i])} - inside
        left -= inside
        found.append(np.array(sorted(inside)))
    return found


def extent(vector, mass=1.0):
    """Participation ratio: the mass of the landmarks that a vector extends over."""
    return np.sum(mass * vector**2) ** 2 / np.sum(mass * vector**4)


def cut(links, mass, landmarks, n_clusters, limit, weighted=True):
    """Coordinates of the landmarks and eigenvalues, or None where outliers take the place of clusters."""
    n, p = mass.sum(), len(mass)
    thin, light = min(10, p / 4 / n_clusters), max(0.03 * n / n_clusters, 8)
    degree = links.sum(axis=1)
    normal = links / np.sqrt(np.maximum(np.outer(degree, degree), 1e-300))
    normal[normal < 1e-12] = 0
    weakest = 0.0
    while True:
        parts = components(normal * (normal >= weakest))
        kept = [part for part in parts if mass[part].sum() >= light or (len(part) >= thin and mass[part].sum() >= 30)]
        core = np.concatenate(kept if mass[np.concatenate(kept)].sum() >= 0.5 * n else parts)
        if limit and (mass[core].sum() < (1 - limit[0]) * n or len(core) < (1 - limit[1]) * p):
            return None
        pairs = []
        for part in components(normal[np.ix_(core, core)]):
            inside = links[np.ix_(core[part], core[part])]
            root = np.sqrt(inside.sum(axis=1))
            values, vectors = np.linalg.eigh(inside / np.outer(root, root))
            for number, (value, vector) in enumerate(zip(values[::-1], vectors.T[::-1], strict=True)):
                whole = np.zeros(p)
                whole[core[part]] = vector / root
                pairs.append((1 - value, whole, np.inf if number == 0 else extent(whole)))
        pairs.sort(key=lambda pair: pair[0])
        value = [pair[0] for pair in pairs]
        n_used = n_clusters if value[n_clusters - 1] < 0.5 * value[n_clusters] else n_clusters + min(n_clusters - 1, 5)
        if not limit or all(size >= thin for _, _, size in pairs[:n_used]):
            break
        localized = [value for value, _, size in pairs[: n_clusters + 5] if size < thin]
        weakest = 3 * max(weakest, *localized)
        if weakest >= 1:
            return None
    pairs = [(value, vector, size) for value, vector, size in pairs if size >= thin or extent(vector, mass) >= light]
    value, vectors = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs]).T
    has_gap = value[n_clusters - 1] < 0.5 * value[n_clusters] or not weighted
    n_used = n_clusters if has_gap else n_clusters + min(n_clusters - 1, 5)
    coordinates = vectors[:, :n_used] / np.sqrt(1 - value[:n_used])
    if not has_gap:
        coordinates /= (1 / 64 + value[:n_used] / value[n_clusters - 1]) ** 0.25
    outside = np.setdiff1d(np.arange(p), core)
    coordinates[outside] = coordinates[core[squared_distances(landmarks[outside], landmarks[core]).argmin(axis=1)]]
    return coordinates, value


def coarse_cut(landmarks, mass, n_clusters, seed):
    """Landmarks taken for rows of the weight of theirs, and linked to a few means of them."""
    n_coarse = min(max(100, 5 * n_clusters), len(landmarks) // 5)
    centres, _ = kmeans(landmarks, mass, n_coarse, generator(seed, "coarse landmarks"), 20)
    nearest, _ = search_all(landmarks, centres, 5)
    squared = ((landmarks[:, None] - centres[nearest]) ** 2).sum(axis=2)
    weights, transition, _ = gaussian(squared, np.average(np.sqrt(squared).mean(axis=1), weights=mass))
    links = landmark_similarity(dense(nearest, weights, n_coarse), mass)
    coarse = np.bincount(nearest[:, 0], mass, n_coarse)
    coordinates, value = cut(links, coarse, centres, n_clusters, limit=None, weighted=False)
    return dense(nearest, transition, n_coarse) @ coordinates, value


def common_values(landmarks, mass):
    """Which landmarks have the commonest value of a feature, and which share all those of all features."""
    found = []

    def is_frequent(members):
        share = mass[members].sum() / mass.sum()
        return members.sum() >= max(10, 0.01 * len(mass)) and 0.005 <= share <= 0.995

    for values in landmarks.T:
        order = np.sort(values)
        runs = np.split(order, np.flatnonzero(np.diff(order) > 1e-5 * values.std()) + 1)
        longest = max(runs, key=len)
        found.append(np.isin(values, longest))
    found = [members for members in found if is_frequent(members)]
    shared = [tuple(members[i] for members in found) for i in range(len(landmarks))]
    cells = [np.array([each == cell for each in shared]) for cell in sorted(set(shared))]
    found += [members for members in cells if is_frequent(members)]
    return np.array(found, float).reshape(len(found), len(landmarks)).T


def share_explained(common, mass, coordinates):
    """R squared of each indicator, by least squares on the coordinates and a constant."""
    root = np.sqrt(mass / mass.sum())[:, None]
    places = root * np.column_stack([np.ones(len(mass)), coordinates])
    left = root * common - places @ np.linalg.lstsq(places, root * common, rcond=1e-9)[0]
    return 1 - (left**2).sum(axis=0) / ((root * (common - (root**2).T @ common)) ** 2).sum(axis=0)


def beyond_categories(fine, landmarks, mass, n_clusters, seed):
    """The cut, or a coarser one that explains at most half as much of common values."""
    common = common_values(landmarks, mass)
    before = share_explained(common, mass, fine[0])
    if before.max(initial=0) < 0.1:
        return fine
    coarse = coarse_cut(landmarks, mass, n_clusters, seed)
    after = share_explained(common, mass, coarse[0])
    return coarse if before @ after <= 0.5 * (before @ before) else fine


def default_cut(nearest, squared, landmarks, n_clusters, seed):
    """Narrow weights, unless they fragment the graph, then adaptive ones: places of rows, eigenvalues, bandwidth.

    Of few rows the mean distance is tried in between. Where the graph shows categories, a coarser one is cut.
    """
    p, mass = len(landmarks), np.bincount(nearest[:, 0], minlength=len(landmarks)).astype(float)
    are_few = len(nearest) < 4 * p
    limits = {0.35: (0.01, 0.05)} | ({1.0: (0.5, 1.0)} if are_few else {})

    def links_of(weights):
        similarity = landmark_similarity(dense(nearest, weights, p))
        return similarity if are_few else inflate(similarity, mass, n_clusters)

    for share, limit in limits.items():
        bandwidth = share * np.sqrt(squared).mean()
        weights, transition, _ = gaussian(squared, bandwidth)
        found = cut(links_of(weights), mass, landmarks, n_clusters, limit)
        if found is not None:
            break
    else:
        bandwidth, transition = None, adaptive(squared.astype(float))
        found = cut(links_of(transition), mass, landmarks, n_clusters, limit=None)
    coordinates, eigenvalues = beyond_categories(found, landmarks, mass, n_clusters, seed)
    places = dense(nearest, transition, p) @ coordinates
    return places / np.linalg.norm(places, axis=1, keepdims=True), eigenvalues, bandwidth


# The cut into many clusters (kernels/communities.py, phases/cut/multilevel.py)


def log_densities(rows, means, covariances, shares):
    """(n, k): of Gaussian components, times their shares of the rows."""
    return np.stack(
        [
            multivariate_normal.logpdf(rows, mean, covariance).reshape(-1) + np.log(share)
            for mean, covariance, share in zip(means, covariances, shares, strict=True)
        ],
        axis=1,
    )


def mixture(rows, label):
    """Expectation and maximisation from a first component of each row: the first and the last log-likelihood, less the
    number of parameters (AIC), of a row; and the likeliest component of each in the end."""
    k, (n, d) = label.max() + 1, rows.shape
    shares, found = np.eye(k)[label], [-np.inf]
    while len(found) < 100:
        mass = shares.sum(axis=0)
        means = [np.average(rows, axis=0, weights=share) for share in shares.T]
        spreads = [np.cov(rows.T, bias=True, aweights=share).reshape(d, d) + 1e-3 * np.eye(d) for share in shares.T]
        densities = log_densities(rows, means, spreads, mass / n)
        found.append(logsumexp(densities, axis=1).mean())
        shares = np.exp(densities - logsumexp(densities, axis=1, keepdims=True))
        if found[-1] - found[-2] < 1e-3:
            break
    return *(np.array(found)[[1, -1]] - (k * (1 + d + d * (d + 1) / 2) - 1) / n), shares.argmax(axis=1)


def gaussian_clusters(rows, label):
    """Labels by as many Gaussians as clusters, unless three times as many are better, or these clusters are."""
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    start = KMeans(label.max() + 1, n_init=10, random_state=0).fit_predict(rows)
    finer = np.zeros_like(label)
    for number in np.unique(label):
        inside = label == number
        round_ = np.linalg.solve(np.linalg.cholesky(np.cov(rows[inside].T)), rows[inside].T).T
        finer[inside] = 3 * number + KMeans(3, n_init=10, random_state=0).fit_predict(round_)
    (own, _, _), (_, few, likeliest), (_, many, _) = (mixture(rows, each) for each in (label, start, finer))
    return likeliest if few > max(own - 1e-3, many) and adjusted_rand_score(label, likeliest) >= 0.1 else label


def modularity(links, community, resolution, kept=0.0):
    """``sum (w_ij - resolution d_i d_j / sum d) / sum d`` over the pairs of one community.

    What is `kept` of the volume of each community, or of node numbers as communities, counts for nothing.
    """
    degree = links.sum(axis=1)
    same = np.equal.outer(community, community)
    spared = 2 * resolution * (degree * np.broadcast_to(kept, degree.shape)[community]).sum() / degree.sum()
    even = resolution * np.outer(degree, degree) / degree.sum()
    return (((links - even) * same).sum() + spared) / degree.sum()


def move_nodes(links, resolution, order, max_rounds, community, kept=0.0):
    """Each node goes to the neighbouring community of the largest modularity, in rounds, until none moves."""
    community, moved = community.copy(), 0
    degree = links.sum(axis=1)
    for _ in range(max_rounds):
        before = moved
        for i in order:
            near = dict.fromkeys(community[j] for j in np.flatnonzero(links[i]) if j != i)

            def value(c, i=i):
                return modularity(links, np.where(np.arange(len(links)) == i, c, community), resolution, kept)

            best = max([community[i], *near], key=value)
            if value(best) > value(community[i]) + 1e-12 * degree[i] / degree.sum():
                community[i] = best
                moved += 1
        if moved == before:
            break
    return community, moved


def between_groups(links, group):
    """Sums of the links of groups that are numbered from 0."""
    member = np.eye(group.max() + 1)[group]
    return member.T @ links @ member


def agglomerate(links):
    """Join the two groups of the largest ``w / (v v')^0.8``: the groups after each step, and ``w / sqrt(v v')``.

    Of groups without links the one of the smallest v joins that of the largest.
    """
    links, groups, steps = links.astype(float), [{i} for i in range(len(links))], []
    while len(groups) > 1:
        volume = links.sum(axis=1)
        others = links * ~np.eye(len(links), dtype=bool)
        strength = others / np.maximum(np.sqrt(np.outer(volume, volume)), 1e-300)
        worth = others / np.maximum(np.outer(volume, volume) ** 0.8, 1e-300)
        i, j = sorted(np.unravel_index(worth.argmax(), worth.shape))
        if others.max() == 0:
            small, *_, large = np.argsort(volume, kind="stable")
            i, j = sorted([small, large])
        steps.append(([*groups[:i], groups[i] | groups[j], *groups[i + 1 : j], *groups[j + 1 :]], strength[i, j]))
        group = np.array([i if g == j else g - (g > j) for g in range(len(groups))])
        links, groups = between_groups(links, group), steps[-1][0]
    return steps


def settle(nearest, cluster):
    """Label of each row whose landmarks are all of one cluster, and else None (kernels/settle.py)."""
    found = [set(cluster[each].tolist()) for each in nearest]
    return [min(each) if len(each) == 1 and min(each) >= 0 else None for each in found]


def vote(nearest, shares, cluster):
    """Cluster of a row's largest share, the first of equal ones; squared distance of all shares from that corner."""
    corners = np.eye(cluster.max() + 1)
    places = dense(nearest, shares.astype(float), len(cluster)) @ corners[cluster]
    label = places.argmax(axis=1)
    return label, ((places - corners[label]) ** 2).sum(axis=1)


def multilevel(rows, landmarks, n_clusters, n_neighbors, seed):
    """Labels of rows whose landmarks are rows: Louvain communities, joined by normalised weight; rows vote."""
    nearest, squared = search_all(rows, landmarks, n_neighbors + 1)
    shares, mass = adaptive(squared), np.bincount(nearest[:, 0], minlength=len(landmarks)).astype(float)
    links = landmark_similarity(dense(nearest, shares, len(landmarks)))
    np.fill_diagonal(links, 0)
    for resolution in 0.3 * n_clusters * 2.0 ** np.arange(10):
        fine, inside = np.arange(len(links)), links
        for level in itertools.count():
            order = generator(seed, "communities", level).permutation(len(inside))
            group, moved = move_nodes(inside, resolution, order, 10, np.arange(len(inside)))
            if not moved:
                break
            group = np.unique(group, return_inverse=True)[1]
            fine, inside = group[fine], between_groups(inside, group)
        if len(inside) >= n_clusters:
            break
    least = max(0.03 * len(rows), min(8 * n_clusters, 0.2 * len(rows))) / n_clusters
    of_group = np.bincount(fine, mass)
    least = least if np.sum(of_group >= least) >= n_clusters else 0
    groups = [{i} for i in range(len(inside))]
    for joined, strength in agglomerate(inside):
        if sum(of_group[list(one)].sum() >= least for one in groups) > n_clusters and strength > 0:
            groups = joined
    cluster = np.full(len(landmarks), -1)
    for number, one in enumerate(one for one in groups if of_group[list(one)].sum() >= least):
        cluster[np.isin(fine, list(one))] = number
    core = np.flatnonzero(cluster >= 0)
    cluster = cluster[core[squared_distances(landmarks, landmarks[core]).argmin(axis=1)]]
    while len(np.unique(cluster)) > n_clusters:  # parts without links: the lightest joins the nearest
        light = min(np.unique(cluster), key=lambda c: mass[cluster == c].sum())
        outside = np.flatnonzero(cluster != light)
        squared = squared_distances(landmarks[cluster == light], landmarks[outside])
        cluster[cluster == light] = cluster[outside[squared.min(axis=0).argmin()]]
    return vote(nearest, shares, np.unique(cluster, return_inverse=True)[1])[0]


def embedding(transition, vectors, eigenvalues, norm):
    """``u = T v / sqrt(1 - lambda)``, each row divided by its norm, "l1" or "l2"."""
    lifted = transition @ vectors / np.sqrt(1 - eigenvalues)
    return lifted / np.linalg.norm(lifted, ord={"l1": 1, "l2": 2}[norm], axis=1, keepdims=True)


def labels(embedding, centroids):
    """Nearest centroid of each embedded row, and its squared distance."""
    squared = squared_distances(embedding, centroids)
    return squared.argmin(axis=1), squared.min(axis=1)


# k-means


def spread(points, weight, uniforms):
    """k-means++: each next point by weight times squared distance, the best of several trials (kernels/seeding.py)."""
    chosen, squared, share = [], np.full(len(points), np.inf), weight
    for i in range(len(uniforms)):
        if not share.sum() > 0:
            break
        trials = [
            np.flatnonzero(np.cumsum(share) > u * share.sum())[0] for u in (uniforms[i] if i > 0 else uniforms[i, :1])
        ]
        left = [np.minimum(squared, squared_distances(points, points[[trial]])[:, 0]) for trial in trials]
        best = int(np.argmin([weight @ distances for distances in left]))
        chosen.append(trials[best])
        squared, share = left[best], weight * left[best]
    return np.array(chosen)


def lloyd(points, weight, centres, max_iter):
    """Lloyd's iterations until no point changes its centre; an empty part moves to the point farthest from its own."""
    centres = centres.astype(float)
    index, squared = labels(points, centres)
    for _ in range(max_iter):
        before, farthest = index, iter(np.argsort(-squared, kind="stable"))
        for part in range(len(centres)):
            inside = index == part
            centres[part] = np.average(points[inside], 0, weight[inside]) if inside.any() else points[next(farthest)]
        index, squared = labels(points, centres)
        if np.array_equal(index, before):
            break
    return centres[np.unique(index)], weight @ squared


def kmeans(points, weight, n_parts, random, max_iter, trials=1):
    """Lloyd's iterations from a k-means++ start among evenly spaced points, sorted by a random projection."""
    uniforms = random.random((min(n_parts, len(points)), trials))
    direction = random.standard_normal(points.shape[1])
    n, count = len(points), max(10 * n_parts, 500)
    seen = np.arange(n) if count >= n else np.floor((np.arange(count) + random.random(count)) * n / count).astype(int)
    order = seen[np.argsort(points[seen] @ direction, kind="stable")]
    start = points[order][spread(points[order], weight[order], uniforms)]
    return lloyd(points, weight, start, max_iter)


# Divide and conquer


def allocate(residual, most, total):
    """Equation 12: 1 part each and more in proportion to the residual, up to `most`; remainders go by size."""
    limit = np.where(residual > 0, most - 1, 0)
    spare = min(max(total - len(residual), 0), limit.sum())
    if not spare:
        return np.ones(len(residual), int)
    share = residual / residual.sum()
    largest = 2 * total / share[share > 0].min()
    size = brentq(lambda size: np.clip(size * share - 1, 0, limit).sum() - spare, 0, largest, maxiter=1000)
    more = np.clip(size * share - 1, 0, limit)
    parts = np.floor(more + 1e-9).astype(int)
    while parts.sum() < spare:
        parts[np.argmax(np.where(parts < limit, more - parts, -1))] += 1
    return 1 + parts


def reach_of_rows(rows, n_neighbors):
    """Distance of each row to its m-th nearest other one, or the farthest (kernels/linkage.py)."""
    return np.sort(cdist(rows, rows), axis=1)[:, min(n_neighbors, len(rows) - 1)]


def mutual_reachability(rows, n_neighbors):
    """Distances, or the reach of either row, if that is larger."""
    reach = reach_of_rows(rows, n_neighbors)
    return np.maximum(cdist(rows, rows), np.maximum(reach[:, None], reach))


def linked(first, second, n):
    """Which rows are connected by these links: the smallest row of each group."""
    group = np.arange(n)
    for a, b in zip(first, second, strict=True):
        group[np.isin(group, [group[a], group[b]])] = min(group[a], group[b])
    return group


def count_large(first, second, weight, least):
    """Groups of at least so much weight after each of the links."""
    after = [linked(first[: i + 1], second[: i + 1], len(weight)) for i in range(len(first))]
    return [int(np.sum(np.bincount(group, weight) >= least)) for group in after]


def label_by_links(first, second, label):
    """Labels spread along the links, one after another, as long as they do not meet others."""
    label, group = np.array(label), np.arange(len(label))
    for a, b in zip(first, second, strict=True):
        members = np.isin(group, [group[a], group[b]])
        known = set(label[members]) - {-1}
        if len(known) <= 1:
            group[members] = min(group[a], group[b])
            label[members] = next(iter(known), -1)
    return label


def select(rows, n_landmarks, rate, sample_size, settle, seed):
    """Section 3.1: divide by light-k-means, again and again, until there are p; the means, and each row's own.

    To settle is to take the nearest of all for a row's own, and means again.
    """
    subset = np.zeros(len(rows), int)
    centres = np.zeros((1, rows.shape[1]))
    parts = np.array([min(n_landmarks, rate)])
    for number in itertools.count():
        keys = row_keys(stream(seed, "select", number), 0, len(rows))
        refined, found = np.empty_like(subset), []
        for i in range(len(parts)):
            members = np.flatnonzero(subset == i)
            divided = centres[[i]]
            if parts[i] > 1:
                sample = rows[np.sort(members[np.argsort(keys[members])[: min(sample_size, 150 * parts[i])]])]
                divided, _ = kmeans(sample, np.ones(len(sample)), parts[i], generator(seed, "select", number, i), 10)
            refined[members] = len(found) + labels(rows[members], divided)[0]
            found.extend(divided)
        subset, centres = refined, np.array(found)
        means = np.array([rows[subset == i].mean(axis=0) for i in range(len(centres))])
        residual = np.array([np.sum((rows[subset == i] - means[i]) ** 2) for i in range(len(centres))])
        d = rows.shape[1]
        parts = allocate(residual ** (d / (d + 2)), np.minimum(rate, np.bincount(subset)), n_landmarks)
        if parts.max() == 1:
            break
    if settle:
        subset = labels(rows, means)[0]
        means = np.array([rows[subset == i].mean(axis=0) for i in range(len(means))])
    return means, subset


def dnc_sc(rows, n_clusters, n_landmarks, n_neighbors, rate, sample_size, settle, norm, seed, bandwidth="mean"):
    """The whole of DnC-SC: landmarks, the K nearest of each row, eigenvalues, labels."""
    landmarks, own = select(rows, n_landmarks, rate, sample_size, settle, seed)
    near, _ = candidates(landmarks, 10 * n_neighbors)
    nearest, squared = search_candidates(rows, own, landmarks, near, n_neighbors)
    if bandwidth == "auto":
        points, eigenvalues, _ = default_cut(nearest, squared, landmarks, n_clusters, seed)
    else:
        weights, transition, _ = gaussian(squared, bandwidth=np.sqrt(squared).mean())
        weights, transition = (dense(nearest, each, n_landmarks) for each in (weights, transition))
        eigenvalues, vectors = transfer_cut(landmark_similarity(weights), n_clusters + 5)
        mass = np.bincount(nearest[:, 0], minlength=n_landmarks)
        thin, light = min(10, n_landmarks / 4 / n_clusters), max(0.03 * len(rows) / n_clusters, 8)
        kept = [extent(vector) >= thin or extent(vector, mass) >= light for vector in vectors.T]
        eigenvalues, vectors = eigenvalues[kept], vectors[:, kept]
        points = embedding(transition, vectors[:, :n_clusters], eigenvalues[:n_clusters], norm)
    starts = [generator(seed, "discretize", i) for i in range(15)]
    found = [kmeans(points, np.ones(len(rows)), n_clusters, random, 100, trials=3) for random in starts]
    centroids, _ = min(found, key=lambda each: each[1])
    found = labels(points, centroids)[0]
    if bandwidth == "auto" and eigenvalues[n_clusters - 1] > 1e-4:
        found = gaussian_clusters(rows, found)
    return landmarks, nearest, eigenvalues, found

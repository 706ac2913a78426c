"""Phase 4: the bipartite graph of rows and landmarks is cut through the landmarks alone (transfer cut).

`policy` has every threshold. `weights` says which weights are tried, `landmark_graph` adds up W_R, `outliers` tells
what is no cluster, `spectrum` finds eigenvectors,
`transfer_cut` puts it together, `count` finds how many clusters there are.
"""

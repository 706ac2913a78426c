"""Models as files: which records they are made of, and whether one that was read can be trusted with rows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from dncsc.engines.frame import Frame
from dncsc.phases.affinity import Adaptive, Gaussian, RowsOfOne, SelfTuning
from dncsc.phases.discretize import Centroids
from dncsc.phases.embedding import Lift, Lifted, RowsAndLandmarks
from dncsc.phases.ensemble import Group, Member, RowsAndMembers
from dncsc.phases.exact_graph import Placed
from dncsc.phases.nearest import CandidateSearch, ExactSearch, Links
from dncsc.phases.nystrom import ByAllLandmarks, Kernel
from dncsc.phases.partition import Partition
from dncsc.phases.plain import Rows
from dncsc.phases.select.tree import Level, Selection, Tree
from dncsc.pipeline import Model
from dncsc.records import BadRecord

KINDS: tuple[type, ...] = (
    Adaptive,
    ByAllLandmarks,
    CandidateSearch,
    Centroids,
    ExactSearch,
    Frame,
    Gaussian,
    Group,
    Kernel,
    Level,
    Lift,
    Lifted,
    Links,
    Member,
    Model,
    Partition,
    Placed,
    Rows,
    RowsAndLandmarks,
    RowsAndMembers,
    RowsOfOne,
    Selection,
    SelfTuning,
    Tree,
)

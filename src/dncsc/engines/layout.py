"""How rows are divided: fixed blocks, and shards of consecutive blocks.

A block is what a kernel sees; a shard is what one worker handles and adds up in order. Both depend on the shape of
the data alone, never on threads, engines or chunks, so that float64 sums come out the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

BLOCK_VALUES = 2**21
LARGEST_BLOCK = 2**16
SMALLEST_BLOCK = 2**8
SHARDS = 32
SHORTEST_SHARD = 2
LONGEST_SHARD = 256


def block_rows(n_features: int) -> int:
    """Rows a block: a power of two, some 2**21 values, between 2**8 and 2**16 rows."""
    fitting = BLOCK_VALUES // max(n_features, 1)
    return max(SMALLEST_BLOCK, min(LARGEST_BLOCK, 1 << max(fitting, 1).bit_length() - 1))


@dataclass(frozen=True)
class Layout:
    """Blocks and shards of a table of rows."""

    n_rows: int
    n_features: int

    @property
    def block_rows(self) -> int:
        return block_rows(self.n_features)

    @property
    def n_blocks(self) -> int:
        return -(-self.n_rows // self.block_rows)

    @property
    def n_shards(self) -> int:
        """Shards of at least 2 and at most 256 blocks; 32 of them if that is possible.

        Each has a total of its own, so that many short ones would cost more than they gain in balance.
        """
        fewest, most = -(-self.n_blocks // LONGEST_SHARD), -(-self.n_blocks // SHORTEST_SHARD)
        return max(min(most, SHARDS), fewest)

    def shard(self, number: int) -> Iterator[tuple[int, int]]:
        """First row and end of each block of a shard, in order."""
        first = number * self.n_blocks // self.n_shards
        last = (number + 1) * self.n_blocks // self.n_shards
        for block in range(first, last):
            start = block * self.block_rows
            yield start, min(start + self.block_rows, self.n_rows)

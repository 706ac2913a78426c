"""Threads that share items: results in order, whoever has found them."""

from __future__ import annotations

import time

import pytest

from dncsc.engines.pool import Pool

threads = pytest.mark.parametrize("n_threads", [1, 2, 5])


@threads
@pytest.mark.parametrize("n", [0, 1, 2, 100])
def test_results_are_in_the_order_of_the_items(n_threads, n):
    with Pool(n_threads) as pool:
        assert pool.each(lambda item: item * item, range(n)) == [item * item for item in range(n)]


@threads
def test_the_first_error_in_order_of_the_items_is_raised(n_threads):
    def fail(item):
        time.sleep(0.01 * (4 - item))  # the last is the first to fail
        raise ValueError(item)

    with Pool(n_threads) as pool, pytest.raises(ValueError, match="0"):
        pool.each(fail, range(4))


@pytest.mark.parametrize("n_threads", [2, 5])
def test_an_interrupt_ends_what_others_do(n_threads):
    """Theirs is the error of being stopped, which is not told."""
    with Pool(n_threads) as pool:

        def run(item):
            if item == 1:
                raise KeyboardInterrupt
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline:
                pool.check()
                time.sleep(0.001)
            raise AssertionError("nobody has stopped this")

        with pytest.raises(KeyboardInterrupt):
            pool.each(run, range(2))


@threads
def test_work_inside_work_comes_to_an_end(n_threads):
    with Pool(n_threads) as pool:
        found = pool.each(lambda row: sum(pool.each(lambda column: row * column, range(10))), range(10))
    assert found == [45 * row for row in range(10)]

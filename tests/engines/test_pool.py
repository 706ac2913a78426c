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


@threads
def test_results_end_with_the_first_that_is_accepted(n_threads):
    def slower(item):
        time.sleep(0.01 * (4 - item))
        return item

    with Pool(n_threads) as pool:
        assert pool.first(slower, range(4), lambda answer: answer >= 2) == [0, 1, 2]
        assert pool.first(slower, range(4), lambda answer: False) == [0, 1, 2, 3]


@threads
def test_what_fails_behind_an_accepted_result_does_not_count(n_threads):
    def fail_from_one_on(item):
        if item > 0:
            raise ValueError(item)
        time.sleep(0.02)
        return item

    with Pool(n_threads) as pool:
        assert pool.first(fail_from_one_on, range(3), lambda answer: True) == [0]
        with pytest.raises(ValueError, match="1"):
            pool.first(fail_from_one_on, range(3), lambda answer: False)

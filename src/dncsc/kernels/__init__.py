"""Numba kernels: one block of rows, one thread, arrays in and arrays out."""

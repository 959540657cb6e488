"""The cases, a module a family; each holds its kernels in HIP and the same loops in C next to it."""

"""No GPU in it, nor nvcc."""
print("-gencode")

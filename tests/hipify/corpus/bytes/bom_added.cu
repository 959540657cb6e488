int x = cudaSuccess;

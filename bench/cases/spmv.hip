// Sparse matrix (CSR) times vector, a thread a row: gathers of values, columns and the vector; rows differ in length.

extern "C" __global__ __launch_bounds__(256) void spmv(int rows, const int *__restrict__ start, const int *__restrict__ column,
                                                       const float *__restrict__ value, const float *__restrict__ x,
                                                       float *__restrict__ y) {
    int row = blockIdx.x * 256 + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int i = start[row]; i < start[row + 1]; i++) sum += value[i] * x[column[i]];
    y[row] = sum;
}

// The naive matrix product for PoCL.

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void naive(int n, __global const float *restrict a, __global const float *restrict b, __global float *restrict c) {
    int col = get_global_id(0), row = get_global_id(1);
    float acc = 0;
    for (int k = 0; k < n; k++) acc += a[row * n + k] * b[k * n + col];
    c[row * n + col] = acc;
}

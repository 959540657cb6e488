// The tree reduction for PoCL.

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void tree(__global const float *restrict in, __global float *restrict out) {
    __local float part[256];
    int t = get_local_id(0);
    part[t] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) out[get_group_id(0)] = part[0];
}

// All-pairs gravity: a thread a body.

extern "C" __global__ __launch_bounds__(64) void nbody(int n, const float4 *__restrict__ p, float4 *__restrict__ out) {
    int i = blockIdx.x * 64 + threadIdx.x;
    float px = p[i].x, py = p[i].y, pz = p[i].z, ax = 0, ay = 0, az = 0;
#pragma unroll 4
    for (int j = 0; j < n; j++) {
        float4 q = p[j];
        float dx = q.x - px, dy = q.y - py, dz = q.z - pz;
        float r = __builtin_amdgcn_rsqf(dx * dx + dy * dy + dz * dz + 1e-3f);  // as C has under -ffast-math: no care for denormals
        float s = q.w * r * r * r;
        ax += dx * s, ay += dy * s, az += dz * s;
    }
    out[i] = make_float4(ax, ay, az, 0);
}

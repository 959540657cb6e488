// All-pairs gravity for PoCL.

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void nbody(int n, __global const float4 *restrict p, __global float4 *restrict out) {
    int i = get_global_id(0);
    float px = p[i].x, py = p[i].y, pz = p[i].z, ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float4 q = p[j];
        float dx = q.x - px, dy = q.y - py, dz = q.z - pz;
        float r = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
        float s = q.w * r * r * r;
        ax += dx * s, ay += dy * s, az += dz * s;
    }
    out[i] = (float4)(ax, ay, az, 0);
}

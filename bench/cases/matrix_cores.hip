// fp16 products on the matrix cores, C = A Bᵀ (as in a linear layer: both operands run along k), fp32 sums.
// A block computes a tile of kTile x kTile; strips of both operands go through LDS, 16 bytes a thread at a time.

using half8 = _Float16 __attribute__((ext_vector_type(8)));

constexpr int kDepth = 32, kRow = kDepth + 8;  // eight halves of padding against bank conflicts

// Strips of kDepth along k from `rows` rows at `from` into LDS.
template <int kTile, int kThreads> __device__ void stage(const _Float16 *from, int n, _Float16 (*to)[kRow]) {
#pragma unroll
    for (int i = 0; i < kTile * kDepth / 8; i += kThreads) {
        int at = i + threadIdx.x, row = at / (kDepth / 8), k = at % (kDepth / 8) * 8;
        *(half8 *)&to[row][k] = *(const half8 *)&from[(size_t)row * n + k];
    }
}

#if defined(__gfx942__)
// Tiles of 128 x 128, four waves with 2 x 2 products of 32 x 32 x 8 each.
using half4 = _Float16 __attribute__((ext_vector_type(4)));
using float16 = float __attribute__((ext_vector_type(16)));

extern "C" __global__ __launch_bounds__(256) void matmul(int n, const _Float16 *__restrict__ a, const _Float16 *__restrict__ b,
                                                         float *__restrict__ c) {
    __shared__ _Float16 ta[128][kRow], tb[128][kRow];
    int lane = threadIdx.x % 64, wave = threadIdx.x / 64, line = lane % 32, group = lane / 32;
    int row0 = blockIdx.y * 128, col0 = blockIdx.x * 128, y0 = wave / 2 * 64, x0 = wave % 2 * 64;
    float16 sum[2][2] = {};
    for (int k0 = 0; k0 < n; k0 += kDepth) {
        stage<128, 256>(a + (size_t)row0 * n + k0, n, ta);
        stage<128, 256>(b + (size_t)col0 * n + k0, n, tb);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kDepth; k += 8) {
            half4 fa[2], fb[2];
            for (int i = 0; i < 2; i++) {
                fa[i] = *(half4 *)&ta[y0 + 32 * i + line][k + 4 * group];
                fb[i] = *(half4 *)&tb[x0 + 32 * i + line][k + 4 * group];
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) sum[i][j] = __builtin_amdgcn_mfma_f32_32x32x8f16(fa[i], fb[j], sum[i][j], 0, 0, 0);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int r = 0; r < 16; r++) {
                int row = row0 + y0 + 32 * i + 8 * (r / 4) + 4 * group + r % 4;
                c[(size_t)row * n + col0 + x0 + 32 * j + line] = sum[i][j][r];
            }
}
#elif defined(__gfx1100__)
// Tiles of 64 x 64, four waves with 2 x 2 products of 16 x 16 x 16 each.
using half16 = _Float16 __attribute__((ext_vector_type(16)));
using float8 = float __attribute__((ext_vector_type(8)));

extern "C" __global__ __launch_bounds__(128) void matmul(int n, const _Float16 *__restrict__ a, const _Float16 *__restrict__ b,
                                                         float *__restrict__ c) {
    __shared__ _Float16 ta[64][kRow], tb[64][kRow];
    int lane = threadIdx.x % 32, wave = threadIdx.x / 32, line = lane % 16, group = lane / 16;
    int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, y0 = wave / 2 * 32, x0 = wave % 2 * 32;
    float8 sum[2][2] = {};
    for (int k0 = 0; k0 < n; k0 += kDepth) {
        stage<64, 128>(a + (size_t)row0 * n + k0, n, ta);
        stage<64, 128>(b + (size_t)col0 * n + k0, n, tb);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kDepth; k += 16) {
            half16 fa[2], fb[2];
            for (int i = 0; i < 2; i++) {
                const half8 *pa = (const half8 *)&ta[y0 + 16 * i + line][k], *pb = (const half8 *)&tb[x0 + 16 * i + line][k];
                fa[i] = __builtin_shufflevector(pa[0], pa[1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                fb[i] = __builtin_shufflevector(pb[0], pb[1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) sum[i][j] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(fa[i], fb[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int r = 0; r < 8; r++)
                c[(size_t)(row0 + y0 + 16 * i + 2 * r + group) * n + col0 + x0 + 16 * j + line] = sum[i][j][r];
}
#endif

__device__ float turn(float *tile, int lane, float value) {
    tile[lane] = value;
    __syncwarp();
    return tile[lane ^ 1];
}

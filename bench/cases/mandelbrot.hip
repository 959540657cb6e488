// Escape times of the Mandelbrot set: a thread a pixel, waves whose lanes leave the loop at different times.

extern "C" __global__ __launch_bounds__(64) void mandelbrot(int n, int most, int *__restrict__ out) {
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y;
    float cx = -2.0f + 2.5f * x / n, cy = -1.25f + 2.5f * y / n, zx = 0, zy = 0;
    int count = 0;
    while (count < most) {
        float xx = zx * zx, yy = zy * zy;
        if (xx + yy > 4.0f) break;
        zy = 2.0f * zx * zy + cy;
        zx = xx - yy + cx;
        count++;
    }
    out[y * n + x] = count;
}

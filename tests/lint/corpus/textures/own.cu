// A function of the file's own, and a member, are not CUDA's.
float tex2D(const float* image, int x, int y) { return image[x + y]; }
struct Sampler { float tex1D(float x) { return x; } };
float use(const float* image, Sampler& s) { return tex2D(image, 1, 2) + s.tex1D(0.5f); }

#include <opencv2/core.hpp>
using namespace cv;
cuda::GpuMat m;

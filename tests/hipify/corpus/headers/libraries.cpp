#include <cufft.h>
#include <curand.h>
#include <curand_kernel.h>
#include <cusparse.h>
#include <cusolverDn.h>
#include <nccl.h>
#include <nvrtc.h>

find_package(CUDAToolkit 11.4 REQUIRED)
find_package(CUDA REQUIRED)
find_package(OpenMP)
target_link_libraries(a PRIVATE CUDA::cudart CUDA::cublas CUDA::cufft CUDA::npps CUDA::nosuch)

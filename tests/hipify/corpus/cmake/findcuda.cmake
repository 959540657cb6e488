cuda_add_executable(a a.cpp)
cuda_add_library(b b.cpp)
cuda_compile(c c.cu)
target_link_libraries(a ${CUDA_LIBRARIES} ${CUDA_CUBLAS_LIBRARIES})

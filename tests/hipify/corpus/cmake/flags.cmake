target_compile_options(a PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-gencode arch=compute_70,code=sm_70 --use_fast_math -Xcompiler=-Wall>)
target_compile_options(a PRIVATE -G -Wall)

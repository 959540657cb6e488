import cupy
x = "\
-arch=sm_70"

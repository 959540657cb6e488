project(a LANGUAGES CXX CUDA) # CUDA
enable_language(CUDA)
project(CUDA CXX)
set(x "CUDA is fine")
#[[ project(a CUDA) ]]

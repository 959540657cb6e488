project(a CXX)
add_executable(a a.cpp)
target_compile_options(a PRIVATE -restrict -G)

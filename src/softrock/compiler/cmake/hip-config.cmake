# CMake package "hip" of softrock: find_package(hip) gives the targets hip::amdhip64, hip::host and hip::device.
#
#   hip::amdhip64  the runtime library and its headers
#   hip::host      what host code needs: the same
#   hip::device    what makes a C++ source a HIP source: -x hip and the GPU targets (GPU_TARGETS); the C++
#                  compiler must then be hipcc or the clang++ of this folder

get_filename_component(_hip_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

set(hip_FOUND TRUE)
set(HIP_FOUND TRUE)
set(hip_INSTALL_DIR "${_hip_root}")
set(hip_INCLUDE_DIR "${_hip_root}/include")
set(hip_INCLUDE_DIRS "${_hip_root}/include")
set(HIP_INCLUDE_DIR "${_hip_root}/include")
set(HIP_INCLUDE_DIRS "${_hip_root}/include")
set(hip_LIB_INSTALL_DIR "${_hip_root}/lib")
set(hip_BIN_INSTALL_DIR "${_hip_root}/bin")
set(hip_LIBRARY hip::host)
set(hip_LIBRARIES hip::host)
set(HIP_LIBRARIES hip::host)
set(HIP_COMPILER clang)
set(HIP_PLATFORM amd)
set(HIP_RUNTIME rocclr)
set(HIP_PATH "${_hip_root}")
set(HIP_VERSION "@HIP_VERSION@")
set(hip_HIPCC_EXECUTABLE "${_hip_root}/bin/hipcc")
set(hip_HIPCONFIG_EXECUTABLE "${_hip_root}/bin/hipconfig")
set(HIP_HIPCC_EXECUTABLE "${_hip_root}/bin/hipcc")
set(HIP_HIPCONFIG_EXECUTABLE "${_hip_root}/bin/hipconfig")
set(HIP_CLANG_PATH "${_hip_root}/llvm/bin")

if(NOT GPU_TARGETS)
  if(AMDGPU_TARGETS)
    set(GPU_TARGETS "${AMDGPU_TARGETS}" CACHE STRING "GPU targets to compile for")
  else()
    set(GPU_TARGETS "@GPU_TARGETS@" CACHE STRING "GPU targets to compile for")
  endif()
endif()
if(NOT AMDGPU_TARGETS)
  set(AMDGPU_TARGETS "${GPU_TARGETS}" CACHE STRING "GPU targets to compile for (older name)")
endif()

if(NOT TARGET hip::amdhip64)
  add_library(hip::amdhip64 SHARED IMPORTED)
  set_target_properties(hip::amdhip64 PROPERTIES
    IMPORTED_LOCATION "${_hip_root}/lib/libamdhip64.so"
    IMPORTED_SONAME "@SONAME@"
    INTERFACE_COMPILE_DEFINITIONS "__HIP_PLATFORM_AMD__=1"
    INTERFACE_INCLUDE_DIRECTORIES "${_hip_root}/include"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_hip_root}/include")
endif()
if(NOT TARGET hip::host)
  add_library(hip::host INTERFACE IMPORTED)
  set_target_properties(hip::host PROPERTIES INTERFACE_LINK_LIBRARIES hip::amdhip64)
endif()
if(NOT TARGET hip::device)
  add_library(hip::device INTERFACE IMPORTED)
  set_target_properties(hip::device PROPERTIES INTERFACE_LINK_LIBRARIES hip::host)
  set_property(TARGET hip::device APPEND PROPERTY
    INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-x hip>")
  foreach(_hip_target IN LISTS GPU_TARGETS)
    set_property(TARGET hip::device APPEND PROPERTY
      INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:--offload-arch=${_hip_target}>")
  endforeach()
  unset(_hip_target)
endif()
unset(_hip_root)

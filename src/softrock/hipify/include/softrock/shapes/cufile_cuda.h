/* Part of softrock (MIT licence, see LICENSE). Structures of cuFile that have members. */
#include <sys/types.h>
#ifdef __cplusplus
enum CUfileOpError : int {};
enum CUfileFileHandleType : int {};
enum CUfileOpcode_t : int {};
enum CUfileStatus_t : int {};
#else
typedef int CUfileOpError, CUfileFileHandleType, CUfileOpcode_t, CUfileStatus_t;
#endif
typedef struct CUfileError { CUfileOpError err; CUresult cu_err; } CUfileError_t;
typedef struct CUfileDescr_t {
  CUfileFileHandleType type;
  union { int fd; void *handle; } handle;
  const void *fs_ops;
} CUfileDescr_t;
typedef void *CUfileHandle_t;
typedef void *CUfileBatchHandle_t;
typedef struct CUfileIOParams_t {
  int mode;
  union { struct { void *devPtr_base; off_t file_offset, devPtr_offset; size_t size; } batch; } u;
  CUfileHandle_t fh;
  CUfileOpcode_t opcode;
  void *cookie;
} CUfileIOParams_t;
typedef struct CUfileIOEvents_t { void *cookie; CUfileStatus_t status; size_t ret; } CUfileIOEvents_t;
#ifdef __cplusplus
template <class... A> ssize_t cuFileRead(A &&...);
template <class... A> ssize_t cuFileWrite(A &&...);
#endif

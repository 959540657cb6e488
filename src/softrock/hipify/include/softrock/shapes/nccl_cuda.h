/* Part of softrock (MIT licence, see LICENSE). Names of NCCL that have a shape. */
#define NCCL_MAJOR 2
#define NCCL_MINOR 20
#define NCCL_PATCH 3
#define NCCL_VERSION_CODE 22003
#define NCCL_VERSION(X, Y, Z) ((X) * 10000 + (Y) * 100 + (Z))
#define NCCL_UNIQUE_ID_BYTES 128
typedef struct ncclUniqueId { char internal[NCCL_UNIQUE_ID_BYTES]; } ncclUniqueId;
typedef struct ncclComm *ncclComm_t;
#define NCCL_CONFIG_UNDEF_INT (-2147483647 - 1)
#define NCCL_CONFIG_UNDEF_PTR NULL
typedef struct ncclConfig_t {
  size_t size;
  unsigned int magic, version;
  int blocking, cgaClusterSize, minCTAs, maxCTAs;
  const char *netName;
  int splitShare;
} ncclConfig_t;
#define NCCL_CONFIG_INITIALIZER {0, 0, 0, 1, 0, 0, 0, 0, 0}

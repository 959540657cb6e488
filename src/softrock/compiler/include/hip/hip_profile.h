/* Part of softrock (MIT licence, see LICENSE). Profiler ranges of HIP: markers are not recorded. */
#ifndef SOFTROCK_HIP_PROFILE_H
#define SOFTROCK_HIP_PROFILE_H
#define HIP_SCOPED_MARKER(name, group)
#define HIP_BEGIN_MARKER(name, group)
#define HIP_END_MARKER()
#endif

#define NUM_SMS 108
//              ^~~ warning sm-count
constexpr int kNumSMs = 132;
//                      ^~~ warning sm-count
const int sm_count{80};
//                 ^~ warning sm-count
int smoke = 108, sums = 80;
int num_sm = 12345;
bool large(const cudaDeviceProp& prop) { return prop.multiProcessorCount > 80 && prop.multiProcessorCount > 0; }
//                                                                         ^~ warning sm-count
int blocks(const cudaDeviceProp& prop) { int num_sms = prop.multiProcessorCount; return num_sms * 2; }

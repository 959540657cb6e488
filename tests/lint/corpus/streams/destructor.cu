struct Local {
  ~Local() { (void)cudaDeviceSynchronize(); }
//                 ^~~~~~~~~~~~~~~~~~~~~ warning sync-in-destructor
};
class Global {
 public:
  ~Global();
};
Global::~Global() { (void)cudaStreamSynchronize(0); }
//                        ^~~~~~~~~~~~~~~~~~~~~ error sync-in-destructor
static Global instance;
struct Fine {
  ~Fine() { (void)cudaFree(data); }
  void close() { (void)cudaDeviceSynchronize(); }
  float* data;
};

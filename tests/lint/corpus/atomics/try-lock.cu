#define LIB_DEVICE_ONLY __device__
struct Vector {
  LIB_DEVICE_ONLY bool push(int at) {
    bool pushed = false;
    while (!pushed) {
      if (locks[at].try_lock()) {
//                  ^~~~~~~~ warning spin-lock
        data[at] = 1;
        pushed = true;
        locks[at].unlock();
      }
    }
    return pushed;
  }
  __device__ void wait(int at) { while (!locks[at].try_lock()) {} }
//                                                 ^~~~~~~~ error spin-lock
  __device__ bool once(int at) { return locks[at].try_lock(); }
  __device__ void one_by_one(int at) {
    serialize([&]() { while (!locks[at].try_lock()) {} });
  }
};
void host() { while (!locks[0].try_lock()) {} }

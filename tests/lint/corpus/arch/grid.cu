__global__ void step() {}
void run(int n) {
  step<<<108, 256>>>();
//       ^~~ warning sm-count
  step<<<2 * 132, 256>>>();
//           ^~~ warning sm-count
  step<<<dim3(114, 1), 256>>>();
//            ^~~ warning sm-count
  step<<<128, 256>>>();
  step<<<(n + 107) / 108, 108>>>();
}

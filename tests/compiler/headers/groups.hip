// Must compile without a warning: cooperative groups.
#include <hip/hip_cooperative_groups.h>
namespace cg=cooperative_groups;
__device__ int sum(cg::thread_group g,int*t,int v) {
    int l=g.thread_rank();
    for(int i=g.size()/2;i>0;i/=2) {
        t[l]=v;
        g.sync();
        if(l<i) v+=t[l+i];
        g.sync();
    }
    return v;
}
template<unsigned N> __device__ int tsum(cg::thread_block_tile<N> g,int v) {
    for(int i=g.size()/2;i;i/=2) v+=g.shfl_down(v,i);
    return v;
}
__global__ void k(int*o,float*f) {
    __shared__ int t[256];
    auto b=cg::this_thread_block();
    auto gr=cg::this_grid();
    o[0]=sum(b,t,b.thread_rank());
    auto t32=cg::tiled_partition<32>(b);
    o[1]=tsum(t32,3);
    cg::thread_group d=cg::tiled_partition(b,16);
    o[2]=sum(d,t,1);
    auto t4=cg::tiled_partition<4>(t32);
    o[3]=t4.ballot(t4.thread_rank()&1)+t4.any(1)+t4.meta_group_rank();
    if(threadIdx.x&1) {
        auto c=cg::coalesced_threads();
        o[4]=c.size()+c.thread_rank()+c.shfl(4,0)+cg::reduce(c,3,cg::plus<int>());
        auto lp=cg::labeled_partition(c,threadIdx.x&3);
        o[5]=lp.size()+cg::inclusive_scan(lp,2);
    }
    f[1]=cg::reduce(t32,f[0],cg::greater<float>());
    o[6]=cg::exclusive_scan(t32,1);
    gr.sync();
    cg::sync(gr);
    o[7]=gr.thread_rank()+gr.is_valid()+b.group_index().x;
    cg::memcpy_async(b,t,o,64);
    cg::wait(b);
    auto bp=cg::binary_partition(t32,threadIdx.x>3);
    o[8]=bp.size()+cg::binary_partition(cg::coalesced_threads(),true).size();
    static_assert(decltype(t32)::size()==32,"");
    o[9]=t32.shfl_xor(f[0],1)+t32.match_any(o[1]);
    cg::thread_block tb=cg::this_thread_block();
    cg::sync(tb);
    cg::thread_block_tile<16> x=cg::tiled_partition<16>(tb);
    x.sync();
    cg::multi_grid_group mg=cg::this_multi_grid();
    mg.sync();
}
int main() {
}

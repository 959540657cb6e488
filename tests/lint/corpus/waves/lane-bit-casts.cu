using mask_t = unsigned;
using wide_t = unsigned long long;
__device__ void bits(int lane) {
    auto a = (unsigned)1 << lane;
    auto b = unsigned(1) << lane;
    auto c = static_cast<int>(1) << lane;
    auto d = mask_t(1) << lane;
    auto e = (mask_t)1 << lane;
    auto f = (1) << lane;
    auto g = wide_t(1) << lane;
    auto h = (wide_t)1 << lane;
    auto i = static_cast<wide_t>(1) << lane;
    auto j = lane_mask_type(1) << lane;
    auto k = uint64_t(1) << lane;
    auto l = (unsigned long long)1 << lane;
    auto m = T{1} << lane;
}

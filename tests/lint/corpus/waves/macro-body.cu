#define LANE_BIT(lane) (1u << lane)
#define RANK(votes, lane) __popc(__ballot(votes) & \
    ((1u << lane) - 1))
#define SHIFT(n) (1u << n)

struct State { unsigned mask; unsigned long long wide; };
__device__ void keep(State *state, bool vote) {
    unsigned *masks = &state->mask;
    masks[0] = __ballot(vote);
    state->wide = __ballot(vote);
}

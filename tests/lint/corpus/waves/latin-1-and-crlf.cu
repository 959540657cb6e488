// Größe
__device__ unsigned votes(bool vote) { /* ä */ return __ballot(vote); }

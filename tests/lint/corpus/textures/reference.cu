// softrock-gpu: gfx1100
texture<float, 2, cudaReadModeElementType> image;
// ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ warning texture-reference @1
surface<void, 2> target;
// ^~~~~~~~~~~~~~~~~~~~~~~ warning texture-reference @1
template <typename T> struct texture_of { T texture; };

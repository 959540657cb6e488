namespace cub { struct Bear {}; }
cub::Bear b;

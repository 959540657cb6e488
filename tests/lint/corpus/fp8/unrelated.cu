float hertz() { return 448.0f; }
int width = 240;

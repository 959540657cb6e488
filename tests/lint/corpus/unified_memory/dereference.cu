float wrong() {
  float* data;
  (void)cudaMalloc(&data, 4 * sizeof(*data));
  data[0] = 1.0f;
//^~~~ error host-dereference
  return *data;
}
float right(float* host) {
  float* data;
  float* pointers[2];
  (void)cudaMalloc(&data, sizeof(data[0]));
  (void)cudaMalloc(&pointers[0], 4);
  float* second = &data[1];
  Element* element;
  (void)cudaMalloc(&element, 64);
  (void)cudaMemcpy(&(element->name), host, 8, cudaMemcpyHostToDevice);
  (void)cudaMemcpy(host, data, 4, cudaMemcpyDeviceToHost);
  float area = 2.0f * host[0];
  data = host;
  return data[0] + area;
}
float scopes() {
  {
    float* data;
    (void)cudaMalloc(&data, 4);
    (void)cudaFree(data);
  }
  float data[4];
  data[0] = 1.0f;
  return data[0];
}

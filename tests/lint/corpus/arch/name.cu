bool known(const cudaDeviceProp& prop, const std::string& file) {
  return strstr(prop.name, "Tesla V100") || std::string(prop.name).find("MI300") != 0 || file.find("A100") == 0;
//                         ^~~~~~~~~~~~ warning gpu-name
}

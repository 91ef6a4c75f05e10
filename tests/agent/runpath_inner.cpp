extern "C" __attribute__((visibility("default"))) int inner() {
  return 42;
}

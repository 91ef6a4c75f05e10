// A library that opens its neighbour by name: found only if dlopen looks at this
// library's own RUNPATH, as NVIDIA's libraries do it.

#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) int outer() {
  void* library = ::dlopen("libagent_runpath_inner.so", RTLD_NOW);
  return library != nullptr ? 0 : 1;
}

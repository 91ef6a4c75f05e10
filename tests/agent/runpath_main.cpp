#include <dlfcn.h>

#include <cstdio>

int main(int /*count*/, char** arguments) {
  void* library = ::dlopen(arguments[1], RTLD_NOW);
  auto* outer = library != nullptr ? reinterpret_cast<int (*)()>(::dlsym(library, "outer")) : nullptr;
  if (outer == nullptr || outer() != 0) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    return 1;
  }
  return 0;
}

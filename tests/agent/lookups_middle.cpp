// A library between the agent and libc: it has a malloc of its own, as a wrapper has,
// and asks for the one behind it.

#include <dlfcn.h>

#include <cstddef>

namespace {

void* g_early_malloc = nullptr;
void* g_early_next = nullptr;

__attribute__((constructor)) void ask_early() {
  g_early_malloc = ::dlsym(::dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "malloc");
  g_early_next = ::dlsym(RTLD_NEXT, "malloc");
}

}  // namespace

extern "C" {

#ifdef LOWTIDE_WRAPS
void* malloc(std::size_t bytes) noexcept {
  static void* (*next)(std::size_t) = reinterpret_cast<void* (*)(std::size_t)>(::dlsym(RTLD_NEXT, "malloc"));
  return next(bytes);
}
#endif

// The very addresses, for the test that nothing is put in their place.
void* middle_next_malloc() {
  void* volatile next = ::dlsym(RTLD_NEXT, "malloc");  // not by a jump: the caller is this library
  return next;
}
void* middle_early_malloc() {
  return g_early_malloc;
}
void* middle_early_next() {
  return g_early_next;
}
}

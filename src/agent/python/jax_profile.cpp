#include "agent/python/jax_profile.h"

#include "agent/heap/memory.h"
#include "wire/snapshot.h"

namespace lowtide::agent {
namespace {

constexpr std::size_t kLettersOfBytes = 32;  // in a bytes object of all versions of CPython

constinit char* g_profile = nullptr;  // of kMaxProfileBytes, from the first one on
constinit std::uint32_t g_size = 0;

}  // namespace

void keep_jax_profile(PyObject* profile) {
  g_size = 0;
  if (profile == nullptr || type_of(profile) != g_calls.bytes_type) {
    return;
  }
  const std::int64_t size = size_of_variable(profile);
  if (size <= 0 || size > static_cast<std::int64_t>(wire::kMaxProfileBytes)) {
    return;
  }
  if (g_profile == nullptr) {
    g_profile = static_cast<char*>(map_private(wire::kMaxProfileBytes));
  }
  if (g_profile != nullptr) {
    copy_bytes(g_profile, reinterpret_cast<const char*>(profile) + kLettersOfBytes,
               static_cast<std::size_t>(size));
    g_size = static_cast<std::uint32_t>(size);
  }
}

JaxProfile jax_profile() {
  return {g_profile, g_size};
}

}  // namespace lowtide::agent

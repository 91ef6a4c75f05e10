// In front of pymalloc.
//
// A Python program makes and drops objects by the ten million a second, and a wrapper
// that does nothing costs it 3% on each side. So pymalloc's free is not wrapped: a small
// block that is sampled is asked for as one that pymalloc leaves to malloc, and its free
// comes by libc's. Only where something else serves Python are all four wrapped.
//
// Allocates: what it is asked for. Blocks: never. Throws: never. Signals: Python's
// allocators are not called from handlers.

#include "agent/heap/pace.h"
#include "agent/heap/sample.h"
#include "agent/python/wrappers.h"

namespace lowtide::agent {
namespace {

constexpr std::size_t kPymallocBytes = 512;  // what is larger it leaves to malloc
constexpr std::size_t kLeftToMalloc = kPymallocBytes + 1;

// True where `allocate` came to malloc, which counts what it gives. Not what it counted: that is undone.
template <typename Allocate>
bool comes_from_malloc(Allocate allocate) {
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 40U;
  const std::uint64_t left = t_thread.bytes_left;
  t_thread.bytes_left = kMuch;
  allocate();
  const bool has_counted = t_thread.bytes_left != kMuch;
  t_thread.bytes_left = left;
  return has_counted;
}

// `allocate` returns as many bytes as requested. A block that is sampled is a larger one.
template <Wrapper& wrapper, typename Allocate>
void* allocate_small(std::size_t bytes, Allocate allocate) {
  if (!is_sample_due(bytes, wrapper.source)) {
    return allocate(bytes);
  }
  void* block = nullptr;
  if (comes_from_malloc([&] { block = allocate(kLeftToMalloc); })) {
    take_sample(block, bytes, wrapper.source);
  } else if (block != nullptr) {
    wrap_all(wrapper);  // not pymalloc after all
  }
  return block;
}

template <Wrapper& wrapper>
__attribute__((noinline, cold)) void* sampled_malloc(void* context, std::size_t bytes) {
  return allocate_small<wrapper>(bytes, [=](std::size_t size) { return wrapper.real.malloc(context, size); });
}

// All its ways out are jumps: it has no frame of its own.
template <Wrapper& wrapper>
void* quick_malloc(void* context, std::size_t bytes) {
  if (__builtin_expect(static_cast<long>(bytes <= kPymallocBytes), 1) != 0 && !count_down(bytes)) {
    return sampled_malloc<wrapper>(context, bytes);
  }
  return wrapper.real.malloc(context, bytes);
}

template <Wrapper& wrapper>
void* quick_calloc(void* context, std::size_t count, std::size_t bytes) {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total) || total > kPymallocBytes) {
    return wrapper.real.calloc(context, count, bytes);
  }
  if (!count_down(total)) {
    return allocate_small<wrapper>(total,
                                   [=](std::size_t size) { return wrapper.real.calloc(context, 1, size); });
  }
  return wrapper.real.calloc(context, count, bytes);
}

template <Wrapper& wrapper>
void* quick_realloc(void* context, void* block, std::size_t bytes) {
  if (block == nullptr) {
    return quick_malloc<wrapper>(context, bytes);
  }
  const std::uint64_t before = t_thread.bytes_left;
  if (bytes <= kPymallocBytes && bytes > before) {
    return allocate_small<wrapper>(
        bytes, [=](std::size_t size) { return wrapper.real.realloc(context, block, size); });
  }
  void* moved = wrapper.real.realloc(context, block, bytes);
  // A block that was sampled is malloc's, and has been counted by realloc.
  if (bytes <= kPymallocBytes && moved != nullptr && t_thread.bytes_left == before) {
    t_thread.bytes_left = before - bytes;
  }
  return moved;
}

constinit PythonArenas g_arenas = {};
constinit char g_our_arenas = 0;  // its address marks our arenas

void* take_arena(void* /*context*/, std::size_t bytes) {
  if (t_thread.inside != 0) {
    return g_arenas.take(g_arenas.context, bytes);
  }
  HookScope scope;  // what is cut from it is counted
  return g_arenas.take(g_arenas.context, bytes);
}

void give_back_arena(void* /*context*/, void* arena, std::size_t bytes) {
  g_arenas.give_back(g_arenas.context, arena, bytes);
}

bool has_our_arenas() {
  PythonArenas now = {};
  g_python.functions.get_arenas(&now);
  return now.context == &g_our_arenas;
}

void wrap_arenas() {
  if (has_our_arenas()) {
    return;
  }
  g_python.functions.get_arenas(&g_arenas);
  PythonArenas ours = {&g_our_arenas, take_arena, give_back_arena};
  g_python.functions.set_arenas(&ours);
}

// It serves both domains by the same functions, keeps no context, and is not malloc.
bool is_pymalloc() {
  PythonAllocator raw = {};
  g_python.functions.get_allocator(PythonDomain::Raw, &raw);
  return g_mem.real.context == nullptr && g_object.real.context == nullptr &&
         g_mem.real.malloc == g_object.real.malloc && g_object.real.malloc != raw.malloc;
}

template <Wrapper& wrapper>
void wrap_domain() {
  PythonAllocator ours = {wrapper.real.context, quick_malloc<wrapper>, quick_calloc<wrapper>,
                          quick_realloc<wrapper>, wrapper.real.free};
  g_python.functions.set_allocator(wrapper.domain, &ours);
}

}  // namespace

// With a small mean blocks would be larger than it, and those are sampled whatever the count says.
bool wrap_pymalloc() {
  if (g_python.free_threaded || g_python.functions.get_arenas == nullptr ||
      g_python.functions.set_arenas == nullptr || g_pace.mean_bytes() <= kLeftToMalloc || !is_pymalloc()) {
    return false;
  }
  wrap_arenas();
  wrap_domain<g_mem>();
  wrap_domain<g_object>();
  return true;
}

bool is_in_front_of_pymalloc(const PythonAllocator& allocator) {
  return allocator.malloc == quick_malloc<g_mem> || allocator.malloc == quick_malloc<g_object>;
}

void release_arenas() {
  if (g_python.functions.set_arenas != nullptr && has_our_arenas()) {
    g_python.functions.set_arenas(&g_arenas);
  }
}

}  // namespace lowtide::agent

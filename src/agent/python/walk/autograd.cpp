#include "agent/python/walk/autograd.h"

#include <link.h>

#include <initializer_list>

#include "agent/heap/elf_lookup.h"
#include "agent/heap/system_call.h"
#include "agent/heap/text.h"
#include "agent/python/walk/child_memory.h"
#include "wire/snapshot.h"

namespace lowtide::agent {
namespace {

constexpr std::size_t kMostAnswers = 1U << 26U;
constexpr std::size_t kMostObjects = 1U << 27U;

// What a handle of torch points to when it holds no tensor.
constinit const void* g_no_tensor = nullptr;

int look_for_no_tensor(dl_phdr_info* object, std::size_t /*bytes*/, void* /*unused*/) {
  g_no_tensor = find_symbol(*object, "_ZN3c1019UndefinedTensorImpl10_singletonE");
  return g_no_tensor != nullptr ? 1 : 0;
}

constinit bool g_is_glibc = false;

// The first that has a malloc, but for ourselves, is in charge.
int look_for_allocator(dl_phdr_info* object, std::size_t /*bytes*/, void* /*unused*/) {
  if (find_symbol(*object, "malloc") == nullptr || find_symbol(*object, wire::kSnapshotFunction) != nullptr) {
    return 0;
  }
  g_is_glibc = find_symbol(*object, "malloc_trim") != nullptr;
  return 1;
}

bool is_worth_keeping(const PyObject* object) {
  return object != nullptr && object != g_calls.none &&
         !is_kind(object, type_flag::kNumber | type_flag::kText) && type_of(object) != g_calls.float_type;
}

// True for a torch._C._autograd.SavedTensor that still has its tensor, by itself: not where backward() has
// released it, and not where a hook of the job would have to bring it back (offloading, checkpoints).
bool still_holds(const PyObject* saved) {
  constexpr std::size_t kValue = wire::kObjectHead;  // of an instance that pybind11 made: what it stands for
  if (saved == nullptr || saved == g_calls.none) {
    return false;
  }
  const auto* value = field<const void*>(saved, kValue);
  const auto* tensor = value == nullptr ? nullptr : field<const void*>(value, 0);
  return tensor != nullptr && tensor != g_no_tensor;
}

bool all_still_hold(PyObject* raw) {
  if (raw == nullptr || !is_kind(raw, type_flag::kTuple)) {
    return still_holds(raw);
  }
  const std::int64_t length = size_of_variable(raw);
  for (std::int64_t at = 0; at < length; ++at) {
    if (!still_holds(tuple_item(raw, at))) {
      return false;
    }
  }
  return length > 0;
}

// The size of a block of glibc's, or 0 where this is none: the words before a block say it.
std::uint64_t block_bytes(std::uintptr_t block) {
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::uint64_t kFlags = 7;
  constexpr std::uint64_t kLeast = 64;
  constexpr std::uint64_t kMost = 4096;
  // What lies before a page may not be there.
  if (block % 16 != 0 || block % kPage == 0 || !is_readable(block - 8)) {
    return 0;
  }
  const std::uint64_t bytes = field<std::uint64_t>(reinterpret_cast<const void*>(block - 8), 0) & ~kFlags;
  return bytes % 16 == 0 && bytes >= kLeast && bytes <= kMost ? bytes : 0;
}

// True where a block has the two counts of a c10::intrusive_ptr_target: someone refers to it, so neither is
// 0.
bool is_counted(std::uintptr_t node) {
  constexpr std::size_t kCounts = 8;  // behind the table of virtual functions
  constexpr std::uint32_t kHasWrapper = 1U << 31U;
  const auto counts = field<std::uint64_t>(reinterpret_cast<const void*>(node), kCounts);
  return static_cast<std::uint32_t>(counts) != 0 &&
         (static_cast<std::uint32_t>(counts >> 32U) & ~kHasWrapper) != 0;
}

}  // namespace

// The Python object has a std::shared_ptr to it in torch 1.13, and a c10::intrusive_ptr in torch 2.15: one
// pointer, to a block of its own. (They changed in spring 2026.)
std::uint64_t native_bytes(const PyObject* function, const TypeInfo& info) {
  constexpr std::int64_t kIntrusive = wire::kObjectHead + 8;
  constexpr std::int64_t kShared = wire::kObjectHead + 16;
  const auto bytes = field<std::int64_t>(info.type, g_python.layout.type_basic_bytes);
  if (!g_is_glibc || (bytes != kIntrusive && bytes != kShared)) {
    return 0;
  }
  const auto node = field<std::uintptr_t>(function, wire::kObjectHead);
  const std::uint64_t alone = node == 0 ? 0 : block_bytes(node);
  if (bytes == kIntrusive) {
    return alone != 0 && is_counted(node) ? alone : 0;
  }
  constexpr std::uintptr_t kCountsBefore = 16;  // where both were made at once
  return alone != 0 || node == 0 ? alone : block_bytes(node - kCountsBefore);
}

void find_torch() {
  if (g_no_tensor == nullptr) {
    dl_iterate_phdr(look_for_no_tensor, nullptr);
    dl_iterate_phdr(look_for_allocator, nullptr);
  }
}

PyObject* ask_getter(PyObject* getter, PyObject* object) {
  PyObject* bind = attribute(getter, "__get__");
  PyObject* value = bind == nullptr ? nullptr : g_calls.call(bind, object, nullptr);
  if (value == nullptr) {
    g_calls.clear_error();
  }
  if (bind != nullptr) {
    g_calls.release(bind);
  }
  return value;
}

PyObject* tensor_base() {
  PyObject* torch = loaded_module("torch._C");
  if (torch == nullptr) {
    return nullptr;
  }
  PyObject* base = attribute(torch, "_TensorBase");
  return base != nullptr ? base : attribute(torch, "TensorBase");
}

void switch_off_overrides() {
  PyObject* torch = loaded_module("torch._C");
  for (const char* name : {"DisableTorchFunctionSubclass", "DisableTorchFunction"}) {
    PyObject* type = torch == nullptr ? nullptr : attribute(torch, name);
    PyObject* guard = type == nullptr ? nullptr : g_calls.call(type, nullptr);
    PyObject* enter = guard == nullptr ? nullptr : attribute(guard, "__enter__");
    if (enter != nullptr && g_calls.call(enter, nullptr) != nullptr) {
      return;
    }
    g_calls.clear_error();
  }
}

bool Autograd::begin() {
  PyObject* base = tensor_base();
  if (base == nullptr) {
    return false;
  }
  switch_off_overrides();
  function_of_ = attribute(base, "grad_fn");
  gradient_of_ = attribute(base, "grad");
  for (std::size_t at = 0; at < kHookKinds; ++at) {
    hooks_of_[at] = attribute(base, kHooksOfTensor[at]);  // the second is of torch 2
  }
  answers_ = static_cast<Answer*>(reserve_memory(sizeof(Answer), kMostAnswers, answer_room_));
  objects_ = static_cast<PyObject**>(reserve_memory(kPointerBytes, kMostObjects, object_room_));
  return function_of_ != nullptr && gradient_of_ != nullptr && answers_ != nullptr && objects_ != nullptr;
}

void Autograd::keep(PyObject* object) {
  if (is_worth_keeping(object) && object_count_ < object_room_ && count_memory(kPointerBytes)) {
    objects_[object_count_++] = object;
  }
}

void Autograd::keep_items(PyObject* tuple) {
  if (tuple == nullptr || !is_kind(tuple, type_flag::kTuple)) {
    keep(tuple);
    return;
  }
  const std::int64_t length = size_of_variable(tuple);
  for (std::int64_t at = 0; at < length; ++at) {
    PyObject* item = tuple_item(tuple, at);
    // next_functions is a tuple of pairs: a function, and which of its inputs.
    if (item != nullptr && is_kind(item, type_flag::kTuple)) {
      keep(size_of_variable(item) > 0 ? tuple_item(item, 0) : nullptr);
    } else {
      keep(item);
    }
  }
}

// A saved tensor that is gone, asked for, is an exception of C++: its trace of calls may crash or wait for a
// lock. So each is looked at before.
void Autograd::ask_saved(PyObject* function, const char* raw_name) {
  if (g_no_tensor == nullptr || !all_still_hold(attribute(function, raw_name))) {
    return;
  }
  PyObject* value = attribute(function, raw_name + 4);  // _saved_self; of one that is written in Python:
  keep_items(value != nullptr ? value : attribute(function, raw_name + 5));  // saved_tensors
}

void Autograd::ask_function(PyObject* function) {
  any_getter(type_of(function), [&](const char* name) {
    if (after(name, "_raw_saved_") != nullptr) {
      ask_saved(function, name);
    } else if (equal(name, "next_functions") || equal(name, "variable")) {
      keep_items(attribute(function, name));
    }
    return false;
  });
}

void Autograd::ask(PyObject* object, const TypeInfo& info) {
  if (info.role == Role::Tensor) {
    for (PyObject* hooks : hooks_of_) {
      keep(hooks == nullptr ? nullptr : ask_getter(hooks, object));
    }
    PyObject* function = ask_getter(function_of_, object);
    if (is_worth_keeping(function)) {
      keep(function);
    } else {
      keep(ask_getter(gradient_of_, object));  // asked for one with a function, torch would warn, in Python
    }
  } else {
    ask_function(object);
  }
}

const Autograd::Answer* Autograd::find(std::uint32_t node) const {
  std::uint32_t from = 0;
  std::uint32_t to = answer_count_;
  while (from < to) {
    const std::uint32_t middle = (from + to) / 2;
    if (answers_[middle].node < node) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from < answer_count_ && answers_[from].node == node ? &answers_[from] : nullptr;
}

void Autograd::visit(PyObject* object, const TypeInfo& info, std::uint32_t node, Visit visitor,
                     void* context) {
  if (function_of_ == nullptr) {
    return;
  }
  const bool is_new = answer_count_ == 0 || answers_[answer_count_ - 1].node < node;
  if (is_new) {
    if (answer_count_ == answer_room_ || !count_memory(sizeof(Answer))) {
      return;
    }
    const std::uint32_t first = object_count_;
    ask(object, info);
    answers_[answer_count_++] = {node, first, object_count_ - first};
  }
  if (const Answer* answer = find(node)) {
    for (std::uint32_t at = 0; at < answer->count; ++at) {
      visitor(objects_[answer->first + at], context);
    }
  }
}

}  // namespace lowtide::agent

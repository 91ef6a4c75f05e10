#include "agent/python/walk/object_types.h"

#include "agent/heap/text.h"
#include "agent/python/text.h"
#include "agent/python/walk/arrays.h"
#include "agent/python/walk/autograd.h"
#include "agent/python/walk/child_memory.h"
#include "agent/python/walk/jax_arrays.h"

namespace lowtide::agent {
namespace {

constexpr std::uint32_t kPlaces = ObjectTypes::kMost * 2;
constexpr std::size_t kCollectorHead = sizeof(wire::CollectorLinks);

std::uint64_t positive(long long value) {
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

// Digits of 30 bits, of which there is room for one at least.
std::uint64_t digits_of(const void* number) {
  const std::int64_t said = size_of_variable(number);
  const std::uint8_t shift = g_python.layout.number_shift;
  const std::int64_t digits = shift > 0 ? said >> shift : (said < 0 ? -said : said);
  return digits < 1 ? 1 : static_cast<std::uint64_t>(digits);
}

std::uint64_t ask(PyObject* function, const void* object) {
  PyObject* answer = g_calls.call(function, mutable_object(object), nullptr);
  if (answer == nullptr) {
    g_calls.clear_error();
    return 0;
  }
  const std::uint64_t value = positive(g_calls.to_number(answer));
  g_calls.release(answer);
  return value;
}

// Entries that a table of keys of this size has room for.
std::uint64_t usable(std::uint64_t slots) {
  return (slots << 1U) / 3;
}

std::uint64_t index_bytes(std::uint64_t slots) {
  return slots <= 0xff ? slots : slots <= 0xffff ? 2 * slots : slots <= 0xffffffffU ? 4 * slots : 8 * slots;
}

// As dict.__sizeof__ has it, which would take longer to ask than all the rest.
std::uint64_t dict_table_bytes(const void* dict) {
  const wire::PythonLayout& layout = g_python.layout;
  const auto* keys = field<const void*>(dict, layout.dict_keys);
  const bool is_split = field<const void*>(dict, layout.dict_values) != nullptr;
  if (!layout.keys_have_logs) {
    const auto slots = field<std::uint64_t>(keys, layout.keys_slots);
    const bool is_shared = field<std::int64_t>(keys, layout.keys_references) > 1;
    return (is_split ? wire::kPointerBytes * usable(slots) : 0) +
           (is_shared ? 0 : layout.keys_head + index_bytes(slots) + wire::kDictEntryBytes * usable(slots));
  }
  const auto power_at = [&](std::size_t offset) { return 1ULL << (field<std::uint8_t>(keys, offset) & 63U); };
  const std::uint64_t slots = power_at(layout.keys_slots);
  if (is_split) {
    return wire::kPointerBytes * (usable(slots) + 1);
  }
  if (field<std::int64_t>(dict, layout.dict_length) == 0 && slots == 1) {
    return 0;  // all empty ones share their keys
  }
  const bool has_hashes = field<std::uint8_t>(keys, layout.keys_kind) == 0;
  const std::uint64_t entry = has_hashes ? wire::kDictEntryBytes : wire::kDictEntryWithoutHashBytes;
  return layout.keys_head + power_at(layout.keys_index_bytes) + entry * usable(slots);
}

bool is_named(const void* type, const char* name) {
  const char* own = name_of_type(type);
  return own != nullptr && equal(own, name);
}

bool descends_from(const void* type, const char* name) {
  for (; type != nullptr; type = base_of(type)) {
    if (is_named(type, name)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_text(const void* object, const char* letters) {
  if (object == nullptr || !is_kind(object, type_flag::kText)) {
    return false;
  }
  char copy[64];
  const std::uint32_t bytes = copy_python_text(object, copy, sizeof(copy) - 1);
  copy[bytes] = 0;
  return equal(copy, letters);
}

PyObject* find_item(PyObject* dict, const char* name) {
  return find_entry(dict, [&](const Entry& entry) { return is_text(entry.key, name); }).value;
}

PyObject* loaded_module(const char* name) {
  return find_item(g_calls.module_dict(), name);
}

bool ObjectTypes::begin() {
  infos_ = static_cast<TypeInfo*>(take_memory(kMost * sizeof(TypeInfo)));
  places_ = static_cast<std::uint32_t*>(take_memory(kPlaces * sizeof(std::uint32_t)));
  if (infos_ == nullptr || places_ == nullptr) {
    return false;
  }
  plain_measure_ = attribute(mutable_object(g_calls.object_type), "__sizeof__");
  tensor_base_ = tensor_base();
  return true;
}

void ObjectTypes::study(TypeInfo& info) {
  const wire::PythonLayout& layout = g_python.layout;
  const std::uint64_t flags = flags_of_type(info.type);
  info.basic_bytes = static_cast<std::uint32_t>(field<std::int64_t>(info.type, layout.type_basic_bytes));
  info.item_bytes = static_cast<std::uint32_t>(field<std::int64_t>(info.type, layout.type_item_bytes));
  info.shape = info.item_bytes != 0 ? Shape::Variable : Shape::Fixed;
  if ((flags & type_flag::kNumber) != 0) {
    info.shape = Shape::Number;
  } else if (info.type == g_calls.text_type) {
    info.shape = Shape::Text;
  } else if (info.type == g_calls.list_type) {
    info.shape = Shape::List;
  } else if (info.type == g_calls.dict_type) {
    info.shape = Shape::Dict;
  } else if (descends_from(info.type, "numpy.ndarray")) {
    info.shape = Shape::Array;
    info.role = Role::Array;
  } else if (is_named(info.type, "ImagingCore") || is_named(info.type, "PIL._imaging.ImagingCore")) {
    info.shape = Shape::Image;
  } else {
    PyObject* function = attribute(mutable_object(info.type), "__sizeof__");
    // One in Python would have to be run.
    if (function != nullptr && function != plain_measure_ &&
        type_of(function) == g_calls.method_descriptor_type) {
      info.shape = Shape::Asked;
      info.measure = function;
    }
  }
  if (tensor_base_ != nullptr && is_subtype(info.type, tensor_base_)) {
    info.role = Role::Tensor;
  } else if (is_jax_array(info.type)) {
    info.role = Role::JaxArray;
  } else if ((flags & type_flag::kDict) != 0) {
    info.role = Role::Dict;
  } else if (is_named(info.type, "functools._lru_cache_wrapper")) {
    info.role = Role::LruCache;
  } else if (is_named(info.type, "collections.deque")) {
    info.role = Role::Deque;
  }
  if (tensor_base_ != nullptr &&
      any_getter(info.type, [](const char* name) { return equal(name, "next_functions"); })) {
    info.role = Role::Function;
  }
  if ((flags & type_flag::kCollected) != 0) {
    info.traverse = field<Traverse>(info.type, layout.type_traverse);
    info.is_collected = field<int (*)(PyObject*)>(info.type, layout.type_is_collected);
    info.basic_bytes += kCollectorHead;
  }
  if ((flags & layout.managed_dict_flag) != 0) {
    info.basic_bytes += layout.managed_dict_head;
  }
}

TypeInfo& ObjectTypes::look_up(const void* type) {
  std::uint64_t place = (reinterpret_cast<std::uintptr_t>(type) * 0x9e3779b97f4a7c15ULL) >> 40U;
  for (;; ++place) {
    place %= kPlaces;
    std::uint32_t& found = places_[place];
    if (found == 0) {
      if (count_ + 1 < kMost) {
        found = ++count_;
        infos_[found - 1].type = type;
        study(infos_[found - 1]);
      } else {
        return infos_[kMost - 1];
      }
    }
    if (infos_[found - 1].type == type) {
      last_type_ = type;
      last_ = &infos_[found - 1];
      return *last_;
    }
  }
}

std::uint64_t measure(const TypeInfo& info, const void* object) {
  switch (info.shape) {
    case Shape::Fixed:
      return info.basic_bytes;
    case Shape::Variable: {
      const std::int64_t items = size_of_variable(object);
      return info.basic_bytes + info.item_bytes * static_cast<std::uint64_t>(items < 0 ? -items : items);
    }
    case Shape::Number:
      return info.basic_bytes + info.item_bytes * digits_of(object);
    case Shape::Text:
      return python_text_bytes(object);
    case Shape::List:
      return info.basic_bytes +
             wire::kPointerBytes * positive(field<std::int64_t>(object, g_python.layout.list_room));
    case Shape::Dict:
      return info.basic_bytes + dict_table_bytes(object);
    case Shape::Asked: {
      const std::uint64_t told = ask(info.measure, object);
      return told + (info.traverse != nullptr ? kCollectorHead : 0);
    }
    case Shape::Array:
      return info.basic_bytes + array_own_bytes(object);
    case Shape::Image:
      return info.basic_bytes + image_bytes(object);
  }
  return 0;
}

std::uint32_t write_type_name(const void* type, char* into, std::uint32_t room) {
  std::uint32_t written = 0;
  if ((flags_of_type(type) & type_flag::kHeap) != 0) {
    PyObject* module = attribute(mutable_object(type), "__module__");
    if (module != nullptr && is_kind(module, type_flag::kText) && !is_text(module, "builtins")) {
      written = copy_python_text(module, into, room);
      if (written < room) {
        into[written++] = '.';
      }
    }
    PyObject* name = attribute(mutable_object(type), "__qualname__");
    if (name != nullptr && is_kind(name, type_flag::kText)) {
      return written + copy_python_text(name, into + written, room - written);
    }
  }
  const char* name = name_of_type(type);
  for (; name != nullptr && *name != 0 && written < room; ++name) {
    into[written++] = *name;
  }
  return written;
}

}  // namespace lowtide::agent

// The types of the objects that were seen: what each is called, how its objects are
// measured, how many there are.

#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/python/walk/calls.h"

namespace lowtide::agent {

enum class Shape : std::uint8_t {
  Fixed,     // as long as its type says
  Variable,  // and as many items as it says itself
  Number,
  Text,
  List,
  Dict,
  Asked,  // its type has a __sizeof__ in C
  Array,  // numpy.ndarray and what is made of it
  Image,  // the memory of a PIL image
};

enum class Role : std::uint8_t {
  Plain,
  Tensor,    // torch.Tensor and what is made of it
  JaxArray,  // of JAX
  Array,
  Dict,
  LruCache,  // functools.lru_cache
  Deque,     // collections.deque
  Function,  // of torch's autograd graph
};

using Visit = int (*)(PyObject*, void*);
using Traverse = int (*)(PyObject*, Visit, void*);

struct TypeInfo {
  const void* type;
  Traverse traverse;  // null: it refers to nothing
  int (*is_collected)(PyObject*);
  PyObject* measure;  // __sizeof__
  std::uint64_t count;
  std::uint64_t bytes;
  std::uint32_t basic_bytes;  // with what the collector puts before the object
  std::uint32_t item_bytes;
  Shape shape;
  Role role;
};

class ObjectTypes {
 public:
  static constexpr std::uint32_t kMost = 1U << 14U;

  bool begin();

  // Of an object's type; the last entry stands for all that had no room.
  TypeInfo& of(const void* object) {
    const void* type = type_of(object);
    if (type == last_type_) {
      return *last_;
    }
    return look_up(type);
  }

  [[nodiscard]] std::uint32_t index_of(const TypeInfo& info) const {
    return static_cast<std::uint32_t>(&info - infos_);
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] const TypeInfo& at(std::uint32_t index) const { return infos_[index]; }

 private:
  TypeInfo& look_up(const void* type);
  void study(TypeInfo& info);

  TypeInfo* infos_ = nullptr;
  std::uint32_t* places_ = nullptr;  // 1 + index
  std::uint32_t count_ = 0;
  const void* last_type_ = nullptr;
  TypeInfo* last_ = nullptr;
  PyObject* plain_measure_ = nullptr;
  const void* tensor_base_ = nullptr;
};

// Bytes of an object with what it owns: the items of a list, the data of an array.
std::uint64_t measure(const TypeInfo& info, const void* object);

// "torch.nn.Linear"; the letters written.
std::uint32_t write_type_name(const void* type, char* into, std::uint32_t room);

// A module that was imported, without importing it.
PyObject* loaded_module(const char* name);

// The value of a key of letters; null where there is none.
PyObject* find_item(PyObject* dict, const char* name);

// True when the text object has exactly these letters.
bool is_text(const void* object, const char* letters);

}  // namespace lowtide::agent

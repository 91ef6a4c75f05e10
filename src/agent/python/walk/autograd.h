// What torch holds in C++, where the collector does not look: the gradient and the hooks of a tensor, the
// graph that computed it, and the tensors that the graph has saved for the way back.
//
// Torch is asked once for each; the answers are kept, because an answer may be an object that was
// made for it.

#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/python/walk/object_types.h"

namespace lowtide::agent {

// The dicts of the hooks of a tensor. The collector finds them only for some tensors, by the version of
// torch.
inline constexpr std::size_t kHookKinds = 2;
inline constexpr const char* kHooksOfTensor[kHookKinds] = {"_backward_hooks", "_post_accumulate_grad_hooks"};

class Autograd {
 public:
  // False where there is no torch.
  bool begin();

  // What a tensor or a function of the graph refers to. `node` rises from call to call; a second call
  // with the same one repeats the answer.
  void visit(PyObject* object, const TypeInfo& info, std::uint32_t node, Visit visitor, void* context);

 private:
  struct Answer {
    std::uint32_t node;
    std::uint32_t first;
    std::uint32_t count;
  };

  void ask(PyObject* object, const TypeInfo& info);
  void ask_function(PyObject* function);
  void ask_saved(PyObject* function, const char* raw_name);
  void keep(PyObject* object);
  void keep_items(PyObject* tuple);
  [[nodiscard]] const Answer* find(std::uint32_t node) const;

  PyObject* function_of_ = nullptr;
  PyObject* gradient_of_ = nullptr;
  PyObject* hooks_of_[kHookKinds] = {};
  Answer* answers_ = nullptr;
  PyObject** objects_ = nullptr;
  std::size_t answer_room_ = 0;
  std::size_t object_room_ = 0;
  std::uint32_t answer_count_ = 0;
  std::uint32_t object_count_ = 0;
};

// What a function of the graph takes in C++, by glibc's own account; 0 where another allocator is in charge,
// and for one that is written in Python. What it points to (its edges, the shapes of its inputs) is not
// counted.
std::uint64_t native_bytes(const PyObject* function, const TypeInfo& info);

// In the job, before the fork: takes the loader's lock.
void find_torch();

// A getter of C and what it says of an object; null and no exception where it fails.
PyObject* ask_getter(PyObject* getter, PyObject* object);

// torch._C.TensorBase, whatever it is called; null where torch is not loaded.
PyObject* tensor_base();

// Subclasses of Tensor may want to be asked in Python: not from here on.
void switch_off_overrides();

}  // namespace lowtide::agent

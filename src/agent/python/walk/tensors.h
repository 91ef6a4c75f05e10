// The torch tensors among the objects: what they look like, and the storages behind them.
#pragma once

#include <cstdint>

#include "agent/python/walk/object_graph.h"
#include "agent/python/walk/snapshot_file.h"
#include "wire/snapshot.h"

namespace lowtide::agent {

struct TensorGroup {
  std::uint64_t hash;
  std::uint64_t count;
  std::uint64_t bytes;
  std::uint64_t storages;
  std::uint64_t storage_bytes;
  PyObject* dtype;  // torch has one object of each; of JAX the type of an element
  std::uint32_t requires_grad;
  std::uint32_t dimensions;
  std::int64_t shape[wire::kMaxDimensions];
  char device[16];
};

class Tensors {
 public:
  // Asks every tensor, counts each storage once and gives its bytes to what holds all its tensors; the same
  // for arrays of JAX. False where neither is there, or they answer in ways that we do not know.
  bool ask_all(ObjectGraph& graph, bool is_jax_on_gpu);

  // What the storages are used for, by the listed object that holds them; after graph.assign_to(), which
  // listed so many. False where there is no memory for it.
  bool write_uses(const ObjectGraph& graph, std::uint32_t listed, SnapshotFile& file) const;

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] const TensorGroup& at(std::uint32_t index) const { return groups_[index]; }
  [[nodiscard]] std::uint64_t host_bytes() const { return host_bytes_; }
  [[nodiscard]] std::uint64_t device_bytes() const { return device_bytes_; }

 private:
  static constexpr std::uint32_t kMostGroups = 1U << 13U;

  struct Storage {
    std::uint64_t key;
    std::uint64_t bytes;
    Node holder;
    wire::TensorUse use;
    bool is_on_host;
  };

  bool find_functions();
  void ask(ObjectGraph& graph, Node node);
  void ask_array(ObjectGraph& graph, Node node, bool is_on_gpu);
  bool ask_arrays(ObjectGraph& graph, bool is_on_gpu);
  void give_to_holders(ObjectGraph& graph);
  std::uint32_t group_of(const TensorGroup& wanted);
  void note_storage(PyObject* tensor, Node node, TensorGroup& group, ObjectGraph& graph);
  // Null where it has none.
  PyObject* storage_of(PyObject* tensor, std::uint64_t& key) const;
  [[nodiscard]] wire::TensorUse use_of(ObjectGraph& graph, Node node) const;
  void mark_gradients(ObjectGraph& graph);
  Storage* place_of(std::uint64_t key);
  bool make_room();

  PyObject* shape_of_ = nullptr;
  PyObject* device_of_ = nullptr;
  PyObject* dtype_of_ = nullptr;
  PyObject* requires_grad_of_ = nullptr;
  PyObject* element_bytes_of_ = nullptr;
  PyObject* storage_of_ = nullptr;
  PyObject* gradient_of_ = nullptr;
  PyObject* parameter_type_ = nullptr;  // null where torch.nn is not loaded

  TensorGroup* groups_ = nullptr;
  std::uint32_t* places_ = nullptr;
  std::uint32_t count_ = 0;
  Storage* storages_ = nullptr;
  std::uint64_t storage_room_ = 0;
  std::uint64_t storage_count_ = 0;
  std::uint64_t host_bytes_ = 0;
  std::uint64_t device_bytes_ = 0;
};

}  // namespace lowtide::agent

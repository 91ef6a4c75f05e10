// Every object that can be reached, its shortest path, and what it retains.
//
// Breadth first from the roots: the number of an object is its place in that order, so an
// object that reaches or dominates it has a smaller one. Only `find_dominators` stores the
// edges; other code that needs them visits the objects again (tp_traverse).

#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/python/walk/autograd.h"
#include "agent/python/walk/dominators.h"
#include "agent/python/walk/object_map.h"
#include "agent/python/walk/object_types.h"

namespace lowtide::agent {

class ObjectGraph {
 public:
  bool begin();

  // An object that nothing has to hold; 0 where it is known already.
  Node add_root(PyObject* object);

  // Everything that can be reached from what was added.
  void walk();

  // What is only reached from here on is for the moment: a function that runs just now has it. It does not
  // count as a holder of what was reached before, or a snapshot in the middle of a step would find that
  // nobody alone holds anything. At most twice; each time what follows is more fleeting.
  void begin_fleeting();
  [[nodiscard]] bool is_more_fleeting(Node left, Node right) const {
    return stage_of(left) > stage_of(right);
  }

  // After walk(): makes dominator() and retained figures exact. False where there is no memory for it; then
  // an object counts for the one that reaches it first.
  bool find_dominators();

  // What two objects have in common that holds them both.
  [[nodiscard]] Node common_holder(Node left, Node right) const {
    while (left != right) {
      (left > right ? left : right) = dominators_[left > right ? left : right];
    }
    return left;
  }

  // Bytes that belong to an object without being one, such as a tensor's storage.
  void add_bytes(Node node, std::uint64_t bytes) { retained_[node] += bytes; }
  // The same, in the memory of a device. False where there is no room to note it.
  bool add_device_bytes(Node node, std::uint64_t bytes);

  // After the last add_bytes: what each object keeps alive.
  bool sum_up();

  // After the last path was written: from here on the bytes of an object are its own, and it has the nearest
  // of the `listed` objects, whose nodes rise, that holds it.
  void assign_to(const Node* listed, std::uint32_t count);
  static constexpr std::uint32_t kNotListed = ~0U;
  [[nodiscard]] std::uint32_t listed_holder(Node node) const { return parents_[dominators_[node]]; }
  // The same, or the object itself where it is listed.
  [[nodiscard]] std::uint32_t listed_at(Node node) const { return parents_[node]; }
  [[nodiscard]] std::uint64_t own_bytes(Node node) const { return retained_[node] + device_bytes(node); }

  [[nodiscard]] Node count() const { return count_; }
  [[nodiscard]] PyObject* object(Node node) const { return objects_[node]; }
  [[nodiscard]] Node reached_from(Node node) const { return parents_[node]; }
  [[nodiscard]] Node dominator(Node node) const { return dominators_[node]; }
  [[nodiscard]] std::uint64_t retained_bytes(Node node) const { return retained_[node]; }
  [[nodiscard]] std::uint64_t device_bytes(Node node) const { return device_ == nullptr ? 0 : device_[node]; }
  [[nodiscard]] std::uint32_t retained_objects(Node node) const { return members_[node]; }
  [[nodiscard]] bool has_dominators() const { return dominators_ != nullptr; }
  [[nodiscard]] bool is_cut() const { return is_cut_ || map_.is_short_of_memory(); }
  ObjectTypes& types() { return types_; }

 private:
  static int visit(PyObject* object, void* graph);
  static int note_edge(PyObject* object, void* graph);
  void traverse(PyObject* object, const TypeInfo& info, Visit visitor);
  Node append(PyObject* object, Node from);
  [[nodiscard]] unsigned stage_of(Node node) const {
    return (node >= stages_[0] ? 1U : 0U) + (node >= stages_[1] ? 1U : 0U);
  }
  bool number_nodes();

  ObjectMap map_;
  ObjectTypes types_;
  Autograd autograd_;
  PyObject** objects_ = nullptr;
  Node* parents_ = nullptr;
  std::uint64_t* retained_ = nullptr;
  std::uint64_t* device_ = nullptr;  // where there is a tensor on one; few pages of it are ever written
  Node* dominators_ = nullptr;
  Node* nodes_ = nullptr;  // by the map's number
  std::uint32_t* members_ = nullptr;
  std::size_t room_ = 0;
  std::size_t counted_ = 0;  // objects whose memory is counted
  Node count_ = 0;
  Node walked_ = 0;
  Node stages_[2] = {~Node{0}, ~Node{0}};  // where the first and the second begin
  Node here_ = 0;
  Dominators edges_;
  bool has_edges_ = false;
  bool is_cut_ = false;
};

}  // namespace lowtide::agent

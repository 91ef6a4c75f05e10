// Every object that can be reached, its shortest path, and what it retains.
//
// Breadth first from the roots: the number of an object is its place in that order, so an
// object that reaches or dominates it has a smaller one. Only `find_dominators` stores
// edges; other code that needs them visits the objects again (tp_traverse).
//
// Most objects have one referrer, and nothing below them has two: numbers, texts, lists of them. The one that
// reaches such an object holds it alone. Only the others, the `shared` nodes and those above them, have to be
// searched for dominators, and only their edges are stored.

#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/python/walk/autograd.h"
#include "agent/python/walk/dominators.h"
#include "agent/python/walk/node_set.h"
#include "agent/python/walk/object_map.h"
#include "agent/python/walk/object_types.h"
#include "agent/python/walk/table.h"

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

  // After find_dominators(), as everything below: bytes that belong to an object without being one, such as a
  // tensor's storage.
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
  [[nodiscard]] std::uint64_t device_bytes(Node node) const { return device_.is_taken() ? device_[node] : 0; }
  [[nodiscard]] std::uint32_t retained_objects(Node node) const { return members_[node]; }
  [[nodiscard]] bool has_dominators() const { return dominators_.is_taken() && retained_.is_taken(); }
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
  [[nodiscard]] std::uint64_t size_of(PyObject* object, const TypeInfo& info) const;
  bool find_searched();
  void add_edges_of_root();
  void add_edge(Node to);
  const Node* search();
  bool note_dominators(const Node* found);
  bool note_sizes();

  ObjectMap map_;
  ObjectTypes types_;
  Autograd autograd_;
  Table<PyObject*> objects_;
  Table<Node> parents_;
  Table<std::uint32_t> sizes_;  // until find_dominators(); with a flag
  Table<std::uint64_t> retained_;
  Table<std::uint64_t> device_;  // where there is a tensor on one; few pages of it are ever written
  Table<Node> dominators_;
  Table<std::uint32_t> members_;
  Node count_ = 0;
  Node walked_ = 0;
  Node stages_[2] = {~Node{0}, ~Node{0}};  // where the first and the second begin
  Node here_ = 0;
  std::uint32_t here_rank_ = 0;  // among the nodes that are searched
  NodeSet searched_;
  Table<Node> nodes_;  // by the map's number
  Dominators edges_;
  bool has_edges_ = false;
  bool is_cut_ = false;
};

}  // namespace lowtide::agent

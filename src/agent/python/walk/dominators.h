// Which object holds another one alone: the object that is on every path from the roots to it (its
// dominator).
//
// By semidominators over a depth-first tree, with compressed paths (the "semi-NCA" way of Georgiadis and
// Tarjan). It takes time with the number of references, also in long lists that are linked both ways, where
// climbing step by step takes the square.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lowtide::agent {

using Node = std::uint32_t;
inline constexpr Node kRoot = 0;  // not an object: what holds the roots

class Dominators {
 public:
  // False where there is no memory for `count` nodes, the root among them.
  bool begin(Node count);

  // All references of one node after the other, the nodes in rising order, the root first. False where there
  // is no memory.
  bool add(Node from, Node to);

  // Writes the dominator of each node but the root. Every node must be reachable. False where there is no
  // memory; then nothing is written.
  bool find(Node* into);

 private:
  bool sort_by_target();
  bool number_depth_first(Node* next);
  Node find_least(Node number, Node last_linked);

  Node count_ = 0;
  Node last_from_ = 0;
  std::uint32_t edges_ = 0;
  std::size_t edge_room_ = 0;
  std::size_t edges_counted_ = 0;
  Node* targets_ = nullptr;             // of all edges, by source
  std::uint32_t* first_out_ = nullptr;  // of each node: where its edges begin
  Node* sources_ = nullptr;             // of all edges, by target
  std::uint32_t* first_in_ = nullptr;
  Node* node_of_ = nullptr;    // by number; the numbers are those of the depth-first order
  Node* number_of_ = nullptr;  // by node
  // All of these are numbers, by number.
  Node* parent_ = nullptr;
  Node* semi_ = nullptr;
  Node* label_ = nullptr;
  Node* dominator_ = nullptr;
  Node* stack_ = nullptr;
};

}  // namespace lowtide::agent

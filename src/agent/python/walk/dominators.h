// Which object holds another one alone: the object that is on every path from the roots to it (its
// dominator).
//
// By semidominators over a depth-first tree, with compressed paths (the "semi-NCA" way of Georgiadis and
// Tarjan). It takes time with the number of references, also in long lists that are linked both ways, where
// climbing step by step takes the square. At its peak it has 24 bytes for each node and 8 for each reference:
// paths are followed and compressed by turning their links round, without a stack.

#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/python/walk/table.h"

namespace lowtide::agent {

using Node = std::uint32_t;
inline constexpr Node kRoot = 0;  // not an object: what holds the roots

class Dominators {
 public:
  // False where there is no memory for `count` nodes, the root among them.
  bool begin(Node count);

  // All references of one node after the other, the nodes in rising order, the root first. None leads to the
  // root. False where there is no memory.
  bool add(Node from, Node to);

  // The dominator of each node but the root, until give_back(). Every node must be reachable. Null where
  // there is no memory. May be called once.
  const Node* find();

  void give_back();

 private:
  void give_back_the_rest();
  void end_edges_of(Node from);
  bool sort_by_target();
  bool number_depth_first();
  bool find_semidominators();
  Node find_least(Node number, Node last_linked);

  Node count_ = 0;
  Node last_from_ = 0;
  std::uint32_t edges_ = 0;
  Table<Node> targets_;             // of all edges, by source; the last one of a source is marked
  Table<std::uint32_t> first_out_;  // of each node: its first edge, then the next to follow; or kNoEdge
  Table<Node> sources_;             // of all edges, by target
  Table<std::uint32_t> first_in_;
  Table<Node> node_of_;    // by number; the numbers are those of the depth-first order
  Table<Node> number_of_;  // by node
  // All of these are numbers, by number.
  Table<Node> parent_;
  Table<Node> semi_;
  Node* label_ = nullptr;      // in the memory of first_out_
  Node* dominator_ = nullptr;  // in the memory of targets_
};

}  // namespace lowtide::agent

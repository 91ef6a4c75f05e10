#include "agent/python/walk/dominators.h"

#include "agent/python/walk/child_memory.h"

namespace lowtide::agent {
namespace {

constexpr std::size_t kMostEdges = 1ULL << 31U;
constexpr std::size_t kCountEvery = 1U << 16U;

template <typename T>
bool take(T*& array, std::size_t count) {
  array = static_cast<T*>(take_memory(count * sizeof(T)));
  return array != nullptr;
}

}  // namespace

bool Dominators::begin(Node count) {
  count_ = count;
  edge_room_ = kMostEdges;
  targets_ = static_cast<Node*>(reserve_memory(sizeof(Node), edge_room_, edge_room_));
  return targets_ != nullptr && take(first_out_, static_cast<std::size_t>(count) + 1);
}

bool Dominators::add(Node from, Node to) {
  if (edges_ >= edges_counted_) {
    if (edges_ + kCountEvery >= edge_room_ || !count_memory(kCountEvery * sizeof(Node))) {
      return false;
    }
    edges_counted_ += kCountEvery;
  }
  while (last_from_ < from) {
    first_out_[++last_from_] = edges_;
  }
  targets_[edges_++] = to;
  return true;
}

bool Dominators::sort_by_target() {
  while (last_from_ < count_) {
    first_out_[++last_from_] = edges_;
  }
  if (!take(sources_, edges_) || !take(first_in_, static_cast<std::size_t>(count_) + 2)) {
    return false;
  }
  // Counted two places further on: filling moves each beginning to its place.
  for (std::uint32_t edge = 0; edge < edges_; ++edge) {
    ++first_in_[targets_[edge] + 2];
  }
  for (Node node = 2; node < count_ + 2; ++node) {
    first_in_[node] += first_in_[node - 1];
  }
  for (Node from = 0; from < count_; ++from) {
    for (std::uint32_t edge = first_out_[from]; edge < first_out_[from + 1]; ++edge) {
      sources_[first_in_[targets_[edge] + 1]++] = from;
    }
  }
  return true;
}

bool Dominators::number_depth_first(Node* next) {
  constexpr Node kUnseen = ~Node{0};
  if (!take(node_of_, count_) || !take(number_of_, count_) || !take(parent_, count_) ||
      !take(stack_, count_)) {
    return false;
  }
  for (Node node = 1; node < count_; ++node) {
    number_of_[node] = kUnseen;
  }
  for (Node node = 0; node < count_; ++node) {
    next[node] = first_out_[node];
  }
  Node depth = 0;
  Node numbers = 1;
  stack_[depth++] = kRoot;
  while (depth > 0) {
    const Node node = stack_[depth - 1];
    if (next[node] == first_out_[node + 1]) {
      --depth;
      continue;
    }
    const Node to = targets_[next[node]++];
    if (number_of_[to] == kUnseen) {
      number_of_[to] = numbers;
      node_of_[numbers] = to;
      parent_[numbers] = number_of_[node];
      ++numbers;
      stack_[depth++] = to;
    }
  }
  return numbers == count_;
}

// Among what is on the way from `number` up to the linked part's top: the one with the least semidominator.
Node Dominators::find_least(Node number, Node last_linked) {
  if (parent_[number] < last_linked) {
    return label_[number];
  }
  Node depth = 0;
  do {
    stack_[depth++] = number;
    number = parent_[number];
  } while (parent_[number] >= last_linked);
  Node above = number;
  while (depth > 0) {
    number = stack_[--depth];
    parent_[number] = parent_[above];
    if (semi_[label_[above]] < semi_[label_[number]]) {
      label_[number] = label_[above];
    }
    above = number;
  }
  return label_[number];
}

bool Dominators::find(Node* into) {
  Node* next = nullptr;  // of each node: its next edge to follow
  if (!take(next, count_) || !sort_by_target() || !number_depth_first(next)) {
    return false;
  }
  // The edges by source are not needed any more: their memory is used again. There are at least as many
  // edges as nodes but the root, and room for more.
  semi_ = next;
  label_ = first_out_;
  dominator_ = targets_;
  for (Node number = 0; number < count_; ++number) {
    semi_[number] = number;
    label_[number] = number;
    dominator_[number] = parent_[number];
  }
  for (Node number = count_ - 1; number > 0; --number) {
    const Node node = node_of_[number];
    Node least = parent_[number];
    for (std::uint32_t edge = first_in_[node]; edge < first_in_[node + 1]; ++edge) {
      const Node semi = semi_[find_least(number_of_[sources_[edge]], number + 1)];
      least = semi < least ? semi : least;
    }
    semi_[number] = least;
  }
  for (Node number = 1; number < count_; ++number) {
    Node holder = dominator_[number];
    while (holder > semi_[number]) {
      holder = dominator_[holder];
    }
    dominator_[number] = holder;
    into[node_of_[number]] = node_of_[holder];
  }
  return true;
}

}  // namespace lowtide::agent

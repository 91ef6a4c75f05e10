#include "agent/python/walk/dominators.h"

namespace lowtide::agent {
namespace {

constexpr std::size_t kMostEdges = 1ULL << 31U;
constexpr std::size_t kCountEvery = 1U << 16U;
constexpr std::uint32_t kNoEdge = ~0U;
constexpr Node kLast = 1U << 31U;  // nodes are fewer

}  // namespace

bool Dominators::begin(Node count) {
  count_ = count;
  return count < kLast && targets_.reserve(kMostEdges) && first_out_.take(count);
}

bool Dominators::add(Node from, Node to) {
  while (last_from_ < from) {
    end_edges_of(last_from_);
    first_out_[++last_from_] = edges_;
  }
  if (edges_ >= targets_.counted() && !targets_.count_more(kCountEvery)) {
    return false;
  }
  targets_[edges_++] = to;
  return true;
}

void Dominators::end_edges_of(Node from) {
  if (first_out_[from] == edges_) {
    first_out_[from] = kNoEdge;
  } else {
    targets_[edges_ - 1] |= kLast;
  }
}

bool Dominators::sort_by_target() {
  while (last_from_ + 1 < count_) {
    end_edges_of(last_from_);
    first_out_[++last_from_] = edges_;
  }
  end_edges_of(last_from_);
  if (!sources_.take(edges_) || !first_in_.take(static_cast<std::size_t>(count_) + 2)) {
    return false;
  }
  // Counted two places further on: filling moves each beginning to its place.
  for (std::uint32_t edge = 0; edge < edges_; ++edge) {
    ++first_in_[(targets_[edge] & ~kLast) + 2];
  }
  for (Node node = 2; node < count_ + 2; ++node) {
    first_in_[node] += first_in_[node - 1];
  }
  Node from = 0;
  for (std::uint32_t edge = 0; edge < edges_; ++edge) {
    while (first_out_[from] == kNoEdge) {
      ++from;
    }
    sources_[first_in_[(targets_[edge] & ~kLast) + 1]++] = from;
    from += targets_[edge] >> 31U;
  }
  return true;
}

bool Dominators::number_depth_first() {
  if (!node_of_.take(count_) || !number_of_.take(count_) || !parent_.take(count_)) {
    return false;
  }
  Node numbers = 1;
  Node node = kRoot;
  for (;;) {
    const std::uint32_t edge = first_out_[node];
    if (edge == kNoEdge) {
      if (node == kRoot) {
        break;
      }
      node = node_of_[parent_[number_of_[node]]];
      continue;
    }
    const Node to = targets_[edge] & ~kLast;
    first_out_[node] = (targets_[edge] & kLast) != 0 ? kNoEdge : edge + 1;
    if (number_of_[to] == 0) {
      number_of_[to] = numbers;
      node_of_[numbers] = to;
      parent_[numbers] = number_of_[node];
      ++numbers;
      node = to;
    }
  }
  return numbers == count_;
}

// Among what is on the way from `number` up to the linked part's top: the one with the least semidominator.
Node Dominators::find_least(Node number, Node last_linked) {
  if (parent_[number] < last_linked) {
    return label_[number];
  }
  // Up, and each parent is the node below for the moment.
  Node below = kRoot;
  Node at = number;
  while (parent_[at] >= last_linked) {
    const Node above = parent_[at];
    parent_[at] = below;
    below = at;
    at = above;
  }
  const Node top_parent = parent_[at];
  // Down again: each is now next to the top.
  for (Node above = at; below != kRoot;) {
    at = below;
    below = parent_[at];
    parent_[at] = top_parent;
    if (semi_[label_[above]] < semi_[label_[at]]) {
      label_[at] = label_[above];
    }
    above = at;
  }
  return label_[number];
}

bool Dominators::find_semidominators() {
  if (!semi_.take(count_)) {
    return false;
  }
  // The edges by source are not needed any more: their memory is used again. There are at least as many
  // edges as nodes but the root, and room for more.
  label_ = first_out_.data();
  dominator_ = targets_.data();
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
  return true;
}

const Node* Dominators::find() {
  if (!sort_by_target() || !number_depth_first() || !find_semidominators()) {
    return nullptr;
  }
  Node* into = label_;  // which is not needed any more
  for (Node number = 1; number < count_; ++number) {
    Node holder = dominator_[number];
    while (holder > semi_[number]) {
      holder = dominator_[holder];
    }
    dominator_[number] = holder;
    into[node_of_[number]] = node_of_[holder];
  }
  give_back_the_rest();
  return into;
}

void Dominators::give_back() {
  give_back_the_rest();
  first_out_.give_back();
}

// All but the table with the result.
void Dominators::give_back_the_rest() {
  targets_.give_back();
  sources_.give_back();
  first_in_.give_back();
  node_of_.give_back();
  number_of_.give_back();
  parent_.give_back();
  semi_.give_back();
}

}  // namespace lowtide::agent

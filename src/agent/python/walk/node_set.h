// A set of nodes, and the rank of each in it: a bit for each node of the graph, and a count beside every 64.

#pragma once

#include <cstdint>

#include "agent/python/walk/bits.h"
#include "agent/python/walk/dominators.h"
#include "agent/python/walk/table.h"

namespace lowtide::agent {

class NodeSet {
 public:
  // Of nodes below `count`. False where there is no memory.
  bool begin(Node count) {
    words_ = count / kBits + 1U;
    return bits_.take(words_) && before_.take(words_);
  }

  void add(Node node) { bits_[node / kBits] |= 1ULL << (node % kBits); }
  [[nodiscard]] bool has(Node node) const { return ((bits_[node / kBits] >> (node % kBits)) & 1U) != 0; }

  // After the last add().
  void rank_all() {
    for (std::uint32_t word = 0; word < words_; ++word) {
      before_[word] = count_;
      count_ += count_bits(bits_[word]);
    }
  }

  // Of a node that it has, from 0.
  [[nodiscard]] std::uint32_t rank(Node node) const {
    return before_[node / kBits] + count_bits(bits_[node / kBits] & ((1ULL << (node % kBits)) - 1));
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

  void give_back() {
    bits_.give_back();
    before_.give_back();
  }

 private:
  static constexpr std::uint32_t kBits = 64;

  Table<std::uint64_t> bits_;
  Table<std::uint32_t> before_;
  std::uint32_t words_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace lowtide::agent

#include "agent/python/walk/dominators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "agent/python/walk/child_memory.h"

// The child's memory is that of one process; here every test has its own.
namespace lowtide::agent {
namespace {

struct Free {
  void operator()(void* block) const {
    std::free(block);
  }  // NOLINT(cppcoreguidelines-no-malloc): stands for raw memory
};
std::vector<std::unique_ptr<void, Free>> g_blocks;
std::size_t g_left_bytes = 0;

}  // namespace

void* map_memory(std::size_t bytes) {
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): stands for raw memory
  return g_blocks.emplace_back(std::calloc(1, bytes)).get();
}

void unmap_memory(void* begin, std::size_t /*bytes*/) {
  std::erase_if(g_blocks, [=](const auto& block) { return block.get() == begin; });
}

void* reserve_memory(std::size_t element_bytes, std::size_t most, std::size_t& count) {
  constexpr std::size_t kEnough = 1U << 22U;
  count = most < kEnough ? most : kEnough;
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): stands for raw memory
  return g_blocks.emplace_back(std::calloc(count, element_bytes)).get();
}

bool count_memory(std::size_t bytes) {
  if (bytes > g_left_bytes) return false;
  g_left_bytes -= bytes;
  return true;
}

void uncount_memory(std::size_t bytes) {
  g_left_bytes += bytes;
}

namespace {

using Edges = std::vector<std::vector<Node>>;  // by source

std::vector<Node> find_dominators(const Edges& edges, std::size_t memory = 1U << 30U) {
  g_blocks.clear();
  g_left_bytes = memory;
  Dominators dominators;
  const auto count = static_cast<Node>(edges.size());
  bool is_done = dominators.begin(count);
  for (Node from = 0; from < count && is_done; ++from) {
    for (const Node to : edges[from]) is_done = is_done && dominators.add(from, to);
  }
  const Node* holders = is_done ? dominators.find() : nullptr;
  std::vector<Node> found;
  if (holders != nullptr) {
    found.assign(edges.size(), kRoot);
    std::copy(holders + 1, holders + count, found.begin() + 1);
  }
  dominators.give_back();
  EXPECT_EQ(g_left_bytes, memory);
  EXPECT_TRUE(g_blocks.empty());
  return found;
}

// By the definition: without its dominator a node cannot be reached. The closest such is the one that all
// others hold.
std::vector<Node> find_by_definition(const Edges& edges) {
  const auto reach_without = [&](Node missing) {
    std::vector<bool> is_reached(edges.size(), false);
    std::vector<Node> waiting{kRoot};
    is_reached[kRoot] = missing != kRoot;
    while (!waiting.empty() && missing != kRoot) {
      const Node node = waiting.back();
      waiting.pop_back();
      for (const Node to : edges[node]) {
        if (to == missing || is_reached[to]) continue;
        is_reached[to] = true;
        waiting.push_back(to);
      }
    }
    return is_reached;
  };
  std::vector<std::vector<bool>> reached;
  for (Node node = 0; node < edges.size(); ++node) reached.push_back(reach_without(node));
  const auto holds = [&](Node holder, Node node) { return holder != node && !reached[holder][node]; };
  std::vector<Node> found(edges.size(), kRoot);
  for (Node node = 1; node < edges.size(); ++node) {
    for (Node holder = 1; holder < edges.size(); ++holder) {
      if (holds(holder, node) && (found[node] == kRoot || holds(found[node], holder))) found[node] = holder;
    }
  }
  return found;
}

TEST(Dominators, AgreeWithTheDefinitionOnRandomGraphs) {
  std::mt19937 random(7);
  for (int round = 0; round < 600; ++round) {
    const std::size_t count = 2 + random() % 14;
    Edges edges(count);
    for (Node node = 1; node < count; ++node) edges[random() % node].push_back(node);  // all can be reached
    for (std::size_t more = random() % (2 * count); more > 0; --more) {
      edges[random() % count].push_back(static_cast<Node>(1 + random() % (count - 1)));
    }
    ASSERT_EQ(find_dominators(edges), find_by_definition(edges)) << "round " << round;
  }
}

// Held at both ends, so the root alone holds each of them. Climbing from neighbour to neighbour would take
// 10^10 steps.
TEST(Dominators, TakeNoSquareForAListThatIsLinkedBothWays) {
  constexpr Node kLength = 300'000;
  Edges edges(kLength + 1);
  edges[kRoot] = {1, kLength};
  for (Node node = 1; node < kLength; ++node) {
    edges[node].push_back(node + 1);
    edges[node + 1].push_back(node);
  }
  EXPECT_EQ(find_dominators(edges), std::vector<Node>(kLength + 1, kRoot));
}

TEST(Dominators, SayThatMemoryIsShort) {
  const Edges edges{{1}, {2}, {}};
  std::size_t enough = 1U << 20U;
  EXPECT_FALSE(find_dominators(edges, enough).empty());
  EXPECT_TRUE(find_dominators(edges, 100).empty());
  EXPECT_TRUE(find_dominators(edges, (1U << 18U) + 20).empty());  // the edges, and no more
}

}  // namespace
}  // namespace lowtide::agent

// Names of objects as Python would write them: `train.main.trainer.history[3]["preview"]`.
#pragma once

#include <cstdint>

#include "agent/python/walk/object_graph.h"
#include "agent/python/walk/roots.h"

namespace lowtide::agent {

struct PathText {
  char* letters = nullptr;
  std::uint32_t room = 0;
  std::uint32_t bytes = 0;
  std::uint32_t names = 0;  // links of the chain that were written
  const Root* root = nullptr;

  void put(const char* text);
  void put(const char* text, std::uint32_t count);
};

// The shortest way to the object. `into.root` says where it begins.
void write_path(const ObjectGraph& graph, const Roots& roots, Node node, PathText& into);

// How many things it holds; -1 for what does not count them.
std::int64_t length_of(const void* object);

}  // namespace lowtide::agent

// Where the search for objects begins: the local variables of every thread's frames, the
// modules, and whatever the collector knows and neither reaches.
#pragma once

#include <cstdint>

#include "agent/python/walk/object_graph.h"

namespace lowtide::agent {

enum class RootKind : std::uint8_t { Locals, Module, Unnamed };

struct Root {
  Node node;
  RootKind kind;
  PyObject* module;    // its name, a text; null: not known
  PyObject* function;  // the same, of a frame
  PyObject* file;
  std::uint32_t line;
};

class Roots {
 public:
  bool begin();

  // The modules, the main one first; then the frames of the user's own code, the outermost first. An argument
  // of a function that runs just now is a second name for something that has one: what a whole run holds is
  // named by the run.
  void add_lasting(ObjectGraph& graph);

  // The frames of installed code, which come and go within a step.
  void add_passing(ObjectGraph& graph);

  // What is left in the lists of the collector; walks from each. False where the lists were not
  // found.
  bool add_unnamed(ObjectGraph& graph);

  // Null for one that has no name.
  [[nodiscard]] const Root* find(Node node) const;

 private:
  void add(ObjectGraph& graph, PyObject* object, const Root& root);
  void add_frames(ObjectGraph& graph, bool installed);
  void add_thread(ObjectGraph& graph, void* thread, bool installed);
  void add_modules(ObjectGraph& graph);

  Root* roots_ = nullptr;
  const void* youngest_ = nullptr;  // generation of the collector
  const void* last_ = nullptr;      // of its objects, when we began
  std::uint32_t count_ = 0;
};

// The collector must not run in the child. False if it could not be switched off.
bool stop_collector();

}  // namespace lowtide::agent

#include "agent/python/walk/roots.h"

#include <initializer_list>

#include "agent/heap/text.h"
#include "agent/python/text.h"
#include "agent/python/walk/child_memory.h"

namespace lowtide::agent {
namespace {

constexpr std::uint32_t kMostRoots = 1U << 14U;
constexpr std::uint32_t kMostFrames = 512;
constexpr std::uint32_t kMostThreads = 4096;

using Links = wire::CollectorLinks;

const Links* links_of(std::uintptr_t word) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): flags are kept in addresses
  return reinterpret_cast<const Links*>(word & ~std::uintptr_t{3U});
}

bool is_list_head(const Links* head) {
  const Links* next = links_of(head->next);
  const Links* previous = links_of(head->previous);
  return next != nullptr && previous != nullptr && links_of(next->previous) == head &&
         links_of(previous->next) == head;
}

// A new object, which is the last of the youngest generation: the head of that list comes after it.
const Links* new_last() {
  PyObject* object = g_calls.new_list(0);
  return object == nullptr
             ? nullptr
             : reinterpret_cast<const Links*>(reinterpret_cast<const char*>(object) - sizeof(Links));
}

const Links* head_after(const Links* last) {
  const Links* head = last == nullptr || last->next == 0 ? nullptr : links_of(last->next);
  return head != nullptr && is_list_head(head) ? head : nullptr;
}

// f_locals, or a dict with what it says: from 3.13 on it is a view of the frame.
PyObject* locals_of(PyObject* frame) {
  PyObject* locals = attribute(frame, "f_locals");
  if (locals == nullptr || is_kind(locals, type_flag::kDict)) {
    return locals;
  }
  PyObject* dict = g_calls.new_dict();
  if (dict == nullptr || g_calls.update_dict(dict, locals) != 0) {
    g_calls.clear_error();
    return nullptr;
  }
  return dict;
}

// As the report distinguishes the user's code from installed code (explain/own_frames.cpp).
bool is_installed(PyObject* file) {
  char path[512];
  const std::uint32_t bytes = file == nullptr ? 0 : copy_python_text(file, path, sizeof(path) - 1);
  path[bytes] = 0;
  if (path[0] == '<') {
    const bool is_typed_in = after(path, "<string>") != nullptr || after(path, "<stdin>") != nullptr ||
                             after(path, "<ipython-input") != nullptr;
    return !is_typed_in;
  }
  return contains(path, "/site-packages/") || contains(path, "/dist-packages/") ||
         contains(path, "/lib/python3");
}

}  // namespace

bool stop_collector() {
  if (g_calls.stop_collector != nullptr) {
    g_calls.stop_collector();
    return true;
  }
  // 3.9 has no function for it, but a flag before its generations.
  const Links* head = head_after(new_last());
  if (head == nullptr) {
    return false;
  }
  char* generations = reinterpret_cast<char*>(const_cast<Links*>(head));
  auto* enabled = reinterpret_cast<std::int32_t*>(generations - g_python.layout.enabled_before_generations);
  if (*enabled != 0 && *enabled != 1) {
    return false;
  }
  *enabled = 0;
  return true;
}

bool Roots::begin() {
  roots_ = static_cast<Root*>(take_memory(kMostRoots * sizeof(Root)));
  const Links* last = new_last();
  last_ = last;
  youngest_ = head_after(last);
  return roots_ != nullptr;
}

void Roots::add(ObjectGraph& graph, PyObject* object, const Root& root) {
  if (object == nullptr || count_ == kMostRoots) {
    return;
  }
  if (const Node node = graph.add_root(object)) {
    roots_[count_] = root;
    roots_[count_++].node = node;
  }
}

void Roots::add_thread(ObjectGraph& graph, void* thread, bool installed) {
  PyObject* frames[kMostFrames];
  std::uint32_t count = 0;
  PyObject* frame = g_calls.top_frame(thread);
  for (; frame != nullptr && count < kMostFrames; frame = g_calls.back_of(frame)) {
    frames[count++] = frame;
  }
  while (count > 0) {
    frame = frames[--count];
    PyObject* code = g_calls.code_of(frame);
    PyObject* file = attribute(code, "co_filename");
    if (is_installed(file) != installed) {
      continue;
    }
    PyObject* globals = attribute(frame, "f_globals");
    PyObject* locals = locals_of(frame);
    if (locals == globals) {
      continue;  // a module's: it has the module's name
    }
    PyObject* name = g_python.layout.code_has_qualname ? attribute(code, "co_qualname") : nullptr;
    const int line = g_calls.line_of(frame);
    add(graph, locals,
        {0, RootKind::Locals, find_item(globals, "__name__"),
         name != nullptr ? name : attribute(code, "co_name"), file,
         line > 0 ? static_cast<std::uint32_t>(line) : 0});
  }
}

void Roots::add_modules(ObjectGraph& graph) {
  PyObject* modules = g_calls.module_dict();
  for (const bool is_main_turn : {true, false}) {
    std::ptrdiff_t position = 0;
    PyObject* name = nullptr;
    PyObject* module = nullptr;
    while (modules != nullptr && g_calls.next_item(modules, &position, &name, &module) != 0) {
      if (is_main_turn == is_text(name, "__main__")) {
        const bool is_module = is_subtype(type_of(module), g_calls.module_type);
        PyObject* names = is_module ? field<PyObject*>(module, g_python.layout.module_dict) : nullptr;
        add(graph, names != nullptr ? names : module, {0, RootKind::Module, name, nullptr, nullptr, 0});
      }
    }
  }
}

void Roots::add_lasting(ObjectGraph& graph) {
  add_modules(graph);
  add_frames(graph, false);
}

void Roots::add_passing(ObjectGraph& graph) {
  add_frames(graph, true);
}

void Roots::add_frames(ObjectGraph& graph, bool installed) {
  void* interpreter = g_calls.first_interpreter();
  // The oldest thread is the last of the list: the main one.
  void* threads[kMostThreads];
  std::uint32_t count = 0;
  void* thread = interpreter == nullptr ? nullptr : g_calls.first_thread(interpreter);
  for (; thread != nullptr && count < kMostThreads; thread = g_calls.next_thread(thread)) {
    threads[count++] = thread;
  }
  while (count > 0) {
    add_thread(graph, threads[--count], installed);
  }
}

bool Roots::add_unnamed(ObjectGraph& graph) {
  if (youngest_ == nullptr) {
    return false;
  }
  const std::size_t generation = g_python.layout.generation_bytes;
  const std::size_t frozen = wire::kGenerations * generation;
  const std::size_t places[] = {0, generation, 2 * generation, frozen, frozen + wire::kBeforeFrozen};
  for (const std::size_t place : places) {
    const auto* head = reinterpret_cast<const Links*>(static_cast<const char*>(youngest_) + place);
    if (place >= frozen && (head->next & 7U) != 0) {
      continue;
    }
    if (links_of(head->next) == nullptr || links_of(head->previous) == nullptr || !is_list_head(head)) {
      continue;
    }
    for (const Links* at = links_of(head->next); at != head && !graph.is_cut(); at = links_of(at->next)) {
      auto* object = mutable_object(reinterpret_cast<const char*>(at) + sizeof(Links));
      if (at == last_) {
        break;  // what follows was made to answer us
      }
      if (graph.add_root(object) != 0) {
        graph.walk();
      }
    }
  }
  return true;
}

const Root* Roots::find(Node node) const {
  std::uint32_t from = 0;
  std::uint32_t to = count_;
  while (from < to) {
    const std::uint32_t middle = (from + to) / 2;
    if (roots_[middle].node < node) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from < count_ && roots_[from].node == node ? &roots_[from] : nullptr;
}

}  // namespace lowtide::agent

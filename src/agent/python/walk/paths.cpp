#include "agent/python/walk/paths.h"

#include <initializer_list>

#include "agent/heap/text.h"
#include "agent/python/text.h"
#include "agent/python/walk/calls.h"

namespace lowtide::agent {
namespace {

constexpr std::uint32_t kMostLinks = 64;
constexpr std::int64_t kMostSearched = 1 << 20;

const void* const* items_of(const void* sequence) {
  if (is_kind(sequence, type_flag::kList)) {
    return field<const void* const*>(sequence, g_python.layout.list_items);
  }
  return reinterpret_cast<const void* const*>(static_cast<const char*>(sequence) +
                                              g_python.layout.tuple_items);
}

std::int64_t find_in_sequence(const void* sequence, const void* wanted) {
  const void* const* items = items_of(sequence);
  const std::int64_t length = size_of_variable(sequence);
  for (std::int64_t at = 0; at < length && at < kMostSearched; ++at) {
    if (items[at] == wanted) {
      return at;
    }
  }
  return -1;
}

PyObject* key_of(PyObject* dict, const void* value) {
  return find_entry(dict, [&](const Entry& entry) { return entry.value == value; }).key;
}

void put_number(PathText& into, std::int64_t number) {
  char digits[24];
  std::uint32_t at = sizeof(digits);
  const bool is_negative = number < 0;
  auto rest = is_negative ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  do {
    digits[--at] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (is_negative) {
    digits[--at] = '-';
  }
  into.put(digits + at, sizeof(digits) - at);
}

void put_text(PathText& into, const void* text) {
  into.bytes += copy_python_text(text, into.letters + into.bytes, into.room - into.bytes);
}

void put_name(PathText& into, const void* name) {
  into.put(".");
  put_text(into, name);
}

void put_index(PathText& into, std::int64_t index) {
  into.put("[");
  if (index < 0) {
    into.put("...");
  } else {
    put_number(into, index);
  }
  into.put("]");
}

void put_key(PathText& into, PyObject* key) {
  if (key != nullptr && is_kind(key, type_flag::kText)) {
    constexpr std::uint32_t kMostLetters = 60;
    char letters[kMostLetters];
    const std::uint32_t bytes = copy_python_text(key, letters, sizeof(letters));
    into.put("[\"");
    into.put(letters, bytes);
    into.put("\"]");
    return;
  }
  if (key != nullptr && is_kind(key, type_flag::kNumber)) {
    const long long number = g_calls.to_number(key);
    g_calls.clear_error();
    into.put("[");
    put_number(into, number);
    into.put("]");
    return;
  }
  into.put("[...]");
}

// Writes `.name` and says true where the object has an attribute of this value.
bool put_attribute(PathText& into, PyObject* object, const char* name, const void* value) {
  if (attribute(object, name) != value) {
    return false;
  }
  into.put(".");
  into.put(name);
  return true;
}

// The dict that holds the attributes of a module, a class or an object.
PyObject* namespace_of(PyObject* object) {
  const void* type = type_of(object);
  if (is_subtype(type, g_calls.module_type)) {
    return field<PyObject*>(object, g_python.layout.module_dict);
  }
  if (is_kind(object, type_flag::kType)) {
    return field<PyObject*>(object, g_python.layout.type_dict);
  }
  const bool is_managed = (flags_of_type(type) & g_python.layout.managed_dict_flag) != 0;
  if (!is_managed && field<std::int64_t>(type, g_python.layout.type_dict_offset) == 0) {
    return nullptr;
  }
  PyObject* dict = g_calls.own_dict(object, nullptr);
  if (dict == nullptr) {
    g_calls.clear_error();
  }
  return dict;
}

// A field of a class with __slots__, or one that a type in C shows.
bool put_member(PathText& into, PyObject* object, const void* value) {
  const void* type = type_of(object);
  for (; type != nullptr; type = base_of(type)) {
    const char* member = field<const char*>(type, g_python.layout.type_members);
    for (; member != nullptr && field<const char*>(member, 0) != nullptr; member += wire::kMemberBytes) {
      const auto kind = field<std::int32_t>(member, wire::kMemberKind);
      const auto offset = field<std::int64_t>(member, wire::kMemberOffset);
      if ((kind == wire::kMemberObject || kind == wire::kMemberObjectOrError) && offset > 0 &&
          field<const void*>(object, static_cast<std::size_t>(offset)) == value) {
        into.put(".");
        into.put(field<const char*>(member, 0));
        return true;
      }
    }
  }
  return false;
}

// The variable of a suspended function, or of a frame that somebody keeps.
bool put_local(PathText& into, PyObject* frame, const void* value) {
  PyObject* key = key_of(attribute(frame, "f_locals"), value);
  if (key != nullptr) {
    put_name(into, key);
  }
  return key != nullptr;
}

struct Known {
  const char* type;
  const char* attributes[5];
};

// Types in C whose attributes can be asked for without running Python.
constexpr Known kKnown[] = {
    {"method", {"__self__", "__func__"}},
    {"function", {"__defaults__", "__kwdefaults__", "__annotations__"}},
    {"builtin_function_or_method", {"__self__"}},
    {"traceback", {"tb_frame", "tb_next"}},
    {"functools.partial", {"args", "keywords", "func"}},
    {"property", {"fget", "fset", "fdel"}},
    {"classmethod", {"__func__"}},
    {"staticmethod", {"__func__"}},
    {"mappingproxy", {}},
};

bool put_known(PathText& into, PyObject* object, const void* value) {
  const char* type = name_of_type(type_of(object));
  if (type == nullptr) {
    return false;
  }
  for (const Known& known : kKnown) {
    for (std::size_t at = 0; equal(known.type, type) && at < 5 && known.attributes[at] != nullptr; ++at) {
      if (put_attribute(into, object, known.attributes[at], value)) {
        return true;
      }
    }
  }
  for (const char* suspended : {"generator", "coroutine", "async_generator"}) {
    const char* frame = equal(suspended, "generator")   ? "gi_frame"
                        : equal(suspended, "coroutine") ? "cr_frame"
                                                        : "ag_frame";
    if (equal(type, suspended)) {
      into.put(".");
      into.put(frame);
      return put_local(into, attribute(object, frame), value);
    }
  }
  if (equal(type, "frame")) {
    return put_local(into, object, value);
  }
  if (equal(type, "collections.deque") || contains(type, "ndarray")) {
    into.put("[...]");
    return true;
  }
  return false;
}

// The hooks of a tensor, which torch keeps in C++.
bool put_hooks(PathText& into, PyObject* object, const void* value) {
  PyObject* base = tensor_base();
  if (base == nullptr || !is_subtype(type_of(object), base)) {
    return false;
  }
  for (const char* name : kHooksOfTensor) {
    PyObject* getter = attribute(base, name);
    if (getter != nullptr && ask_getter(getter, object) == value) {
      into.put(".");
      into.put(name);
      return true;
    }
  }
  return false;
}

class Chain {
 public:
  Chain(const ObjectGraph& graph, PathText& into) : graph_(graph), into_(into) {}

  void write(const Roots& roots, Node node) {
    Node links[kMostLinks];
    std::uint32_t count = 0;
    bool is_cut = false;
    for (; node != kRoot; node = graph_.reached_from(node)) {
      if (count == kMostLinks) {
        is_cut = true;
        count = 0;  // the end is thrown away: where it begins says more
      }
      links[count++] = node;
    }
    into_.root = count == 0 ? nullptr : roots.find(links[count - 1]);
    write_root(count == 0 ? kRoot : links[count - 1]);
    for (std::uint32_t at = count; at-- > 1;) {
      const std::uint32_t before = into_.bytes;
      step(links[at], links[at - 1]);
      into_.names +=
          into_.bytes > before ? 1 : 0;  // the dict of an object's attributes has no name of its own
    }
    if (is_cut) {
      into_.put("...");
    }
  }

 private:
  void write_root(Node node) {
    const Root* root = into_.root;
    if (root == nullptr) {
      into_.put("<held by C: ");
      into_.bytes += write_type_name(type_of(graph_.object(node)), into_.letters + into_.bytes,
                                     into_.room - into_.bytes);
      into_.put(">");
      return;
    }
    if (root->module != nullptr) {
      put_text(into_, root->module);
    }
    if (root->kind == RootKind::Locals) {
      put_name(into_, root->function);
    }
    names_ = graph_.object(node);
  }

  void step(Node from, Node to) {
    PyObject* holder = graph_.object(from);
    PyObject* held = graph_.object(to);
    if (!step_by_kind(holder, held)) {
      into_.put(".<");
      into_.bytes += write_type_name(type_of(held), into_.letters + into_.bytes, into_.room - into_.bytes);
      into_.put(">");
    }
  }

  bool step_by_kind(PyObject* holder, PyObject* held) {
    const void* type = type_of(holder);
    if (is_kind(holder, type_flag::kDict)) {
      PyObject* key = key_of(holder, held);
      if (holder == names_ && key != nullptr && is_kind(key, type_flag::kText)) {
        put_name(into_, key);
        return true;
      }
      if (key != nullptr || namespace_of(holder) == nullptr) {
        put_key(into_, key);
        return true;
      }
    }
    if (type == g_calls.cell_type) {
      return true;  // the variable was named with the closure
    }
    if (holder == closure_) {
      put_closure(find_in_sequence(holder, held));
      return true;
    }
    if (holder == defaults_) {
      put_default(find_in_sequence(holder, held));
      return true;
    }
    if (is_kind(holder, type_flag::kList) || is_kind(holder, type_flag::kTuple)) {
      const std::int64_t at = find_in_sequence(holder, held);
      if (at >= 0) {
        put_index(into_, at);
        return true;
      }
    }
    if (type == g_calls.set_type || type == g_calls.frozenset_type) {
      into_.put("{...}");
      return true;
    }
    if (type == g_calls.function_type && attribute(holder, "__closure__") == held) {
      closure_ = held;
      function_ = holder;
      return true;
    }
    if (type == g_calls.function_type && attribute(holder, "__defaults__") == held) {
      into_.put(".__defaults__");
      defaults_ = held;
      function_ = holder;
      return true;
    }
    return step_to_attribute(holder, held);
  }

  bool step_to_attribute(PyObject* holder, PyObject* held) {
    if (PyObject* names = namespace_of(holder)) {
      if (names == held) {
        names_ = held;
        return true;
      }
      PyObject* key = key_of(names, held);
      if (key != nullptr && is_kind(key, type_flag::kText)) {
        put_name(into_, key);
        return true;
      }
    }
    return put_member(into_, holder, held) || put_known(into_, holder, held) ||
           put_hooks(into_, holder, held);
  }

  void put_closure(std::int64_t at) {
    PyObject* names = attribute(attribute(function_, "__code__"), "co_freevars");
    into_.put(".__closure__");
    if (names != nullptr && is_kind(names, type_flag::kTuple) && at >= 0 && at < size_of_variable(names)) {
      put_key(into_, mutable_object(items_of(names)[at]));
    } else {
      put_index(into_, at);
    }
  }

  // The defaults are those of the last parameters that may be given by position.
  void put_default(std::int64_t at) {
    PyObject* code = attribute(function_, "__code__");
    PyObject* names = attribute(code, "co_varnames");
    PyObject* count = attribute(code, "co_argcount");
    const std::int64_t parameters = count == nullptr ? 0 : g_calls.to_number(count);
    const std::int64_t parameter = parameters - size_of_variable(defaults_) + at;
    if (names != nullptr && is_kind(names, type_flag::kTuple) && at >= 0 && parameter >= 0 &&
        parameter < size_of_variable(names)) {
      put_key(into_, mutable_object(items_of(names)[parameter]));
    } else {
      put_index(into_, at);
    }
  }

  const ObjectGraph& graph_;
  PathText& into_;
  const void* names_ = nullptr;  // the dict whose keys are attributes
  const void* closure_ = nullptr;
  const void* defaults_ = nullptr;
  PyObject* function_ = nullptr;
};

}  // namespace

void PathText::put(const char* text) {
  for (; *text != 0 && bytes < room; ++text) {
    letters[bytes++] = *text;
  }
}

void PathText::put(const char* text, std::uint32_t count) {
  for (std::uint32_t at = 0; at < count && bytes < room; ++at) {
    letters[bytes++] = text[at];
  }
}

void write_path(const ObjectGraph& graph, const Roots& roots, Node node, PathText& into) {
  Chain(graph, into).write(roots, node);
}

std::int64_t length_of(const void* object) {
  if (is_kind(object, type_flag::kList | type_flag::kTuple)) {
    return size_of_variable(object);
  }
  if (is_kind(object, type_flag::kDict)) {
    return field<std::int64_t>(object, g_python.layout.dict_length);
  }
  const void* type = type_of(object);
  if (is_subtype(type, g_calls.set_type) || is_subtype(type, g_calls.frozenset_type)) {
    return field<std::int64_t>(object, g_python.layout.set_length);
  }
  const char* name = name_of_type(type);
  return name != nullptr && equal(name, "collections.deque") ? size_of_variable(object) : -1;
}

}  // namespace lowtide::agent

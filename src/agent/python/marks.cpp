// Runs a script in the job's interpreter (marks.py) that calls the functions here.
//
// Python code runs between two bytecodes of the main thread, as a signal handler of Python does. No HookScope
// then: the collector may run, and what it frees must be seen.

#include "agent/python/marks.h"

#include <link.h>

#include "agent/heap/channel.h"
#include "agent/heap/clock.h"
#include "agent/heap/elf_lookup.h"
#include "agent/heap/pace.h"
#include "agent/heap/text.h"
#include "agent/python/cuda_devices.h"
#include "agent/python/jax_profile.h"
#include "agent/python/marks_script.h"
#include "agent/python/python.h"
#include "agent/python/text.h"
#include "agent/python/walk/calls.h"
#include "agent/python/walk/snapshot.h"
#include "wire/snapshot.h"

namespace lowtide::agent {
namespace {

using Arguments = PyObject* const*;

constexpr char kScriptName[] = "<lowtide>";

struct MethodDefinition {  // PyMethodDef
  const char* name;
  PyObject* (*function)(PyObject* self, Arguments arguments, std::ptrdiff_t count);
  int flags;
  const char* help;
};

struct ScriptCalls {
  PyObject* (*compile)(const char* text, const char* file, int start);
  PyObject* (*run)(PyObject* code, PyObject* globals, PyObject* locals);
  PyObject* (*new_function)(const MethodDefinition*, PyObject* self, PyObject* module);
  int (*set_item)(PyObject* dict, const char* name, PyObject* value);
  PyObject* (*get_item)(PyObject* dict, const char* name);  // borrowed
  int (*is_true)(PyObject*);
  void (*keep)(PyObject*);  // Py_IncRef
  void (*take_error)(PyObject** type, PyObject** value, PyObject** trace);
  void (*put_error)(PyObject* type, PyObject* value, PyObject* trace);
  int (*is_error)(PyObject* type, PyObject* kind);
  PyObject** interrupt;  // KeyboardInterrupt, which a handler in C raises
};

constinit ScriptCalls g_script_calls = {};
constinit PyObject* g_poll = nullptr;
constinit PyObject* g_count = nullptr;
constinit PyObject* g_prepare_snapshot = nullptr;
constinit bool g_has_failed = false;
// Compiling takes a millisecond each, in which a signal may wait. They run in this order, with the same
// names.
struct Script {
  const char* (*text)();
  PyObject* code;
};
constinit Script g_scripts[] = {{gpu_blocks_script, nullptr}, {marks_script, nullptr}};
constinit int g_tries_left = 20;

// One request at a time: the epoch in which it was made, plus one. A forked child starts again.
constinit std::atomic<std::uint64_t> g_asked_in{0};
constinit std::atomic<std::uint64_t> g_look_after_ns{0};
constinit std::atomic<std::uint32_t> g_polls{0};

// A bit for each device that is identified in the tables of the epoch.
struct Identified {
  std::uint32_t epoch;
  std::uint32_t devices;
};
constinit Identified g_identified = {};  // with the GIL

// --- what the script reports -------------------------------------------------------------------

PyObject* nothing() {
  PyObject* none = mutable_object(g_calls.none);
  g_script_calls.keep(none);
  return none;
}

std::uint64_t number(PyObject* object) {
  const long long value = g_calls.to_number(object);
  if (value == -1) {
    g_calls.clear_error();
  }
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

PyObject* report_step(PyObject* /*self*/, Arguments arguments, std::ptrdiff_t count) {
  const TableUse use;
  if (count == 2 && owns_tables()) {
    const std::uint64_t own = g_script_calls.is_true(arguments[1]) == 1 ? wire::kOwnSteps : 0;
    header()->marks.steps.store(number(arguments[0]) | own, std::memory_order_relaxed);
  }
  return nothing();
}

// With the GIL.
struct Visit {
  std::uint32_t phase;  // from 1
  std::uint32_t epoch;
  std::uint64_t began_ns;
};
constinit Visit g_visit = {};

std::uint32_t number_of_phase(wire::MarksPart& marks, const char* name) {
  const std::uint32_t known = marks.phases.load(std::memory_order_relaxed);
  for (std::uint32_t at = 0; at < known && at < wire::kMaxPhases; ++at) {
    if (equal(marks.phase_parts[at].name, name)) {
      return at + 1;
    }
  }
  if (name[0] == 0 || known >= wire::kMaxPhases) {
    return 0;
  }
  __builtin_memcpy(marks.phase_parts[known].name, name, sizeof(marks.phase_parts[known].name));
  marks.phases.store(known + 1, std::memory_order_release);
  return known + 1;
}

PyObject* report_phase(PyObject* /*self*/, Arguments arguments, std::ptrdiff_t count) {
  char name[wire::kMaxPhaseName + 1] = {};
  if (count == 2) {
    copy_python_text(arguments[0], name, wire::kMaxPhaseName);
  }
  const bool is_new = count == 2 && g_script_calls.is_true(arguments[1]) == 0;
  const std::uint64_t at_ns = now_ns();
  const TableUse use;
  if (!owns_tables()) {
    return nothing();
  }
  wire::MarksPart& marks = header()->marks;
  if (g_visit.phase != 0 && g_visit.epoch == epoch()) {
    marks.phase_parts[g_visit.phase - 1].took_ns.fetch_add(at_ns - g_visit.began_ns,
                                                           std::memory_order_relaxed);
  }
  g_visit = {number_of_phase(marks, name), epoch(), at_ns};
  if (is_new && g_visit.phase != 0) {
    marks.phase_parts[g_visit.phase - 1].count.fetch_add(1, std::memory_order_relaxed);
  }
  marks.phase.store(g_visit.phase, std::memory_order_relaxed);
  return nothing();
}

// Once for each device: its number does not change while the process runs.
void identify(std::uint64_t device, wire::DevicePart& into) {
  const std::uint32_t bit = 1U << device;
  if (g_identified.epoch != epoch()) {
    g_identified = {epoch(), 0};
  }
  if ((g_identified.devices & bit) != 0) {
    return;
  }
  g_identified.devices |= bit;
  const CudaDevice found = find_cuda_device(static_cast<int>(device));
  into.uuid[0].store(found.uuid[0], std::memory_order_relaxed);
  into.uuid[1].store(found.uuid[1], std::memory_order_relaxed);
  into.total_bytes.store(found.total_bytes, std::memory_order_release);
}

PyObject* report_device(PyObject* /*self*/, Arguments arguments, std::ptrdiff_t count) {
  constexpr std::ptrdiff_t kArguments = 7;
  const std::uint64_t device = count == kArguments ? number(arguments[0]) : wire::kMaxDevices;
  const TableUse use;
  if (device >= wire::kMaxDevices || !owns_tables()) {
    return nothing();
  }
  wire::DevicePart& into = header()->marks.device_parts[device];
  std::atomic<std::uint64_t>* const fields[] = {
      &into.allocated_bytes, &into.reserved_bytes, &into.inactive_split_bytes,
      &into.retries,         &into.ooms,           &into.framework};
  for (std::ptrdiff_t at = 1; at < kArguments; ++at) {
    fields[at - 1]->store(number(arguments[at]), std::memory_order_relaxed);
  }
  identify(device, into);
  if (number(arguments[kArguments - 1]) == static_cast<std::uint64_t>(wire::Framework::Jax)) {
    constexpr std::uint64_t kOften = 20;  // JAX hardly allocates on the host
    g_pace.want(kOften);
  }
  if (header()->marks.devices.load(std::memory_order_relaxed) <= device) {
    header()->marks.devices.store(static_cast<std::uint32_t>(device) + 1, std::memory_order_release);
  }
  return nothing();
}

PyObject* report_pinned(PyObject* /*self*/, Arguments arguments, std::ptrdiff_t count) {
  const TableUse use;
  if (count == 1 && owns_tables()) {
    header()->marks.pinned_bytes.store(number(arguments[0]), std::memory_order_relaxed);
  }
  return nothing();
}

// Of gpu_blocks.py; with the GIL. A child that walks has that of its parent.
constinit char g_blocks_text[wire::kMaxBlocksText] = {};
constinit std::uint32_t g_blocks_text_bytes = 0;

PyObject* report_blocks(PyObject* /*self*/, Arguments arguments, std::ptrdiff_t count) {
  if (count == 1) {
    g_blocks_text_bytes = copy_python_text(arguments[0], g_blocks_text, wire::kMaxBlocksText);
  }
  return nothing();
}

PyObject* report_profile(PyObject* /*self*/, Arguments arguments, std::ptrdiff_t count) {
  keep_jax_profile(count == 1 ? arguments[0] : nullptr);
  return nothing();
}

PyObject* report_oom(PyObject* /*self*/, Arguments arguments, std::ptrdiff_t count) {
  if (count == 3) {
    const TableUse use;
    if (owns_tables()) {
      wire::MarksPart& marks = header()->marks;
      const std::uint32_t bytes = copy_python_text(arguments[2], marks.oom_stack, wire::kMaxOomStack);
      marks.oom_stack[bytes] = 0;
      header()->marks.oom_free_bytes.store(number(arguments[1]), std::memory_order_relaxed);
      header()->marks.oom_wanted_bytes.store(number(arguments[0]), std::memory_order_release);
    }
  }
  walk_out_of_memory();
  return nothing();
}

PyObject* report_end(PyObject* /*self*/, Arguments /*arguments*/, std::ptrdiff_t /*count*/) {
  {
    const TableUse use;
    if (owns_tables()) {
      header()->agent.ending_ns.store(now_ns(), std::memory_order_relaxed);
    }
  }
  walk_at_end();
  return nothing();
}

constexpr int kFastCall = 0x80;  // METH_FASTCALL
constinit const MethodDefinition g_functions[] = {{"report_step", report_step, kFastCall, nullptr},
                                                  {"report_phase", report_phase, kFastCall, nullptr},
                                                  {"report_device", report_device, kFastCall, nullptr},
                                                  {"report_pinned", report_pinned, kFastCall, nullptr},
                                                  {"report_oom", report_oom, kFastCall, nullptr},
                                                  {"report_end", report_end, kFastCall, nullptr},
                                                  {"report_blocks", report_blocks, kFastCall, nullptr},
                                                  {"report_profile", report_profile, kFastCall, nullptr}};

// --- the script --------------------------------------------------------------------------------

int look_at(dl_phdr_info* object, std::size_t /*bytes*/, void* /*unused*/) {
  if (find_symbol(*object, "Py_IsInitialized") !=
      reinterpret_cast<void*>(g_python.functions.is_initialized)) {
    return 0;
  }
  struct Wanted {
    const char* name;
    void* into;
  };
  ScriptCalls calls = {};
  const Wanted wanted[] = {{"Py_CompileString", &calls.compile},
                           {"PyEval_EvalCode", &calls.run},
                           {"PyCFunction_NewEx", &calls.new_function},
                           {"PyDict_SetItemString", &calls.set_item},
                           {"PyDict_GetItemString", &calls.get_item},
                           {"PyObject_IsTrue", &calls.is_true},
                           {"Py_IncRef", &calls.keep},
                           {"PyErr_Fetch", &calls.take_error},
                           {"PyErr_Restore", &calls.put_error},
                           {"PyErr_GivenExceptionMatches", &calls.is_error},
                           {"PyExc_KeyboardInterrupt", &calls.interrupt}};
  for (const Wanted& function : wanted) {
    void* const found = find_symbol(*object, function.name);
    if (found == nullptr) {
      return 1;
    }
    __builtin_memcpy(function.into, &found, sizeof(found));
  }
  g_script_calls = calls;
  return 1;
}

enum class Answer { No, Yes, Raised };  // raised: by the job itself, and for the job

// An attribute of an object that is not needed any more.
PyObject* take_attribute(PyObject* object, const char* name) {
  PyObject* const found = attribute(object, name);
  if (object != nullptr) {
    g_calls.release(object);
  }
  return found;
}

// Whether the error came out of the script itself: then the innermost frame is one of it, and no handler of
// the job, which ran in its middle. The error stays.
bool is_own_error() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  g_script_calls.take_error(&type, &value, &trace);
  if (trace != nullptr) {
    g_script_calls.keep(trace);
  }
  PyObject* last = trace;
  for (PyObject* next = attribute(last, "tb_next"); next != nullptr; next = attribute(last, "tb_next")) {
    if (next == g_calls.none) {
      g_calls.release(next);
      break;
    }
    g_calls.release(last);
    last = next;
  }
  PyObject* const code = take_attribute(take_attribute(last, "tb_frame"), "f_code");
  PyObject* const file = take_attribute(code, "co_filename");
  char name[sizeof(kScriptName) + 1] = {};
  if (file != nullptr) {
    copy_python_text(file, name, sizeof(kScriptName));
    g_calls.release(file);
  }
  const bool is_interrupt = type != nullptr && g_script_calls.is_error(type, *g_script_calls.interrupt) != 0;
  g_script_calls.put_error(type, value, trace);
  return equal(name, kScriptName) && !is_interrupt;
}

// What it gives to the script stays: functions that the job has must not disappear.
Answer install() {
  constexpr int kFile = 257;  // Py_file_input
  if (!find_calls()) {
    return Answer::No;
  }
  dl_iterate_phdr(look_at, nullptr);
  if (g_script_calls.compile == nullptr) {
    return Answer::No;
  }
  PyObject* const globals = g_calls.new_dict();
  bool is_compiled = true;
  for (Script& script : g_scripts) {
    if (script.code == nullptr && is_compiled) {
      script.code = g_script_calls.compile(script.text(), kScriptName, kFile);
    }
    is_compiled = is_compiled && script.code != nullptr;
  }
  // Not those of the frame that is interrupted: code that is evaluated in a world of its own has none.
  PyObject* const builtins = g_script_calls.get_item(g_calls.module_dict(), "builtins");
  bool is_well = globals != nullptr && is_compiled && builtins != nullptr &&
                 g_script_calls.set_item(globals, "__builtins__", builtins) == 0 &&
                 g_script_calls.set_item(globals, "modules", g_calls.module_dict()) == 0;
  for (const MethodDefinition& definition : g_functions) {
    PyObject* const function = is_well ? g_script_calls.new_function(&definition, nullptr, nullptr) : nullptr;
    is_well = function != nullptr && g_script_calls.set_item(globals, definition.name, function) == 0;
  }
  bool has_run = is_well;
  for (const Script& script : g_scripts) {
    has_run = has_run && g_script_calls.run(script.code, globals, globals) != nullptr;
  }
  if (has_run) {
    g_count = g_script_calls.get_item(globals, "count");
    g_prepare_snapshot = g_script_calls.get_item(globals, "prepare_snapshot");
    g_poll = g_script_calls.get_item(globals, "poll");
    return g_poll != nullptr && g_count != nullptr && g_prepare_snapshot != nullptr ? Answer::Yes
                                                                                    : Answer::No;
  }
  // The script itself raises nothing, so this should be a signal handler's.
  if (is_well && --g_tries_left > 0 && !is_own_error()) {
    return Answer::Raised;
  }
  g_calls.clear_error();
  return Answer::No;
}

// Calls a function of the script. Its own errors it keeps to itself.
Answer call(PyObject* function) {
  PyObject* const result = g_calls.call(function, nullptr);
  if (result == nullptr) {
    return Answer::Raised;
  }
  const bool says_so = g_script_calls.is_true(result) == 1;
  g_calls.release(result);
  return says_so ? Answer::Yes : Answer::No;
}

// Not zero, where a signal handler of the job has raised in the middle of it: that goes on to the job, as it
// would have.
int mark_now(void* /*unused*/) {
  const std::uint64_t began_ns = now_ns();
  std::uint32_t asked = 0;
  bool wants_counters = false;
  {
    const TableUse use;
    if (!owns_tables()) {
      return 0;
    }
    asked = header()->marks.taken_up.load(std::memory_order_relaxed);
    wants_counters = asked != header()->marks.done.load(std::memory_order_relaxed);
  }
  Answer last = Answer::Yes;
  if (g_poll == nullptr && !g_has_failed) {
    last = install();
    g_has_failed = last == Answer::No;
  }
  wire::MarksState state = g_has_failed ? wire::MarksState::Failed : wire::MarksState::Waiting;
  if (!g_has_failed && last != Answer::Raised) {
    last = call(g_poll);
    state = last == Answer::Yes ? wire::MarksState::Hooked : wire::MarksState::Waiting;
    if (wants_counters && last != Answer::Raised) {
      last = call(g_count);
    }
  }
  g_asked_in.store(0, std::memory_order_relaxed);
  const TableUse use;
  if (owns_tables()) {
    wire::MarksPart& marks = header()->marks;
    marks.state.store(static_cast<std::uint32_t>(state), std::memory_order_relaxed);
    marks.spent_ns.fetch_add(now_ns() - began_ns, std::memory_order_relaxed);
    marks.done.store(asked, std::memory_order_release);
  }
  return last == Answer::Raised ? -1 : 0;
}

// While torch is awaited it is looked for more often than the monitor asks, in the first minute: steps are
// not to be missed.
bool is_time_to_look(wire::MarksState state) {
  constexpr std::uint64_t kEveryNs = 20'000'000;
  constexpr std::uint32_t kMostPolls = 3000;
  if (state != wire::MarksState::Waiting) {
    return false;
  }
  const std::uint64_t at_ns = now_ns();
  if (at_ns < g_look_after_ns.load(std::memory_order_relaxed)) {
    return false;
  }
  g_look_after_ns.store(at_ns + kEveryNs, std::memory_order_relaxed);
  return g_polls.fetch_add(1, std::memory_order_relaxed) < kMostPolls;
}

}  // namespace

bool prepare_snapshot() {
  if (g_prepare_snapshot == nullptr) {
    return true;
  }
  const std::uint64_t began_ns = now_ns();
  const bool is_well = call(g_prepare_snapshot) != Answer::Raised;
  const TableUse use;
  if (owns_tables()) {
    header()->marks.spent_ns.fetch_add(now_ns() - began_ns, std::memory_order_relaxed);
  }
  return is_well;
}

BlocksText blocks_text() {
  return {g_blocks_text, g_blocks_text_bytes};
}

void mark_if_asked() {
  const TableUse use;
  if (!owns_tables()) {
    return;
  }
  wire::MarksPart& marks = header()->marks;
  const std::uint32_t asked = header()->monitor.asked_marks.load(std::memory_order_relaxed);
  const auto state = static_cast<wire::MarksState>(marks.state.load(std::memory_order_relaxed));
  if (asked == 0 || state == wire::MarksState::Failed ||
      (asked == marks.taken_up.load(std::memory_order_relaxed) && !is_time_to_look(state))) {
    return;
  }
  const std::uint64_t now = epoch() + 1ULL;
  std::uint64_t before = g_asked_in.load(std::memory_order_relaxed);
  if (before == now || !g_asked_in.compare_exchange_strong(before, now, std::memory_order_acq_rel)) {
    return;
  }
  marks.taken_up.store(asked, std::memory_order_relaxed);
  if (!ask_interpreter(mark_now)) {
    g_asked_in.store(0, std::memory_order_relaxed);
  }
}

}  // namespace lowtide::agent

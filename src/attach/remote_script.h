// The Python text that the interpreter of a target runs for us (sys.remote_exec, PEP 768).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::attach {

struct RemoteScript {
  std::string path;         // its own; it removes itself
  std::string answer_path;  // of a FIFO that we read
  double deadline_s = 0;    // CLOCK_MONOTONIC, which all processes share: later it does nothing
  std::string agent_path;
  std::string function;  // an identifier
  std::string order;
};

std::string to_python(const RemoteScript& script);

// b'...', ASCII alone: a path may hold any byte, and none may end the text.
std::string quote_bytes(std::string_view bytes);

// What it says, a line each.
struct ScriptAnswer {
  bool has_begun = false;
  std::optional<std::int32_t> result;  // of the function
  std::string error;                   // "OSError: ..."; empty: none
};

// Of what was read until now. Text from a target: nothing in it is believed.
ScriptAnswer parse_answer(std::string_view text);

}  // namespace lowtide::attach

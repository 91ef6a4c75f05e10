// What the script (remote_start.py, remote_work.py) may and may not do (docs/in-target.md):
//
// - It comes between two bytecodes of the main thread, where a signal handler of the job may run as
//   well: an exception that the handler raises would end in the script and be lost to the job. So the
//   main thread only starts another one, in which Python runs no handlers, and gets little to compile.
//   A third of a millisecond remains (opening, reading, compiling), for every user of sys.remote_exec.
// - CPython 3.14 gives it a dictionary of its own as globals, and so do we to the thread: nothing of it is
//   in the job's __main__. There is no function in them: it and its globals would keep each other alive
//   until the next collection. `_ctypes` (not `ctypes`, which is Python code and makes types) stays in
//   sys.modules, as the agent stays loaded.
// - A file that is gone when the interpreter comes to it would be an error in the job's output. So
//   nobody but the script removes the file, unless its process has ended.
// - A write into a pipe that nobody reads is a SIGPIPE, which a job may have set to kill it. The FIFO is
//   therefore opened for reading too; that somebody reads is asked for before.

#include "attach/remote_script.h"

#include <array>
#include <charconv>

#include "attach/remote_text.h"
#include "attach/socket_dir_owner.h"

namespace lowtide::attach {
namespace {

bool is_plain(char letter) {
  return letter >= ' ' && letter <= '~' && letter != '\'' && letter != '\\';
}

}  // namespace

std::string quote_bytes(std::string_view bytes) {
  std::string text = "b'";
  for (const char letter : bytes) {
    if (is_plain(letter)) {
      text += letter;
    } else {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const auto value = static_cast<unsigned char>(letter);
      text += "\\x";
      text += kDigits[value >> 4U];
      text += kDigits[value & 15U];
    }
  }
  return text + '\'';
}

std::string to_python(const RemoteScript& script) {
  std::array<char, 64> deadline{};
  const auto end = std::to_chars(deadline.data(), deadline.data() + deadline.size(), script.deadline_s,
                                 std::chars_format::fixed, 3);
  std::string work;
  work += "script = " + quote_bytes(script.path) + "\nanswer = " + quote_bytes(script.answer_path) +
          "\nfolder = " + quote_bytes(folder_of(script.path)) + "\ndeadline = ";
  work.append(deadline.data(), end.ptr);
  work += "\nagent = " + quote_bytes(script.agent_path) + "\nfunction = '" + script.function +
          "'\norder = " + quote_bytes(script.order);
  work += '\n';
  work += remote_work_script();
  return "# Written by lowtide snapshot. Removes itself.\nwork = " + quote_bytes(work) + '\n' +
         remote_start_script();
}

ScriptAnswer parse_answer(std::string_view text) {
  ScriptAnswer answer;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    constexpr std::string_view kResult = "result ";
    constexpr std::string_view kError = "error ";
    std::int32_t result = 0;
    if (line == "begun") {
      answer.has_begun = true;
    } else if (line.starts_with(kResult) &&
               std::from_chars(line.data() + kResult.size(), line.data() + line.size(), result).ec ==
                   std::errc{}) {
      answer.result = result;
    } else if (line.starts_with(kError)) {
      answer.error = line.substr(kError.size());
    }
  }
  return answer;
}

}  // namespace lowtide::attach

// The program of a process, where it is a Python that has sys.remote_exec, and running it a
// second time: the version of both sides is then the same, whatever it is.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace lowtide::attach {

struct Interpreter {
  base::Fd program;
  std::string path;                   // by which it finds its library
  std::vector<std::string> settings;  // of its environment: where its loader finds libraries
};

// The minor version in the name of an interpreter or its library: 14 of "python3.14" and of
// "libpython3.14.so.1.0".
std::optional<int> find_minor_version(std::string_view file_name);

// Unsupported: no Python, one before 3.14, or one within another program, which we cannot start.
base::Result<Interpreter> open_interpreter(pid_t pid);

// With whose rights. That program may be anything that a user has written, and root would
// run it: it gets no more privileges than the process from which it was taken.
struct Owner {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};
base::Result<Owner> read_owner(pid_t pid);

struct Ran {
  bool in_time = false;  // false: it was killed
  bool succeeded = false;
  std::string last_line;  // of what it printed
};
base::Result<Ran> run_interpreter(const Interpreter& interpreter, const Owner& owner,
                                  std::vector<std::string> arguments, std::chrono::milliseconds limit);

}  // namespace lowtide::attach

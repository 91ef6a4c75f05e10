// How processes, numbers and signals are called in findings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/finding.h"
#include "model/process.h"

namespace lowtide::explain {

// "python train.py --lr 1": the program without its folder, then its arguments, cut where it gets long.
std::string short_command(std::string_view command, std::size_t longest = 48);

// "sh": the program alone.
std::string program_of(std::string_view command);

// "worker 3 (pid 4711)"; a process without a role by its command: "python train.py (pid 4711)".
std::string process_words(const model::ProcessInfo& info);

model::FindingProcess process_of(const model::ProcessInfo& info);

// "worker", "workers"; processes without a role are "process".
std::string role_words(model::ProcessRole role, std::uint64_t count);

// "1.24 GB".
std::string bytes_words(double bytes);

// "grew by 1.24 GB", "shrank by 87.2 MB", "did not change".
std::string change_words(double bytes);

// For an exit status as a shell reports it: "signal 9 (SIGKILL)"; empty when it was no signal.
std::string signal_words(int exit_status);

}  // namespace lowtide::explain

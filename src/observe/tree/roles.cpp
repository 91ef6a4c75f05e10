#include "observe/tree/roles.h"

#include <algorithm>
#include <array>

namespace lowtide::observe {
namespace {

using model::ProcessRole;

constexpr std::array<std::string_view, 44> kWrappers = {"sh",         "bash",       "dash",
                                                        "zsh",        "fish",       "ksh",
                                                        "busybox",    "env",        "nice",
                                                        "ionice",     "nohup",      "time",
                                                        "timeout",    "stdbuf",     "setsid",
                                                        "taskset",    "numactl",    "sudo",
                                                        "su",         "script",     "tini",
                                                        "dumb-init",  "catatonit",  "uv",
                                                        "uvx",        "conda",      "mamba",
                                                        "micromamba", "poetry",     "pipenv",
                                                        "pixi",       "hatch",      "srun",
                                                        "slurmstepd", "mpirun",     "mpiexec",
                                                        "orterun",    "prterun",    "hydra_pmi_proxy",
                                                        "torchrun",   "accelerate", "deepspeed",
                                                        "make",       "xvfb-run"};

// Launchers that are Python programs: by script name or by module.
constexpr std::array<std::string_view, 15> kPythonWrappers = {"torchrun",
                                                              "torch.distributed.run",
                                                              "torch.distributed.launch",
                                                              "accelerate",
                                                              "accelerate.commands.launch",
                                                              "accelerate.commands.accelerate_cli",
                                                              "deepspeed",
                                                              "deepspeed.launcher.runner",
                                                              "deepspeed.launcher.launch",
                                                              "horovodrun",
                                                              "composer",
                                                              "poetry",
                                                              "pipenv",
                                                              "conda",
                                                              "uv"};

constexpr std::array<std::string_view, 10> kServers = {
    "tensorboard", "tensorboard.main",       "wandb", "wandb-core", "wandb-service", "mlflow", "jupyter",
    "gpu_stats",   "nvidia-cuda-mps-server", "ray"};

// What stands beside a trainer in a pipeline and is never the trainer.
constexpr std::array<std::string_view, 16> kHelpers = {"tee",  "cat", "grep",  "sleep",     "tail", "head",
                                                       "awk",  "sed", "ts",    "less",      "sort", "cut",
                                                       "gzip", "tr",  "xargs", "nvidia-smi"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// The program of a Python interpreter.
struct PythonProgram {
  std::string_view script;
  std::string_view module;
  std::string_view code;
};

PythonProgram find_program(std::span<const std::string> arguments) {
  PythonProgram program;
  for (std::size_t at = 1; at < arguments.size(); ++at) {
    const std::string_view word = arguments[at];
    const std::string_view next = at + 1 < arguments.size() ? std::string_view(arguments[at + 1]) : "";
    if (word == "-m") return {.script = {}, .module = next, .code = {}};
    if (word == "-c") return {.script = {}, .module = {}, .code = next};
    if (word == "-X" || word == "-W") {
      ++at;
      continue;
    }
    if (word.size() > 1 && word.front() == '-') continue;
    program.script = word;
    break;
  }
  return program;
}

bool has_argument_with(std::span<const std::string> arguments, std::string_view part) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [part](const std::string& word) { return word.find(part) != std::string::npos; });
}

bool is_compile_worker(std::span<const std::string> arguments) {
  return has_argument_with(arguments, "_inductor/compile_worker") ||
         has_argument_with(arguments, "_inductor.compile_worker");
}

// The helpers that Python's multiprocessing starts by exec.
std::optional<ProcessRole> multiprocessing_role(std::span<const std::string> arguments,
                                                std::string_view code) {
  if (code.find("resource_tracker") != std::string_view::npos ||
      code.find("semaphore_tracker") != std::string_view::npos ||
      code.find("multiprocessing.forkserver") != std::string_view::npos) {
    return ProcessRole::Server;
  }
  if (has_argument_with(arguments, "--multiprocessing-fork") ||
      code.find("multiprocessing.spawn") != std::string_view::npos) {
    return ProcessRole::Worker;
  }
  return std::nullopt;
}

RoleGuess guess_forked(const RoleClues& clues) {
  switch (clues.parent_role) {
    case ProcessRole::CompileWorker:
      return {ProcessRole::CompileWorker, {}};
    case ProcessRole::Wrapper:  // a subshell
      return {ProcessRole::Wrapper, {}};
    default:
      return {ProcessRole::Worker, {}};
  }
}

RoleGuess guess_python(const RoleClues& clues) {
  if (is_compile_worker(clues.arguments)) return {ProcessRole::CompileWorker, {}};
  const PythonProgram program = find_program(clues.arguments);
  if (const auto role = multiprocessing_role(clues.arguments, program.code)) return {*role, {}};
  const std::string_view name = program.module.empty() ? base_name(program.script) : program.module;
  if (is_among(kPythonWrappers, name)) return {ProcessRole::Wrapper, {}};
  if (is_among(kServers, name)) return {ProcessRole::Server, {}};
  if (clues.rank && !clues.is_root) return {ProcessRole::Rank, clues.rank};
  return {ProcessRole::Trainer, {}};
}

}  // namespace

bool is_python(std::string_view argument0) {
  std::string_view name = base_name(argument0);
  if (!name.empty() && name.front() == '-') name.remove_prefix(1);
  if (name.substr(0, 4) == "pypy") return true;
  if (name.substr(0, 6) != "python") return false;
  return std::all_of(name.begin() + 6, name.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == 't' || c == 'd'; });
}

std::string program_name(std::span<const std::string> arguments) {
  if (arguments.empty()) return "";
  if (!is_python(arguments[0])) return std::string(base_name(arguments[0]));
  const PythonProgram program = find_program(arguments);
  if (!program.module.empty()) return std::string(program.module);
  if (!program.script.empty()) return std::string(base_name(program.script));
  return std::string(base_name(arguments[0]));
}

RoleGuess guess_role(const RoleClues& clues) {
  if (clues.comm.substr(0, 14) == "pt_data_worker") return {ProcessRole::Worker, {}};
  if (clues.is_forked && !clues.is_root) return guess_forked(clues);
  if (clues.arguments.empty()) return {};
  if (is_python(clues.arguments[0])) return guess_python(clues);

  std::string_view name = base_name(clues.arguments[0]);
  if (!name.empty() && name.front() == '-') name.remove_prefix(1);  // a login shell
  if (is_among(kWrappers, name)) return {ProcessRole::Wrapper, {}};
  if (is_among(kServers, name)) return {ProcessRole::Server, {}};
  if (is_among(kHelpers, name)) return {};
  if (clues.rank && !clues.is_root) return {ProcessRole::Rank, clues.rank};
  if (clues.is_root || clues.parent_role == ProcessRole::Wrapper) return {ProcessRole::Trainer, {}};
  return {};
}

}  // namespace lowtide::observe

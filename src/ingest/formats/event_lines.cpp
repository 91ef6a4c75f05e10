#include "ingest/formats/event_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/units.h"
#include "ingest/words/number.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

using model::Event;
using model::EventKind;

// The kernel's dump about one kill is at most this long (task table included).
constexpr std::uint64_t kKernelLines = 2000;
constexpr int kWrappedLines = 12;
constexpr std::size_t kWrappedBytes = 4096;

bool has(std::string_view text, std::string_view lower) {
  return contains_ignoring_case(text, lower);
}

std::optional<std::int64_t> integer_at(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_blank(text[at]) || text[at] == '=' || text[at] == ':')) ++at;
  std::int64_t value = 0;
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end]) && end - at < 18) value = value * 10 + (text[end++] - '0');
  if (end == at) return std::nullopt;
  return value;
}

std::optional<std::int64_t> integer_after(std::string_view text, std::string_view word) {
  const std::size_t at = find_ignoring_case(text, word);
  return at == std::string_view::npos ? std::nullopt : integer_at(text, at + word.size());
}

// "35.5 GiB" before or after a word; in the log's own unit, as people search for it.
std::string size_after(std::string_view text, std::string_view word) {
  std::size_t at = find_ignoring_case(text, word);
  if (at == std::string_view::npos) return {};
  at += word.size();
  while (at < text.size() && is_blank(text[at])) ++at;
  const NumberText number = scan_number(text.substr(at));
  if (number.length == 0) return {};
  std::size_t unit = at + number.length;
  while (unit < text.size() && is_blank(text[unit])) ++unit;
  std::size_t end = unit;
  while (end < text.size() && is_letter(text[end])) ++end;
  if (size_unit(text.substr(unit, end - unit)) == 0) return {};
  return fmt::format("{} {}", text.substr(at, number.length), text.substr(unit, end - unit));
}

std::string size_before(std::string_view text, std::string_view word) {
  std::size_t at = find_ignoring_case(text, word);
  if (at == std::string_view::npos) return {};
  while (at > 0 && is_blank(text[at - 1])) --at;
  const std::size_t unit_end = at;
  while (at > 0 && is_letter(text[at - 1])) --at;
  const std::string_view unit = text.substr(at, unit_end - at);
  if (size_unit(unit) == 0) return {};
  while (at > 0 && is_blank(text[at - 1])) --at;
  const std::size_t digits_end = at;
  while (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == ',')) --at;
  const std::string_view digits = text.substr(at, digits_end - at);
  if (digits.empty() || !is_digit(digits[0])) return {};
  return fmt::format("{} {}", digits, unit);
}

// One sentence of all the spellings since torch 1.0 ("cached", "reserved in total",
// the "capacty" typo of 2.1, private pools).
std::string cuda_sentence(std::string_view text) {
  std::string sentence = "CUDA out of memory";
  const std::string asked = size_after(text, "tried to allocate");
  if (!asked.empty()) sentence += ": tried to allocate " + asked;
  std::string allocated = size_before(text, "is allocated by pytorch");
  if (allocated.empty()) allocated = size_before(text, "already allocated");
  std::string unused = size_before(text, "is reserved by pytorch but unallocated");
  std::string reserved = size_before(text, "reserved in total by pytorch");
  if (reserved.empty()) reserved = size_before(text, "cached)");
  std::string total = size_before(text, "total capacity");
  if (total.empty()) total = size_after(text, "total capacity of");
  if (total.empty()) total = size_after(text, "total capacty of");
  std::string parts;
  if (!allocated.empty()) parts += allocated + " allocated by PyTorch";
  if (!unused.empty()) parts += (parts.empty() ? "" : ", ") + unused + " reserved but unallocated";
  if (!reserved.empty()) parts += (parts.empty() ? "" : ", ") + reserved + " reserved in all";
  if (!total.empty()) parts += (parts.empty() ? "" : " ") + ("of " + total);
  if (!parts.empty()) sentence += "; " + parts;
  return sentence;
}

bool is_cuda_complete(std::string_view text) {
  return has(text, "unallocated") || has(text, "reserved in total by pytorch") || has(text, "cached)") ||
         has(text, "memory management");
}

// kB after "anon-rss:" and the like.
std::string kernel_size(std::string_view text, std::string_view key) {
  const auto kilobytes = integer_after(text, key);
  if (!kilobytes || *kilobytes > (std::int64_t{1} << 50)) return {};
  return base::format_bytes(static_cast<double>(*kilobytes) * 1024.0);
}

// The victim's name: comm may hold brackets ("next-build (v16") and is cut at 15 bytes.
std::string victim(std::string_view text, std::size_t from) {
  const std::size_t open = text.find('(', from);
  if (open == std::string_view::npos) return {};
  std::size_t close = std::string_view::npos;
  for (const std::string_view after : {") total-vm", "), UID", ") score", "), now", ") "}) {
    close = text.find(after, open);
    if (close != std::string_view::npos) break;
  }
  if (close == std::string_view::npos) close = text.find(')', open);
  if (close == std::string_view::npos || close - open > 40) return {};
  return base::printable(text.substr(open + 1, close - open - 1), 40);
}

std::string strip_prefix(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return base::printable(text, 300);
}

bool is_bare_killed(std::string_view text) {
  while (!text.empty() && (is_blank(text.back()) || text.back() == '.')) text.remove_suffix(1);
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text == "Killed" || text == "zsh: killed" || text.starts_with("Killed: 9") ||
         text.starts_with("[1]+  Killed");
}

// "/var/spool/.../slurm_script: line 28:  8156 Killed                  python3 main.py"
std::optional<std::string> shell_killed(std::string_view text) {
  const std::size_t at = text.find(" Killed  ");
  if (at == std::string_view::npos || at == 0 || !is_digit(text[at - 1])) return std::nullopt;
  std::size_t digits = at;
  while (digits > 0 && is_digit(text[digits - 1])) --digits;
  std::string_view command = text.substr(at + 8);
  while (!command.empty() && is_blank(command.front())) command.remove_prefix(1);
  return fmt::format("the shell's child {} was killed: {}", text.substr(digits, at - digits),
                     base::printable(command, 200));
}

struct Rule {
  std::string_view needle;  // lower case
  EventKind kind;
  std::string_view sentence;  // empty = the line itself
};

// Checked in this order, after what needs code of its own.
constexpr std::array kRules = {
    Rule{"is killed by signal: bus error", EventKind::WorkerKilled, ""},
    Rule{"unexpected bus error encountered in worker", EventKind::WorkerKilled, ""},
    Rule{"dataloader worker", EventKind::WorkerKilled, ""},
    Rule{"oom-kill event(s) in", EventKind::OomKill, ""},
    Rule{"oom_kill event in", EventKind::OomKill, ""},
    Rule{": out of memory", EventKind::OomKill, ""},
    Rule{"oomkilled", EventKind::OomKill, "Kubernetes: the container was OOMKilled"},
    Rule{"the node was low on resource: memory", EventKind::OomKill, ""},
    Rule{"killed due to memory pressure", EventKind::OomKill, ""},
    Rule{"due to memory pressure for", EventKind::OomKill, ""},
    Rule{"workers killed due to the node running low on memory", EventKind::OomKill, ""},
    Rule{"earlyoom", EventKind::OomKill, ""},
    Rule{"can't allocate memory", EventKind::Exit, ""},
    Rule{"cannot allocate memory", EventKind::Exit, ""},
    Rule{"not enough memory: you tried to allocate", EventKind::Exit, ""},
    Rule{"posix_memalign(", EventKind::Exit, ""},
    Rule{"unable to allocate shared memory", EventKind::Exit, ""},
    Rule{"received 0 items of ancdata", EventKind::Exit, ""},
    Rule{"too many open files", EventKind::Exit, ""},
    Rule{"numpy.core._exceptions._arraymemoryerror", EventKind::Exit, ""},
    Rule{"[process restarted]", EventKind::Restart, "the process was restarted"},
};

// earlyoom reports all day; "mem avail:    56 of 15881 MiB ( 0.35%)" is the report that matters.
bool nearly_gone(std::string_view text) {
  const auto left = integer_after(text, "mem avail:");
  const auto whole = integer_after(text, " of ");
  return left && whole && *left * 20 < *whole;
}

std::optional<Event> launcher(std::string_view text, std::uint64_t line) {
  std::size_t at = find_ignoring_case(text, "exitcode");
  std::size_t skip = 8;
  if (at == std::string_view::npos) at = find_ignoring_case(text, "terminated with code"), skip = 20;
  if (at == std::string_view::npos) at = find_ignoring_case(text, "exit code"), skip = 9;
  if (at == std::string_view::npos) return std::nullopt;
  at += skip;
  while (at < text.size() && (is_blank(text[at]) || text[at] == ':' || text[at] == '=')) ++at;
  const bool negative = at < text.size() && text[at] == '-';
  const auto code = integer_at(text, at + (negative ? 1 : 0));
  if (!code) return std::nullopt;
  const bool killed = (negative && *code == 9) || *code == 137;
  const bool bus = negative && *code == 7;
  if (!killed && !bus) return std::nullopt;
  const auto pid = integer_after(text, "pid:");
  std::string sentence = "a process of the job";
  if (pid) sentence += fmt::format(" (pid {})", *pid);
  sentence += killed ? " ended by SIGKILL, usually the out-of-memory killer"
                     : " ended by a bus error, usually too little shared memory";
  return Event{EventKind::Killed, std::nullopt, line, sentence};
}

}  // namespace

std::optional<Event> EventReader::read_kernel(std::string_view text, std::uint64_t line) {
  const auto emit_open = [&]() -> std::optional<Event> {
    std::optional<Event> event;
    event.swap(open_kill_);
    return event;
  };
  if (open_kill_ && line > open_kill_->line + kKernelLines) return emit_open();
  const bool invoked = text.find("invoked oom-killer") != std::string_view::npos;
  const bool constraint = text.find("oom-kill:constraint=") != std::string_view::npos;
  if (invoked || constraint) {
    if (constraint) {
      const auto pid = integer_after(text, ",pid=");
      if (pid && killed_line_ != 0 && *pid == killed_pid_ && line - killed_line_ < kKernelLines)
        return std::nullopt;
      std::string who = "a process";
      const std::size_t task = text.find(",task=");
      if (task != std::string_view::npos) {
        who = base::printable(text.substr(task + 6, text.find(',', task + 6) - task - 6), 40);
      }
      const std::string_view limit = text.find("CONSTRAINT_MEMCG") != std::string_view::npos
                                         ? "; the limit of its memory cgroup was reached"
                                         : "; the machine was out of memory";
      const std::uint64_t first = open_kill_ ? open_kill_->line : line;
      open_kill_ = Event{EventKind::OomKill, std::nullopt, first,
                         fmt::format("the kernel's out-of-memory killer chose {}{}{}", who,
                                     pid ? fmt::format(" (pid {})", *pid) : "", limit)};
    } else if (!open_kill_) {
      open_kill_ =
          Event{EventKind::OomKill, std::nullopt, line, "the kernel's out-of-memory killer was invoked"};
    }
    return std::nullopt;
  }
  if (text.find("oom_reaper:") != std::string_view::npos) return std::nullopt;
  const bool old = text.find("Kill process ") != std::string_view::npos;
  const std::size_t at = text.find(old ? "Kill process " : "Killed process ");
  if (at == std::string_view::npos) return std::nullopt;
  const auto pid = integer_at(text, at + (old ? 13 : 15));
  if (!pid) return std::nullopt;
  const std::string total = kernel_size(text, "anon-rss");
  const std::string file = kernel_size(text, "file-rss");
  const std::string shmem = kernel_size(text, "shmem-rss");
  std::string sentence = fmt::format("the kernel's out-of-memory killer killed process {}", *pid);
  const std::string name = victim(text, at);
  if (!name.empty()) sentence += " (" + name + ")";
  if (!total.empty()) {
    sentence += ": " + total + " anonymous";
    if (!file.empty()) sentence += ", " + file + " file";
    if (!shmem.empty()) sentence += ", " + shmem + " shared";
  }
  const bool group = text.find("emory cgroup out of memory") != std::string_view::npos ||
                     (open_kill_ && open_kill_->text.find("memory cgroup") != std::string::npos);
  const bool same = killed_line_ != 0 && *pid == killed_pid_ && line - killed_line_ < kKernelLines;
  if (old) {
    // Two lines in kernels before 4.20: this one names the cause, the next one the size.
    if (same) return std::nullopt;
    const std::uint64_t first = open_kill_ ? open_kill_->line : line;
    open_kill_ = Event{EventKind::OomKill, std::nullopt, first, sentence};
    if (group) open_kill_->text += "; the limit of its memory cgroup was reached";
    return std::nullopt;
  }
  killed_pid_ = *pid;
  killed_line_ = line;
  if (same) return std::nullopt;
  if (group) sentence += "; the limit of its memory cgroup was reached";
  Event event{EventKind::OomKill, std::nullopt, open_kill_ ? open_kill_->line : line, sentence};
  open_kill_.reset();
  return event;
}

std::optional<Event> EventReader::close_wrapped() {
  Event event{EventKind::CudaOom, std::nullopt, wrapped_line_, cuda_sentence(wrapped_)};
  wrapped_.clear();
  wrapped_lines_ = 0;
  return event;
}

std::optional<Event> EventReader::read(std::string_view text, std::uint64_t line) {
  text = text.substr(0, kWrappedBytes);
  const bool cuda = has(text, "cuda out of memory") || has(text, "cuda error: out of memory") ||
                    has(text, "hip out of memory");
  if (!wrapped_.empty()) {
    const bool next = cuda || text.empty() || wrapped_lines_ >= kWrappedLines ||
                      wrapped_.size() + text.size() > kWrappedBytes;
    if (!next) {
      wrapped_ += ' ';
      wrapped_ += text;
      ++wrapped_lines_;
      if (is_cuda_complete(wrapped_)) return close_wrapped();
      return std::nullopt;
    }
    std::optional<Event> closed = close_wrapped();
    if (cuda) {
      wrapped_ = text;
      wrapped_line_ = line;
    }
    return closed;
  }
  if (cuda) {
    wrapped_ = text;
    wrapped_line_ = line;
    // A message that gives no sizes at all has no more to come.
    if (is_cuda_complete(wrapped_) || !has(wrapped_, "tried to")) return close_wrapped();
    return std::nullopt;
  }
  const bool kernel = text.find("oom-killer") != std::string_view::npos ||
                      text.find("oom-kill:") != std::string_view::npos ||
                      text.find("oom_reaper") != std::string_view::npos ||
                      text.find("Killed process ") != std::string_view::npos ||
                      text.find("Kill process ") != std::string_view::npos;
  if (kernel) return read_kernel(text, line);
  if (is_bare_killed(text))
    return Event{EventKind::Killed, std::nullopt, line, "the job was killed (the shell printed \"Killed\")"};
  if (auto sentence = shell_killed(text)) return Event{EventKind::Killed, std::nullopt, line, *sentence};
  for (const Rule& rule : kRules) {
    if (!has(text, rule.needle)) continue;
    if (rule.needle == "dataloader worker" && !has(text, "killed by signal") &&
        !has(text, "exited unexpectedly")) {
      continue;
    }
    if (rule.needle == ": out of memory" && !has(text, "srun: error")) continue;
    if (rule.needle == "earlyoom" && !has(text, "sending") && !has(text, "low memory") && !nearly_gone(text))
      continue;
    return Event{rule.kind, std::nullopt, line,
                 rule.sentence.empty() ? strip_prefix(text) : std::string(rule.sentence)};
  }
  return launcher(text, line);
}

std::optional<Event> EventReader::finish() {
  if (!wrapped_.empty()) return close_wrapped();
  std::optional<Event> event;
  event.swap(open_kill_);
  return event;
}

}  // namespace lowtide::ingest

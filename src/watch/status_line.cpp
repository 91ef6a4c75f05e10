#include "watch/status_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/units.h"

namespace lowtide::watch {
namespace {

constexpr double kRedrawS = 1.0;
constexpr double kFirstLineS = 60;
constexpr double kOldS = 5;  // a verdict that is older says so

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string kind_words(const model::Verdict& verdict) {
  std::string words(model::to_string(verdict.kind));
  if (verdict.lean && verdict.kind == model::VerdictKind::Inconclusive &&
      verdict.lean->kind != model::VerdictKind::Inconclusive) {
    words += fmt::format(", leaning {}", model::to_string(verdict.lean->kind));
  }
  return words;
}

}  // namespace

std::string status_words(const model::Judgement& judgement, const model::Tick& tick) {
  const model::Verdict& verdict = judgement.verdict;
  const bool grows =
      verdict.kind == model::VerdictKind::Leak || verdict.kind == model::VerdictKind::Inconclusive;
  std::string words = fmt::format("lowtide: {} | {} in {} process{}", kind_words(verdict),
                                  base::format_bytes(static_cast<double>(tick.target.bytes)),
                                  tick.target.processes, tick.target.processes == 1 ? "" : "es");
  if (verdict.samples > 0) {
    words += fmt::format(" | floor {}", base::format_bytes(static_cast<double>(verdict.floor.last_bytes)));
  }
  if (grows && verdict.rate && verdict.rate->bytes > 0) {
    words += fmt::format(" | +{}/{}", base::format_bytes(verdict.rate->bytes),
                         verdict.axis == model::Axis::Step ? "step" : "s");
  }
  if (grows && judgement.forecast && judgement.forecast->seconds) {
    words += fmt::format(
        " | {} in {}", base::format_bytes(static_cast<double>(judgement.forecast->limit_bytes)),
        base::format_seconds(std::max(0.0, judgement.forecast->seconds->estimate - judgement.at_s)));
  }
  if (const double ago_s = tick.at_s - judgement.at_s; ago_s > kOldS) {
    words += fmt::format(" | judged {} ago", base::format_seconds(ago_s));
  }
  return words;
}

StatusLine::StatusLine(bool wanted)
    : on_(wanted && ::isatty(STDERR_FILENO) == 1),
      shared_(::isatty(STDOUT_FILENO) == 1),
      next_s_(shared_ ? kFirstLineS : 2) {}

void StatusLine::show(double at_s, const model::Judgement& judgement, const model::Tick& tick) {
  if (!on_ || judgement.verdict.samples == 0) return;
  const bool changed = judgement.verdict.kind != said_;
  if (!changed && at_s < next_s_) return;
  said_ = judgement.verdict.kind;
  std::string words = status_words(judgement, tick);
  if (shared_) {
    next_s_ = std::max(2 * at_s, kFirstLineS);
    words += '\n';
  } else {
    next_s_ = at_s + kRedrawS;
    words = "\r\x1b[K" + words.substr(0, terminal_width() - 1);
    drawn_ = true;
  }
  std::fputs(words.c_str(), stderr);
}

void StatusLine::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

}  // namespace lowtide::watch

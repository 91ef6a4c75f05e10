#include "cli/testing/said_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/input/report_recording.h"
#include "cli/output/served_report.h"
#include "record/reader.h"
#include "screen/head_rows.h"
#include "show/answer_words.h"
#include "show/json/json.h"
#include "show/terminal/text.h"
#include "watch/recording_judge.h"
#include "watch/status_line.h"

namespace lowtide::cli {
namespace {

constexpr std::size_t kColumns = 1000;  // nothing is cut
constexpr std::string_view kGap = "  ";

// The first line of a report in its parts: label, subject, and rate, confidence and failure as far as there
// are any.
std::vector<std::string> parts_of(std::string_view line) {
  std::vector<std::string> parts;
  while (!line.empty()) {
    const std::size_t end = line.find(kGap);
    if (end != 0) parts.emplace_back(line.substr(0, end));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + kGap.size());
    while (line.starts_with(' ')) line.remove_prefix(1);
  }
  return parts;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string joined(const show::Line& line) {
  std::string text;
  for (const show::Piece& piece : line) text += piece.text;
  return text;
}

// "lowtide_verdict_confidence_ratio 0.97" -> 0.97
std::optional<double> metric(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("\n" + name + " ");
  if (at == std::string::npos) return std::nullopt;
  return std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

bool is_near(std::optional<double> given, double wanted) {
  return given && std::abs(*given - wanted) < 1e-6;
}

class Readers {
 public:
  Readers(const std::string& path, double now_unix_s, SaidVerdict& out)
      : path_(path), now_unix_s_(now_unix_s), out_(out) {}

  void compare() {
    auto read = report_recording(path_, std::nullopt, now_unix_s_);
    if (!std::holds_alternative<model::Report>(read)) {
      out_.disagreements.emplace_back("the report: it cannot be read");
      return;
    }
    out_.report = std::move(std::get<model::Report>(read));
    printed_ = parts_of(first_line(show::to_text(out_.report, {.width = kColumns})));
    watch::RecordingJudge judge(path_, std::nullopt);
    judge.begin_if_due(0, now_unix_s_);
    judge.wait();
    const auto judged = judge.take(0);
    if (!judged) {
      disagree("the judge of the run", "none");
      return;
    }
    compare_status_line(*judged);
    compare_screen(*judged);
    compare_served(*judged);
  }

 private:
  void disagree(std::string_view reader, const std::string& said) {
    out_.disagreements.push_back(
        fmt::format("{}: {}, the report: {}", reader, said, fmt::join(printed_, " | ")));
  }
  [[nodiscard]] bool is_printed(const std::string& part) const {
    return std::find(printed_.begin(), printed_.end(), part) != printed_.end();
  }

  void compare_status_line(const watch::RecordingJudge::Result& judged) {
    model::Tick tick;
    tick.at_s = judged.judgement.at_s;
    const show::Line line = watch::status_line(judged.judgement, judged.answer, tick, kColumns);
    const std::string& label = printed_.front();
    // An open verdict has no label there: the words after it say the same.
    std::string said = line[1].text.substr(kGap.size());
    bool agrees = label == "INCONCLUSIVE" || said.starts_with(label);
    if (said.starts_with(label + ", ")) said.erase(0, label.size() + 2);
    agrees = agrees && (said == label || said.starts_with("but ") || is_printed(said));
    const std::string& rate = judged.answer.rate;
    agrees = agrees && (rate.empty() || (is_printed(rate) && line[2].text.find(rate) != std::string::npos));
    if (!agrees) disagree("the status line", joined(line));
  }

  void compare_screen(const watch::RecordingJudge::Result& judged) {
    screen::View view;
    view.at_s = judged.judgement.at_s;
    view.answer = judged.answer;
    view.series.verdict = judged.judgement.verdict;
    if (view.series.verdict.samples == 0) return;  // it waits for the first reading
    const std::string line = joined(screen::verdict_rows(view, kColumns, 1).front().pieces);
    const std::vector<std::string> parts = parts_of(line);
    // The subject is the short form, and how a job failed is not known while it runs.
    bool agrees = parts.size() >= 2 && parts.size() <= printed_.size() && parts[0] == printed_[0];
    for (std::size_t at = 2; agrees && at < parts.size(); ++at) agrees = parts[at] == printed_[at];
    if (!agrees) disagree("the screen", line);
  }

  void compare_served(const watch::RecordingJudge::Result& judged) {
    ServedReport served(path_, std::nullopt, {.token = "secret", .is_loopback = true},
                        [this] { return now_unix_s_; });
    serve::Request request{.method = serve::Method::Get, .path = "/metrics", .host = "localhost"};
    const std::string metrics = served.answer(request).body;
    const model::Verdict& verdict = judged.judgement.verdict;
    const std::string kind(model::to_string(verdict.kind));
    const double lean = model::leans_to_leak(verdict) ? verdict.lean->confidence : 0;
    const bool is_open = verdict.kind == model::VerdictKind::Inconclusive;
    if (metrics.find("lowtide_verdict{lowtide_verdict=\"" + kind + "\"} 1") == std::string::npos ||
        !is_near(metric(metrics, "lowtide_verdict_confidence_ratio"), verdict.confidence) ||
        (is_open && !is_near(metric(metrics, "lowtide_leak_lean_ratio"), lean)) ||
        (model::may_leak(verdict) && metrics.find(judged.answer.cause) == std::string::npos))
      disagree("/metrics", metrics.substr(0, metrics.find("lowtide_memory_bytes")));
    if (kind != model::to_string(out_.report.verdict.kind) || verdict.reason != out_.report.verdict.reason ||
        judged.judgement.forecast.has_value() != out_.report.forecast.has_value())
      disagree("the judge of the run", kind + ", " + verdict.reason);
    request.path = "/report.json";
    request.token = "secret";
    if (served.answer(request).body != show::to_json(out_.report)) disagree("/report.json", "another report");
  }

  const std::string& path_;
  double now_unix_s_;
  SaidVerdict& out_;
  std::vector<std::string> printed_ = {};
};

}  // namespace

SaidVerdict said_by_all(const std::string& path, double now_unix_s) {
  SaidVerdict out;
  Readers(path, now_unix_s, out).compare();
  return out;
}

SaidVerdict said_by_all_at_the_end_of(const std::string& path) {
  auto recording = record::Recording::open(path);
  if (!recording) return {.disagreements = {"the report: it cannot be read"}};
  return said_by_all(path, recording.value().header().started_unix_s + recording.value().last_at_s());
}

}  // namespace lowtide::cli

#include "show/terminal/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "show/terminal/layout.h"
#include "show/terminal/paint.h"
#include "show/terminal/plot.h"
#include "show/terminal/site_text.h"
#include "show/terminal/watched_text.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_count;
using base::printable;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kRunsInFull = 4;
constexpr std::size_t kMostSeries = 12;
constexpr std::size_t kWidestText = 100;  // longer lines are hard to read, however wide the terminal
constexpr std::size_t kWidestPlot = 120;

// Collects the lines of the report.
class Writer {
 public:
  Writer(const model::Report& report, const TextOptions& options)
      : report_(report),
        options_(options),
        paint_(options.colour),
        width_(std::min(options.width, kWidestText)) {}

  std::string write() {
    const model::SeriesReport* series = speaker(report_);
    if (series == nullptr) {
      answer({});
      if (!options_.brief) events();
      return std::move(out_);
    }
    answer(*series);
    if (options_.brief) return std::move(out_);
    facts(*series);
    picture(*series);
    runs();
    if (report_.source.type == model::SourceType::Recording) {
      out_ += watched_text(report_, options_, paint_, width_);
    }
    other_series();
    events();
    return std::move(out_);
  }

 private:
  void line(std::string_view text) { out_.append(text).push_back('\n'); }
  void heading(std::string_view text) {
    line("");
    line(paint_(Role::Heading, text));
  }
  void indented(const std::vector<std::string>& lines) {
    for (const std::string& text : lines) line("  " + text);
  }

  void answer(const model::SeriesReport& series) {
    const std::string words = series.name.empty() ? headline(series) : headline(report_);
    const std::size_t colon = std::min(words.find(':'), words.size());
    const model::Verdict& verdict = report_.verdict;
    // An inconclusive verdict is about the lean: how sure we are that nothing can be said helps nobody.
    const bool leans = verdict.kind == model::VerdictKind::Inconclusive && verdict.lean;
    // A second series in the headline has a confidence of its own.
    const bool mixed = find_second(report_) != nullptr;
    const std::string sure = mixed   ? ""
                             : leans ? fmt::format(" ({})", percent(verdict.lean->confidence))
                             : verdict.kind == model::VerdictKind::Inconclusive
                                 ? ""
                                 : fmt::format(" (confidence {})", percent(verdict.confidence));
    bool first = true;
    for (const std::string& piece : wrap(words + sure, width_)) {
      if (first) {
        const std::size_t head = std::min(colon, piece.size());
        line(paint_(mixed ? Role::Unsure : paint_role(verdict.kind), piece.substr(0, head)) +
             paint_(Role::Heading, piece.substr(head)));
      } else {
        line(paint_(Role::Heading, piece));
      }
      first = false;
    }
    indented(wrap(printable(verdict.reason, 1000), width_ - 2));
    if (verdict.needs) indented(wrap("needs: " + printable(*verdict.needs, 1000), width_ - 2));
  }

  void facts(const model::SeriesReport& series) {
    const model::Verdict& verdict = series.verdict;
    Rows rows;
    rows.push_back({"floor", floor_words(verdict.floor, options_.unicode)});
    if (std::string words = growth(series); !words.empty()) {
      if (verdict.kind == model::VerdictKind::Warmup) words += ", while it warmed up";
      rows.push_back({"growth", words});
    }
    if (std::string words = mechanism_words(report_); !words.empty()) rows.push_back({"made of", words});
    if (verdict.plateau_bytes && !verdict.levels && !has_fallen(verdict))
      rows.push_back({"plateau", bytes_words(*verdict.plateau_bytes)});
    if (verdict.spike_bytes)
      rows.push_back({"spikes", bytes_words(*verdict.spike_bytes) + " above the floor"});
    if (series.peak_bytes > 0) rows.push_back({"peak", bytes_words(series.peak_bytes)});
    add_limit(rows, series);
    if (report_.runs.size() > 1)
      rows.push_back({"run", printable(report_.runs[report_.primary_run].name, 80)});
    if (std::string why = why_primary(report_.runs[report_.primary_run]); !why.empty()) {
      rows.push_back({"series", std::move(why)});
    }
    if (!report_.source.command.empty()) rows.push_back({"job", printable(report_.source.command, 200)});
    rows.push_back({"read", read_words(series)});
    line("");
    for (const std::string& text : table(rows, width_ - 2)) {
      // The labels stand in the first ten columns; on a wrapped line these are blank.
      const std::size_t label = std::min<std::size_t>(text.find(' '), text.size());
      line("  " + paint_(Role::Dim, text.substr(0, label)) + text.substr(label));
    }
  }

  void add_limit(Rows& rows, const model::SeriesReport& series) const {
    if (!report_.limit) return;
    const std::string told = limit_source_suffix(*report_.limit);
    if (report_.forecast) {
      rows.push_back({"forecast", forecast(*report_.forecast, series) + told});
      return;
    }
    rows.push_back({"limit", limit_words(*report_.limit, series)});
  }

  [[nodiscard]] std::string read_words(const model::SeriesReport& series) const {
    const std::uint64_t samples = series.verdict.samples;
    std::string words = fmt::format("{}: {} {}", source_name(report_.source), format_count(samples),
                                    samples == 1 ? "reading" : "readings");
    if (const std::string span = extent(series); !span.empty()) words += ", " + span;
    if (!report_.source.format.empty()) words += " (" + printable(report_.source.format, 60) + ")";
    if (report_.ending == model::Ending::Running) words += "; the run goes on";
    if (report_.ending == model::Ending::CutOff) words += "; the recording breaks off there";
    return words;
  }

  void picture(const model::SeriesReport& series) {
    if (!options_.plot) return;
    PlotOptions plot_options;
    plot_options.width = std::min(options_.width, kWidestPlot);
    plot_options.unicode = options_.unicode;
    plot_options.axis = series.verdict.axis;
    plot_options.warmup_end = series.verdict.warmup_end;
    if (report_.limit) plot_options.limit_bytes = report_.limit->bytes;
    const std::vector<Line> lines = plot(series.outline, plot_options);
    if (lines.empty()) return;
    line("");
    for (const Line& each : lines) line(paint_(each));
  }

  void runs() {
    constexpr std::size_t kMost = 12;
    if (report_.runs.size() < 2) return;
    heading("runs in this log, * speaks for the report");
    if (report_.runs.size() <= kRunsInFull) {
      for (std::size_t at = 0; at < report_.runs.size(); ++at) run_in_full(at);
      return;
    }
    Rows rows;
    const std::size_t skipped = report_.runs.size() > kMost ? report_.runs.size() - kMost : 0;
    for (std::size_t at = 0; at < report_.runs.size(); ++at) {
      const model::RunReport& run = report_.runs[at];
      const bool speaks = at == report_.primary_run;
      if ((at < skipped && !speaks) || run.series.empty()) continue;
      rows.push_back(
          {(speaks ? "* " : "  ") + printable(run.name, 60), lines_words(run), brief(run.series.front())});
    }
    for (const std::string& text : table(rows, width_)) line(text);
    if (skipped > 0) indented({fmt::format("and {} earlier runs (--json has them all)", skipped)});
  }

  // Why another run could or could not be judged is told here; the speaking one has its own lines above.
  void run_in_full(std::size_t at) {
    const model::RunReport& run = report_.runs[at];
    if (run.series.empty()) return;
    const model::SeriesReport& series = run.series.front();
    const bool speaks = at == report_.primary_run;
    const std::string who =
        fmt::format("{} {}, {}:", speaks ? "*" : " ", printable(run.name, 60), lines_words(run));
    const std::string what = brief(series);
    const bool fits = display_width(who) + 1 + display_width(what) <= width_;
    const std::string painted = paint_(paint_role(series.verdict.kind), what);
    if (fits) {
      line(who + " " + painted);
    } else {
      line(cut(who, width_));
      line("      " + painted);
    }
    if (speaks) return;
    std::string words = printable(series.verdict.reason, 400);
    if (series.verdict.needs) words += "; needs " + printable(*series.verdict.needs, 400);
    for (const std::string& text : wrap(words, width_ - 6)) line("      " + text);
  }

  static std::string lines_words(const model::RunReport& run) {
    return fmt::format("lines {}-{}", run.first_line, run.last_line);
  }

  void other_series() {
    const auto& all = report_.runs[report_.primary_run].series;
    if (all.size() < 2) return;
    heading("other series in this run");
    Rows rows;
    for (std::size_t at = 1; at < std::min(all.size(), kMostSeries + 1); ++at) {
      const model::SeriesReport& series = all[at];
      std::string words = brief(series);
      if (series.forecast) words += "; " + forecast(*series.forecast, series);
      rows.push_back({printable(series.name, 60), floor_words(series.verdict.floor, options_.unicode),
                      std::move(words)});
    }
    indented(table(rows, width_ - 2));
    if (all.size() > kMostSeries + 1)
      indented({fmt::format("and {} more (--json has them all)", all.size() - kMostSeries - 1)});
  }

  void events() {
    constexpr std::size_t kFirst = 3;
    constexpr std::size_t kLast = 5;
    if (report_.events.empty()) return;
    heading("events");
    Rows rows;
    const auto add = [&](const model::Event& event) {
      rows.push_back(
          {event_place(event), std::string(model::to_string(event.kind)), printable(event.text, 160)});
    };
    const EventChoice choice = choose_events(report_, kFirst, kLast);
    for (std::size_t at = 0; at < choice.first; ++at) add(report_.events[at]);
    if (choice.between > 0) {
      rows.push_back(
          {"...", "",
           fmt::format("{} more between these ({})", format_count(choice.between),
                       report_.events_left_out > 0 ? "--json has more of them" : "--json has them all")});
    }
    for (std::size_t at = report_.events.size() - choice.last; at < report_.events.size(); ++at)
      add(report_.events[at]);
    indented(table(rows, width_ - 2));
  }

  const model::Report& report_;
  const TextOptions& options_;
  Paint paint_;
  std::size_t width_;
  std::string out_;
};

}  // namespace

std::string to_text(const model::Report& report, const TextOptions& options) {
  return Writer(report, options).write();
}

std::string to_text_title(const model::Report& report, const TextOptions& options) {
  return Paint(options.colour)(Role::Heading, source_name(report.source) + ":") + "\n";
}

}  // namespace lowtide::show

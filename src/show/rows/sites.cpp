#include "show/rows/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_bytes;

constexpr double kLeastShare = 0.02;

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string words_of(const model::Frame& frame, std::string_view file, std::string_view module) {
  std::string place(file);
  if (!place.empty() && frame.line > 0) place += fmt::format(":{}", frame.line);
  std::string words;
  if (frame.language == model::FrameLanguage::Python) {
    words = place;
    if (!frame.function.empty() && frame.function != "<module>") words += " in " + frame.function;
  } else {
    words = frame.function.empty() ? "?" : frame.function;
    if (!place.empty()) {
      words += " at " + place;
    } else if (!module.empty()) {
      words += fmt::format(" in {}", module);
    }
  }
  return words.empty() ? "?" : base::printable(words, 300);
}

bool grew(const model::SiteReport& site) {
  return site.growth_bytes > 0 && static_cast<std::uint64_t>(site.growth_bytes) > site.error_bytes &&
         site.share.value_or(0) >= kLeastShare;
}

// One line, in all the processes in which it has the same verdict.
struct JoinedLine {
  const model::SiteReport* first = nullptr;
  std::string place;
  model::SiteReport sum;  // of the numbers
  std::size_t processes = 1;
};

std::string place_of(const model::SiteReport& site) {
  std::string place = site_place(site.frames, site.act_on);
  if (site.native_function.empty() || site.act_on >= site.frames.size()) return place;
  return place + ": " + base::printable(site.native_function, 80) + "()";
}

void add_to(JoinedLine& line, const model::SiteReport& site) {
  ++line.processes;
  line.sum.live_bytes += site.live_bytes;
  line.sum.growth_bytes += site.growth_bytes;
  line.sum.error_bytes = base::to_bytes(
      std::hypot(static_cast<double>(line.sum.error_bytes), static_cast<double>(site.error_bytes)));
  line.sum.share = line.sum.share.value_or(0) + site.share.value_or(0);
}

template <typename Wanted>
std::vector<JoinedLine> lines_of(const model::Report& report, Wanted wanted) {
  std::vector<JoinedLine> lines;
  for (const model::SiteReport& site : report.sites) {
    if (!wanted(site)) continue;
    std::string place = place_of(site);
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const JoinedLine& line) {
      return line.place == place && line.first->verdict.kind == site.verdict.kind &&
             line.first->pid != site.pid;
    });
    if (same != lines.end()) {
      add_to(*same, site);
    } else {
      lines.push_back({.first = &site, .place = std::move(place), .sum = site});
    }
  }
  return lines;
}

SiteRow site_row(const JoinedLine& line) {
  const model::SiteReport& sum = line.sum;
  SiteRow row;
  row.site = line.first;
  row.place = line.place;
  model::SeriesReport series;
  series.verdict = line.first->verdict;
  row.verdict = line.processes == 1 ? brief(series) : std::string(model::to_string(series.verdict.kind));
  row.share = grew(sum) ? base::format_share(*sum.share) : "-";
  row.live = bytes_words(sum.live_bytes);
  row.growth = "-";
  if (sum.growth_bytes != 0 && static_cast<std::uint64_t>(std::abs(sum.growth_bytes)) > sum.error_bytes) {
    row.growth = format_bytes(static_cast<double>(sum.growth_bytes));
    if (sum.error_bytes > 0) row.growth += " ± " + bytes_words(sum.error_bytes);
  }
  row.where =
      line.processes == 1 ? fmt::format("pid {}", sum.pid) : fmt::format("{} processes", line.processes);
  return row;
}

}  // namespace

std::vector<SiteRow> site_rows(const model::Report& report, std::size_t most) {
  std::vector<JoinedLine> lines = lines_of(report, grew);
  const bool any_grew = !lines.empty();
  if (!any_grew) lines = lines_of(report, [](const model::SiteReport& site) { return site.live_bytes > 0; });
  std::stable_sort(lines.begin(), lines.end(), [any_grew](const JoinedLine& a, const JoinedLine& b) {
    return any_grew ? a.sum.growth_bytes > b.sum.growth_bytes : a.sum.live_bytes > b.sum.live_bytes;
  });
  std::vector<SiteRow> rows;
  for (std::size_t at = 0; at < std::min(lines.size(), most); ++at) rows.push_back(site_row(lines[at]));
  return rows;
}

std::string site_place(const std::vector<model::Frame>& frames, std::size_t act_on) {
  return act_on < frames.size() ? frame_place(frames[act_on]) : "an unknown place";
}

std::string frame_place(const model::Frame& frame) {
  return words_of(frame, file_name(frame.file), file_name(frame.module));
}

std::string frame_words(const model::Frame& frame) {
  return words_of(frame, frame.file, frame.module);
}

std::vector<const model::Frame*> frames_below(const model::SiteReport& site, std::size_t most) {
  std::vector<const model::Frame*> out;
  for (std::size_t at = std::min(site.act_on, site.frames.size()); at > 0 && out.size() < most; --at) {
    const model::Frame& frame = site.frames[at - 1];
    if (!frame.function.empty() || !frame.file.empty()) out.push_back(&frame);
  }
  return out;
}

}  // namespace lowtide::show

#include "show/site_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "base/units.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

using base::format_bytes;

constexpr double kLeastShare = 0.02;

std::string_view name_of(std::string_view path) {
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

SiteRow row_of(const model::SiteReport& site, bool unicode) {
  SiteRow row;
  row.site = &site;
  row.place = site.act_on < site.frames.size() ? frame_place(site.frames[site.act_on]) : "an unknown place";
  model::SeriesReport series;
  series.verdict = site.verdict;
  row.verdict = brief(series);
  row.share = grew(site) ? percent(*site.share) : "-";
  row.live = format_bytes(static_cast<double>(site.live_bytes));
  row.growth = "-";
  if (site.growth_bytes != 0 && static_cast<std::uint64_t>(std::abs(site.growth_bytes)) > site.error_bytes) {
    row.growth = fmt::format("{} {} {}", format_bytes(static_cast<double>(site.growth_bytes)),
                             unicode ? "±" : "+-", format_bytes(static_cast<double>(site.error_bytes)));
  }
  return row;
}

}  // namespace

std::vector<SiteRow> site_rows(const model::Report& report, std::size_t most, bool unicode) {
  std::vector<SiteRow> rows;
  for (const model::SiteReport& site : report.sites) {
    if (rows.size() < most && grew(site)) rows.push_back(row_of(site, unicode));
  }
  if (!rows.empty()) return rows;
  std::vector<const model::SiteReport*> living;
  for (const model::SiteReport& site : report.sites) {
    if (site.live_bytes > 0) living.push_back(&site);
  }
  std::stable_sort(living.begin(), living.end(),
                   [](const auto* a, const auto* b) { return a->live_bytes > b->live_bytes; });
  for (std::size_t at = 0; at < std::min(living.size(), most); ++at)
    rows.push_back(row_of(*living[at], unicode));
  return rows;
}

std::string frame_place(const model::Frame& frame) {
  return words_of(frame, name_of(frame.file), name_of(frame.module));
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

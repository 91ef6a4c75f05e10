#include "show/terminal/site_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "show/rows/sites.h"
#include "show/terminal/layout.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

constexpr std::size_t kMostBelow = 3;
constexpr double kLeastTold = 0.005;  // rounds to a percent

void add_lines(std::string& out, const std::string& text, std::size_t indent, std::size_t width,
               const Paint& paint, Role role) {
  for (const std::string& line : wrap(text, width - indent)) {
    out += std::string(indent, ' ') + paint(role, line) + "\n";
  }
}

void add_frames(std::string& out, const model::SiteReport& site, bool stacks, const Paint& paint,
                std::size_t width) {
  constexpr std::size_t kIndent = 10;
  if (!stacks) {
    std::string below;
    for (const model::Frame* frame : frames_below(site, kMostBelow)) {
      below += (below.empty() ? "through " : ", ") + frame_place(*frame);
    }
    if (!below.empty()) add_lines(out, below, kIndent, width, paint, Role::Dim);
    return;
  }
  for (std::size_t at = 0; at < site.frames.size(); ++at) {
    const bool marked = at == site.act_on;
    out += std::string(kIndent - 2, ' ') + (marked ? "> " : "  ") +
           paint(marked ? Role::Plain : Role::Dim, cut(frame_words(site.frames[at]), width - kIndent)) + "\n";
  }
  if (site.cut) out += std::string(kIndent, ' ') + "...\n";
}

}  // namespace

std::string mechanism_words(const model::Report& report) {
  if (!report.growth || report.growth->explained_share.value_or(0) <= 0) return "";
  std::string out;
  for (const model::MechanismShare& part : report.growth->mechanisms) {
    if (part.share < kLeastTold) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", percent(part.share),
                       model::to_string(part.mechanism));
  }
  return out;
}

std::string site_text(const model::Report& report, const TextOptions& options, const Paint& paint,
                      std::size_t width) {
  constexpr std::size_t kMost = 5;
  const std::vector<SiteRow> rows = site_rows(report, kMost, options.unicode);
  if (rows.empty()) return "";
  const bool grew = rows.front().share != "-";
  std::string out = "\n" +
                    paint(Role::Heading, grew ? "what allocates, by growth of what is alive"
                                              : "what allocates, by what is alive") +
                    "\n";
  for (const SiteRow& row : rows) {
    const std::string head = pad_left(grew ? row.share : row.live, 8) + "  " + row.place;
    const std::string kind = "  " + row.verdict;
    if (display_width(head) + display_width(kind) <= width) {
      out += head + paint(paint_role(row.site->verdict.kind), kind) + "\n";
    } else {
      out += cut(head, width) + "\n" + std::string(8, ' ') +
             paint(paint_role(row.site->verdict.kind), cut(kind, width - 8)) + "\n";
    }
    std::string facts = row.live + " alive";
    if (row.growth != "-") facts += ", " + row.growth + " more";
    facts += "; " + row.where;
    if (row.site->stacks > 1) facts += fmt::format(", {} stacks", base::format_count(row.site->stacks));
    add_lines(out, facts, 10, width, paint, Role::Plain);
    add_frames(out, *row.site, options.stacks, paint, width);
  }
  return out;
}

}  // namespace lowtide::show

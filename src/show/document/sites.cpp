// The places that allocate: entries in text, a table and stacks in Markdown.

#include "show/rows/sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "show/document/report_sections.h"
#include "show/terminal/layout.h"

namespace lowtide::show {
namespace {

constexpr std::size_t kMostPlace = 200;

std::vector<Entry::Detail> whole_stack(const model::SiteReport& site) {
  std::vector<Entry::Detail> out;
  for (std::size_t at = 0; at < site.frames.size(); ++at) {
    const bool is_marked = at == site.act_on;
    out.push_back({.text = frame_words(site.frames[at]),
                   .role = is_marked ? Role::Plain : Role::Dim,
                   .mark = is_marked ? "> " : "  "});
  }
  if (site.cut) out.push_back({.text = "..."});
  return out;
}

std::vector<Entry::Detail> frames_in_brief(const model::SiteReport& site) {
  constexpr std::size_t kMostBelow = 3;
  std::string below;
  for (const model::Frame* frame : frames_below(site, kMostBelow)) {
    below += (below.empty() ? "through " : ", ") + frame_place(*frame);
  }
  if (below.empty()) return {};
  return {{.text = below, .role = Role::Dim}};
}

Entry entry_of(const SiteRow& row, bool grew, bool has_stacks) {
  Entry out{.head = pad_left(grew ? row.share : row.live, 8) + "  " + row.place + "  ",
            .verdict = row.verdict,
            .role = paint_role(row.site->verdict.kind)};
  std::string facts = row.live + " live";
  if (row.growth != "-")
    facts += row.growth.starts_with('-') ? ", shrank by " + row.growth.substr(1) : ", grew by " + row.growth;
  facts += "; " + row.where;
  if (row.site->stacks > 1) facts += fmt::format(", {} stacks", base::format_count(row.site->stacks));
  out.details = has_stacks ? whole_stack(*row.site) : frames_in_brief(*row.site);
  out.details.insert(out.details.begin(), Entry::Detail{.text = std::move(facts)});
  return out;
}

// How many native frames follow each other from `from` on, without the one to act on.
std::size_t native_run(const model::SiteReport& site, std::size_t from, std::size_t end) {
  std::size_t at = from;
  while (at < end && at != site.act_on && site.frames[at].language == model::FrameLanguage::Native) ++at;
  return at - from;
}

// A list and not a code block: what is in it is the job's text, and a fence could be ended by it. Native
// frames in a row are one item: libraries call each other a dozen times, and the reader can change none of
// it.
List stack_of(const SiteRow& row) {
  constexpr std::size_t kMostFrames = 40;
  List out{.in = kMarkdown,
           .title = "Stack of " + base::printable(row.place, kMostPlace),
           .is_numbered = true,
           .is_prose = false};
  const std::vector<model::Frame>& frames = row.site->frames;
  const std::size_t end = std::min(frames.size(), kMostFrames);
  for (std::size_t at = 0; at < end;) {
    const std::size_t native = native_run(*row.site, at, end);
    std::string text = frame_words(frames[at]);
    const std::size_t together = native > 2 ? native : 1;
    if (together > 1)
      text += fmt::format(" ... {} ({} native frames)", frame_words(frames[at + together - 1]), together);
    out.items.push_back({.text = std::move(text), .is_strong = at == row.site->act_on});
    at += together;
  }
  if (row.site->cut || frames.size() > kMostFrames) out.note = "There are more frames outside of these.";
  return out;
}

}  // namespace

Section sites_section(const model::Report& report, bool has_stacks) {
  constexpr std::size_t kMostInText = 5;
  constexpr std::size_t kMostInMarkdown = 10;
  constexpr std::size_t kMostStacks = 3;
  const std::vector<SiteRow> rows = site_rows(report, kMostInMarkdown);
  if (rows.empty()) return {};
  const bool grew = rows.front().share != "-";
  Entries entries{.indent = 10};
  for (std::size_t at = 0; at < std::min(rows.size(), kMostInText); ++at)
    entries.entries.push_back(entry_of(rows[at], grew, has_stacks));
  Table table{
      .in = kMarkdown,
      .columns = {{"place"}, {"verdict"}, {"share of the live growth"}, {"growth"}, {"live memory"}, {"in"}}};
  for (const SiteRow& row : rows) {
    const bool leaks = row.site->verdict.kind == model::VerdictKind::Leak;
    table.rows.push_back({{base::printable(row.place, kMostPlace), leaks ? "leak" : row.verdict, row.share,
                           row.growth, row.live, row.where}});
    if (leaks) table.rows.back().strong_cell = 1;
  }
  Section out{
      .label = grew ? "allocation sites, by growth of live memory" : "allocation sites, by live memory",
      .title = "Allocation sites",
      .blocks = {std::move(entries), std::move(table)}};
  const auto add_note = [&](const char* text) {
    out.blocks.emplace_back(Paragraph{.in = kMarkdown, .text = text});
  };
  add_note(
      "live memory is memory that was allocated and not freed, estimated from samples; that of a line is the "
      "sum over all stacks through it");
  if (!grew) return out;
  for (std::size_t at = 0; at < std::min(rows.size(), kMostStacks); ++at)
    out.blocks.emplace_back(stack_of(rows[at]));
  add_note("innermost frame first; the line to look at is in bold");
  return out;
}

}  // namespace lowtide::show

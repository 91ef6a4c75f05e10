#include "show/markdown/sites.h"

#include <fmt/format.h>

#include <algorithm>

#include "show/markdown/markdown.h"
#include "show/markdown/parts.h"
#include "show/rows/sites.h"

namespace lowtide::show {
namespace {

constexpr std::size_t kMostStacks = 3;
constexpr std::size_t kMostFrames = 40;

// As a list, not as a code block: what is in it is the job's text, and a fence could be ended by it.
std::string stack_of(const SiteRow& row) {
  std::string out = fmt::format("\n### Stack of {}\n\n", markdown_text(row.place, 200));
  const std::vector<model::Frame>& frames = row.site->frames;
  for (std::size_t at = 0; at < std::min(frames.size(), kMostFrames); ++at) {
    const std::string words = markdown_text(frame_words(frames[at]), 300);
    out += fmt::format("{}. {}\n", at + 1, at == row.site->act_on ? "**" + words + "**" : words);
  }
  if (row.site->cut || frames.size() > kMostFrames) out += "\nThere are more frames outside of these.\n";
  return out;
}

}  // namespace

std::string sites_markdown(const model::Report& report) {
  constexpr std::size_t kMost = 10;
  const std::vector<SiteRow> rows = site_rows(report, kMost, true);
  if (rows.empty()) return "";
  std::string out = "\n## What allocates\n\n" +
                    row({"Place", "Verdict", "Share of the live growth", "Growth", "Alive", "In"}) +
                    "|---|---|---|---|---|---|\n";
  for (const SiteRow& one : rows) {
    out += row({markdown_text(one.place, 200),
                one.site->verdict.kind == model::VerdictKind::Leak ? "**leak**" : one.verdict, one.share,
                one.growth, one.live, one.where});
  }
  out += "\nEstimated from samples; what is alive at a line is the sum over all stacks that lead to it.\n";
  if (rows.front().share == "-") return out;
  for (std::size_t at = 0; at < std::min(rows.size(), kMostStacks); ++at) out += stack_of(rows[at]);
  return out + "\nInnermost frame first; the one in bold is the line to look at.\n";
}

}  // namespace lowtide::show

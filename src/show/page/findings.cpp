#include "show/page/findings.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "show/markup.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

std::string where_words(const model::Place& where) {
  std::string out;
  if (where.file) {
    out += fmt::format("<code>{}{}</code>", markup_text(*where.file, 300),
                       where.line ? fmt::format(":{}", *where.line) : "");
    if (where.function) out += fmt::format(" in <code>{}</code>", markup_text(*where.function, 200));
  } else if (where.function) {
    out += fmt::format("<code>{}</code>", markup_text(*where.function, 200));
  }
  if (where.holder) {
    out += fmt::format("{}kept by <code>{}</code>", out.empty() ? "" : ", ", markup_text(*where.holder, 300));
  }
  return out;
}

std::string facts_of(const model::Finding& finding) {
  std::string out = fmt::format("<span>confidence {}</span>", percent(finding.confidence));
  if (finding.share) out += fmt::format("<span>{} of the growth</span>", percent(*finding.share));
  if (finding.mechanism) out += fmt::format("<span>{}</span>", model::to_string(*finding.mechanism));
  if (finding.pid) out += fmt::format("<span>pid {}</span>", *finding.pid);
  return out;
}

std::string description_row(const char* name, const std::string& html) {
  return html.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html);
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += "<li>" + markup_text(sentence(text)) + "</li>\n";
  return out.empty() ? "" : "<ul>\n" + out + "</ul>";
}

std::string text_or_nothing(const std::string& text) {
  return text.empty() ? "" : markup_text(sentence(text), 1000);
}

std::string article(const model::Finding& finding) {
  const std::string_view severity = model::to_string(finding.severity);
  std::string out = fmt::format(
      "<article class=\"finding {0}\">\n<p class=\"eyebrow\"><b "
      "class=\"severity\">{0}</b>{1}</p>\n<h3>{2}</h3>\n<dl>\n",
      severity, facts_of(finding), markup_text(sentence(finding.title)));
  out += description_row("Where", where_words(finding.where));
  out += description_row("Fix", text_or_nothing(finding.fix));
  if (!finding.hint.empty())
    out += description_row("In code", "<pre>" + markup_lines(finding.hint) + "</pre>");
  out += description_row("Evidence", list_of(finding.evidence));
  out += description_row("Ruled out", list_of(finding.excluded));
  out += description_row("Then watch", text_or_nothing(finding.watch));
  return out + "</dl>\n</article>\n";
}

}  // namespace

std::string page_findings(const model::Report& report) {
  std::string open;
  std::string ruled_out;
  for (const model::Finding& finding : report.findings) {
    if (!finding.ruled_out) {
      open += article(finding);
      continue;
    }
    ruled_out += "<li><b>" + markup_text(sentence(finding.title)) + "</b>";
    for (const std::string& text : finding.evidence) ruled_out += " " + markup_text(sentence(text));
    ruled_out += "</li>\n";
  }
  std::string out;
  if (!open.empty()) out += "<section id=\"findings\">\n<h2>Findings</h2>\n" + open + "</section>\n";
  if (!ruled_out.empty()) {
    out += "<section id=\"ruled-out\">\n<h2>What was ruled out</h2>\n<ul class=\"plain\">\n" + ruled_out +
           "</ul>\n</section>\n";
  }
  return out;
}

}  // namespace lowtide::show

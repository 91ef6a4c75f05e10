#include "show/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "show/markup.h"
#include "show/page/base64.h"
#include "show/page/summary.h"
#include "show/testing/sample_reports.h"

namespace lowtide::show {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kAttack =
    "</script><script>alert(1)</script><!--lowtide:data--><img src=x onerror=\"a\">";
constexpr std::string_view kTemplate =
    "<title><!--lowtide:title--></title><main><!--lowtide:summary--></main><script "
    "type=\"application/json\"><!--lowtide:data--></script>";

nlohmann::json data_of(const model::Report& report, const model::Trace& trace,
                       const model::Profile& profile = {}) {
  return nlohmann::json::parse(page_data({report, trace, profile}));
}

std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(PageData, only_the_page_of_a_running_job_fetches_itself_again) {
  const model::Report report;
  EXPECT_TRUE(data_of(report, {}).at("again_s").is_null());
  EXPECT_EQ(nlohmann::json::parse(page_data({report, {}, {}, 5})).at("again_s"), 5);
  constexpr std::string_view kPolicy = "<meta content=\"connect-src <!--lowtide:connect-->\">";
  EXPECT_THAT(to_page(kPolicy, {report, {}, {}}), HasSubstr("connect-src 'none'"));
  EXPECT_THAT(to_page(kPolicy, {report, {}, {}, 5}), HasSubstr("connect-src 'self'"));
}

TEST(Page, table_can_be_scrolled_by_keyboard) {
  const std::string html = page_summary(watched_leak_report());

  EXPECT_EQ(count_of(html, "class=\"scroll\""), count_of(html, "tabindex=\"0\""));
  EXPECT_THAT(html,
              HasSubstr("id=\"process-table\" role=\"region\" tabindex=\"0\" aria-label=\"Processes\""));
}

TEST(Markup, what_stands_in_backticks_is_code_and_no_markup_of_its_own) {
  EXPECT_EQ(markup_sentence("call `a.clear()` or `del b[:-1]`."),
            "call <code>a.clear()</code> or <code>del b[:-1]</code>.");
  EXPECT_EQ(markup_sentence("`<b>` and one ` left"), "<code>&lt;b&gt;</code> and one ` left");
  EXPECT_EQ(markup_sentence(""), "");
}

TEST(Base64, is_that_of_the_standard) {
  const auto of = [](std::string_view text) {
    return to_base64(std::vector<std::uint8_t>(text.begin(), text.end()));
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(Base64, numbers_are_little_endian) {
  EXPECT_EQ(to_base64(std::vector<std::uint32_t>{0x04030201U}), "AQIDBA==");
  EXPECT_EQ(to_base64(std::vector<float>{1.0F}), "AACAPw==");
}

TEST(HtmlText, markup_becomes_text) {
  EXPECT_EQ(markup_text("<b a=\"x\" c='y'>&"), "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;");
  EXPECT_EQ(markup_text("a\x1b[31mb"), "a?[31mb");
}

TEST(HtmlText, lines_of_code_stay_lines) {
  EXPECT_EQ(markup_lines("a < b\nc"), "a &lt; b\nc");
}

TEST(PageData, script_cannot_be_ended_from_within) {
  EXPECT_EQ(json_for_script("{\"a\":\"</script><!--\"}"), "{\"a\":\"\\u003c/script>\\u003c!--\"}");
}

TEST(PageData, processes_that_are_read_together_share_their_times) {
  model::Trace trace;
  trace.counters = {{1, "memory", {{0.5, 1000}, {1.5, 2000}}},
                    {2, "memory", {{0.5, 5}, {1.5, 6}}},
                    {2, "resident", {{0.5, 5}, {1.5, 6}}, model::CounterKind::Resident},
                    {3, "memory", {{0.5, 5}}}};

  const auto data = data_of(watched_leak_report(), trace);

  EXPECT_EQ(data["times"].size(), 2U);
  EXPECT_EQ(data["times"][0], to_base64(std::vector<std::uint32_t>{500, 1500}));
  ASSERT_EQ(data["counters"].size(), 3U);  // resident memory is not drawn
  EXPECT_EQ(data["counters"][0]["times"], data["counters"][1]["times"]);
  EXPECT_EQ(data["counters"][1]["values"], to_base64(std::vector<float>{5, 6}));
  EXPECT_EQ(data["thinned"], false);
}

TEST(PageData, long_run_is_thinned_and_marked_as_such) {
  model::Trace trace;
  trace.counters = {{1, "memory", {}}};
  for (int at = 0; at < 10'000; ++at) trace.counters[0].points.push_back({at * 0.1, at == 77 ? 9.0 : 1.0});
  const model::Report report = watched_leak_report();

  const auto data = nlohmann::json::parse(page_data({report, trace, {}}, 2000));

  EXPECT_EQ(data["thinned"], true);
  EXPECT_EQ(data["readings"], 10'000);
  EXPECT_LE(data["counters"][0]["values"].get<std::string>().size(), 2000U * 4 * 4 / 3 + 4);
}

TEST(PageData, time_out_of_range_is_clamped) {
  model::Trace trace;
  trace.counters = {{1, "memory", {{-1, 1}, {1e300, 1}}}};

  EXPECT_EQ(data_of(watched_leak_report(), trace)["times"][0],
            to_base64(std::vector<std::uint32_t>{0, UINT32_MAX}));
}

TEST(PageData, frame_is_written_once) {
  model::Profile profile;
  const model::Frame frame{model::FrameLanguage::Python, "validate", "train.py", 47, ""};
  profile.samples = {{1, {frame, frame}, 100, 1, 100, 50}, {1, {frame}, 0, 0, 100, 0}};

  const auto data = data_of(watched_leak_report(), {}, profile);

  EXPECT_EQ(data["frames"].size(), 1U);
  ASSERT_EQ(data["profile"].size(), 1U);  // nothing is left of the second
  EXPECT_EQ(data["profile"][0]["frames"], nlohmann::json::array({0, 0}));
}

TEST(Page, hostile_names_are_only_text) {
  model::Report report = watched_leak_report();
  report.source.command = kAttack;
  report.verdict.reason = kAttack;
  report.runs.front().series.front().verdict.reason = kAttack;
  for (model::ProcessReport& process : report.processes) process.info.command = kAttack;
  report.events.push_back({.kind = model::EventKind::Exit, .at_s = 1, .text = std::string(kAttack)});
  model::Finding finding;
  finding.title = finding.fix = finding.hint = finding.watch = kAttack;
  finding.evidence = {std::string(kAttack)};
  finding.where = {std::string(kAttack), 1, std::string(kAttack), std::string(kAttack)};
  report.findings.insert(report.findings.begin(), finding);
  model::Trace trace;
  trace.command = kAttack;
  trace.processes = {{1, std::string(kAttack)}};
  trace.counters = {{1, std::string(kAttack), {{0, 1}}}};
  trace.spans = {{1, "phases", std::string(kAttack), 0, 1}};
  model::Profile profile;
  profile.samples = {
      {1, {{model::FrameLanguage::Python, std::string(kAttack), std::string(kAttack), 1, ""}}, 1, 1, 1, 1}};

  const std::string page = to_page(kTemplate, {report, trace, profile});

  EXPECT_EQ(count_of(page, "<script"), 1U);
  EXPECT_EQ(count_of(page, "</script"), 1U);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
}

TEST(Page, mark_in_a_name_is_not_filled) {
  model::Report report = watched_leak_report();
  report.source.command = "<!--lowtide:summary-->";

  const std::string page = to_page(kTemplate, {report, {}, {}});

  EXPECT_EQ(count_of(page, "id=\"verdict\""), 1U);
}

TEST(Page, summary_needs_no_script) {
  const model::Report report = watched_leak_report();

  const std::string html = page_summary(report);

  EXPECT_THAT(html, HasSubstr("class=\"verdict leak\""));
  EXPECT_THAT(html, HasSubstr("Findings"));
  EXPECT_THAT(html, HasSubstr("Processes"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

TEST(Page, fix_and_code_of_a_finding_are_shown) {
  model::Report report = watched_leak_report();
  model::Finding finding;
  finding.title = "val_losses keeps every loss";
  finding.fix = "keep .item() only";
  finding.hint = "val_losses.append(loss.item())\n# not loss";
  finding.watch = "the floor stays";
  report.findings = {finding};

  const std::string html = page_summary(report);

  EXPECT_THAT(html, HasSubstr("Keep .item() only."));
  EXPECT_THAT(html, HasSubstr("<pre>val_losses.append(loss.item())\n# not loss</pre>"));
  EXPECT_THAT(html, HasSubstr("The floor stays."));
}

TEST(Page, comparison_has_the_stacks_of_both_runs) {
  model::Comparison comparison;
  comparison.before = comparison.after = watched_leak_report();
  comparison.outcome = model::ChangeOutcome::Better;
  comparison.reason = "the leak is gone";
  comparison.before.source.steps = 200;
  comparison.after.source.steps = 100;
  comparison.after.source.command = kAttack;
  const model::Frame keep{model::FrameLanguage::Python, "keep", "train.py", 47, ""};
  const model::Frame attack{model::FrameLanguage::Python, std::string(kAttack), "train.py", 48, ""};
  model::Profile before;
  before.samples = {{1, {keep}, 100, 1, 100, 50}};
  model::Profile after;
  after.samples = {{7, {attack}, 10, 1, 10, 5}};

  const std::string page = to_page(kTemplate, comparison, before, after);

  EXPECT_THAT(page, HasSubstr("class=\"verdict stable comparison\""));
  EXPECT_THAT(page, HasSubstr("the leak is gone"));
  EXPECT_EQ(count_of(page, "<script"), 1U);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  constexpr std::string_view kBegin = "application/json\">";
  const std::size_t begin = page.find(kBegin) + kBegin.size();
  const auto data = nlohmann::json::parse(page.substr(begin, page.rfind("</script>") - begin));
  EXPECT_EQ(data["baseline"]["growth_scale"], 0.5);
  EXPECT_EQ(data["baseline"]["profile"][0]["growth_bytes"], 50);
  EXPECT_EQ(data["profile"][0]["growth_bytes"], 5);
  EXPECT_EQ(data["frames"].size(), 2U);
}

TEST(Page, report_of_nothing_is_a_page_too) {
  EXPECT_THAT(to_page(kTemplate, {model::Report{}, {}, {}}), HasSubstr("\"schema\""));
}

}  // namespace
}  // namespace lowtide::show

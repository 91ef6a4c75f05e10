#include "cli/output/served_report.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "cli/input/report_recording.h"
#include "cli/output/page_output.h"
#include "serve/accept.h"
#include "show/export/openmetrics.h"
#include "show/json/json.h"
#include "show/markup.h"
#include "show/terminal/text.h"
#include "watch/watch.h"

namespace lowtide::cli {
namespace {

// The report of a long run takes time: at most a tenth of the time is spent on reports, whatever the number
// of requests.
constexpr double kAtLeastS = 1;
constexpr double kTimesItsCost = 10;

constexpr int kReloadS = 5;

// The page of a lowtide that was built without the HTML page. It reloads itself and runs no script.
std::string plain_page_of(const model::Report& report) {
  constexpr std::size_t kWidth = 110;
  constexpr std::size_t kMostBytes = 1'000'000;
  return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta http-equiv=\"refresh\" content=\"" +
         std::to_string(kReloadS) +
         "\"><title>lowtide</title><style>:root{color-scheme:light dark}pre{font:14px/1.2 "
         "monospace}</style></head>"
         "<body><pre>" +
         show::markup_lines(show::to_text(report, {.width = kWidth}), kMostBytes) + "</pre></body></html>\n";
}

}  // namespace

ServedReport::ServedReport(std::string path, std::optional<std::uint64_t> limit_bytes, serve::Gate gate,
                           std::function<double()> unix_clock)
    : path_(std::move(path)),
      limit_bytes_(limit_bytes),
      gate_(std::move(gate)),
      unix_clock_(std::move(unix_clock)) {}

void ServedReport::refresh() {
  const double began_s = base::steady_seconds();
  if (report_ && began_s < next_s_) return;
  auto made = report_recording(path_, limit_bytes_, unix_clock_());
  // If the recording cannot be read for a moment, the last report stays.
  if (auto* report = std::get_if<model::Report>(&made)) {
    report_ = std::move(*report);
    page_.reset();
  }
  const double took_s = base::steady_seconds() - began_s;
  next_s_ = began_s + std::max(kAtLeastS, kTimesItsCost * took_s);
}

serve::Response ServedReport::answer(const serve::Request& request) {
  const serve::Decision decision = serve::decide(request, gate_);
  if (decision.status != 200) return serve::bare_response(decision.status);
  refresh();
  if (!report_) return serve::bare_response(503);
  switch (decision.resource) {
    case serve::Resource::Report:
      return {.type = "application/json", .body = show::to_json(*report_)};
    case serve::Resource::Metrics:
      return metrics(request);
    case serve::Resource::Page:
      break;
  }
  return page();
}

serve::Response ServedReport::metrics(const serve::Request& request) const {
  if (serve::prefers_over_plain_text(request.accept, "application/openmetrics-text"))
    return {.type = show::kOpenMetricsType, .body = show::to_openmetrics(*report_)};
  return {.type = show::kPrometheusTextType, .body = show::to_prometheus_text(*report_)};
}

serve::Response ServedReport::page() {
  serve::Response out{.type = "text/html; charset=utf-8"};
  if (find_page_missing()) {
    out.body = plain_page_of(*report_);
    return out;
  }
  if (!page_) {
    const double began_s = base::steady_seconds();
    auto made = make_page(path_, *report_,
                          report_->ending == model::Ending::Running ? std::optional(kReloadS) : std::nullopt);
    if (std::holds_alternative<console::UserError>(made)) return serve::bare_response(503);
    page_ = std::move(std::get<std::string>(made));
    next_s_ += kTimesItsCost * (base::steady_seconds() - began_s);
  }
  out.body = *page_;
  out.policy = "frame-ancestors 'none'";  // the page has its own policy, with the hash of its script
  return out;
}

}  // namespace lowtide::cli

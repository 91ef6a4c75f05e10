// The metrics of a report, in the two formats that scrapers read: OpenMetrics, and the older text format of
// Prometheus. They differ in the type of the verdict, in the units and in the last line.
//
// Numbers only: no name, path or command of the job. There is no pid either, because a new worker would start
// a new series. Processes are added up by role.
#pragma once

#include <string>

#include "model/report.h"

namespace lowtide::show {

inline constexpr const char* kOpenMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";
inline constexpr const char* kPrometheusTextType = "text/plain; version=0.0.4; charset=utf-8";

std::string to_openmetrics(const model::Report& report);
std::string to_prometheus_text(const model::Report& report);

}  // namespace lowtide::show

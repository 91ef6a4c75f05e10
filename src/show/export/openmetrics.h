// The report as OpenMetrics, for Prometheus and its kin.
//
// Numbers only: no name, path or command of the job, and no pid, so that a series does not begin anew with
// every worker. Processes are added up by role.
#pragma once

#include <string>

#include "model/report.h"

namespace lowtide::show {

inline constexpr const char* kOpenMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

std::string to_openmetrics(const model::Report& report);

}  // namespace lowtide::show

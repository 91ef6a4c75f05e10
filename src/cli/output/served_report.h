// The answers of `serve`: the report of a recording, updated as the recording grows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "model/report.h"
#include "serve/access.h"
#include "serve/request.h"
#include "serve/response.h"

namespace lowtide::cli {

class ServedReport {
 public:
  ServedReport(std::string path, std::optional<std::uint64_t> limit_bytes, serve::Gate gate,
               std::function<double()> unix_clock = base::unix_seconds);

  serve::Response answer(const serve::Request& request);

 private:
  void refresh();
  [[nodiscard]] serve::Response metrics(const serve::Request& request) const;
  serve::Response page();

  std::string path_;
  std::optional<std::uint64_t> limit_bytes_;
  serve::Gate gate_;
  std::function<double()> unix_clock_;
  std::optional<model::Report> report_;
  std::optional<std::string> page_;  // of that report
  double next_s_ = 0;
};

}  // namespace lowtide::cli

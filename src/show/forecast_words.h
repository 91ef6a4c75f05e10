// When the memory reaches its limit, as one clause in the tense that fits the job.
#pragma once

#include <optional>
#include <string>

#include "model/report.h"

namespace lowtide::show {

// What the job can still take until the limit is reached.
std::uint64_t bytes_left(const model::Forecast& forecast, const model::SeriesReport& series);

// False where the memory ran out, or where its growth ends: then a forecast is of no use.
bool has_forecast(const model::Report& report);

enum class ForecastDetail { Interval, Estimate };

// "the job would have reached the limit (32 GiB) at step 1,930 (1,700 to 2,200), 3.2 h later"; of a job that
// runs "the job reaches the limit (32 GiB) at step 1,930 (1,700 to 2,200), in about 3.2 h". `limit` is that
// of the report, where it is known.
std::string forecast_words(const model::Forecast& forecast, const model::SeriesReport& series,
                           model::Ending ending, const std::optional<model::Limit>& limit = {},
                           ForecastDetail detail = ForecastDetail::Interval);

}  // namespace lowtide::show

// A verdict in words: the sentences that all formats of a report share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report.h"

namespace lowtide::show {

// The series that the answer names beside the speaking one; null = none.
const model::SeriesReport* find_second(const model::Report& report);

// A stable series whose floor is lower at the end.
bool has_fallen(const model::Verdict& verdict);

// Where the report stands to its limit when there is no forecast: "32 GiB: the peak is 40% of it".
std::string limit_words(const model::Limit& limit, const model::SeriesReport& series);

// A confidence: "97%", ">99%"; never "100%", because no verdict from a series is that sure. Shares of memory
// are written by base::format_share().
std::string percent(double confidence);

// "free memory kept by the allocator"
std::string_view mechanism_words(model::Mechanism mechanism);

// Of an inconclusive verdict: "may be a leak (73%)", "too early to say".
std::string lean_words(const model::Lean& lean);

// Growth of the floor: "393 kB/step", "12.0 MB/min". Empty without a rate.
std::string rate_words(const model::SeriesReport& series);

// One cell of a table: "warmup, ended at step 85", "inconclusive, may be a leak (73%)".
std::string brief(const model::SeriesReport& series);

// "step 1,930", or "6.5 min" where there are no steps; empty when neither is known.
std::string place(const model::Mark& mark);

// Growth in the multiple that reads best, with its interval:
// "1.65 GB per 10 steps (1.60 GB to 1.71 GB), 165 MB per step". Empty without a rate.
std::string growth(const model::SeriesReport& series);

// The same without interval and second form: "1.65 GB per 10 steps".
std::string short_growth(const model::SeriesReport& series);

// "1.24 GB".
std::string bytes_words(std::uint64_t bytes);

// "+1.24 GB", "-3.00 MB", "0 B".
std::string signed_bytes(std::int64_t bytes);

// "+1,234", "-5", "0".
std::string signed_count(std::int64_t count);

// "steps 10 to 240", "6.5 min", or empty.
std::string extent(const model::SeriesReport& series);

// Why the first series of a run decides its verdict; empty when it is the only one.
std::string why_primary(const model::RunReport& run);

// What the reader should do now: one sentence, from the verdict alone.
std::string advice(const model::Report& report);

// The series that gave the report's verdict; absent when the log holds no run.
const model::SeriesReport* speaker(const model::Report& report);

// "5.43 GB → 17.0 GB"
std::string floor_words(const model::Floor& floor);

// The series of the tree itself, also if the verdict is that of a GPU.
const model::SeriesReport* tree_series(const model::Report& report);

// "worker 3", "trainer"; "process" for one without a role.
std::string role_name(const model::ProcessInfo& info);

// "the cgroup's limit", "the memory of the host", or nothing where the user said it.
std::string limit_source_suffix(const model::Limit& limit);

// When an event was: "line 12" of a log, "at 3.5 min" of a recording.
std::string event_place(const model::Event& event);

// The path for people; "standard input" for "-".
std::string source_name(const model::Source& source);

// What the report is about: the job that was run, or the path.
std::string subject(const model::Source& source);

// "fragmentation: 3%"
std::string excluded_words(const model::ExcludedCause& cause);
std::vector<std::string> excluded_words(const std::vector<model::ExcludedCause>& causes);

// The sentences of evidence.
std::vector<std::string> texts_of(const std::vector<model::Observation>& evidence);

// With a capital first, unless the first word is a name of the job such as "train.py:30", and a full stop
// last.
std::string sentence(std::string text);

}  // namespace lowtide::show

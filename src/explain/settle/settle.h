// The one place where the verdict of a series becomes the verdict of the report.
//
// A series that rises for 300 steps may be a leak, or a warm-up that ends at step 400: the numbers
// alone cannot decide. Other evidence can: a list that only gains, a line whose blocks are never
// freed, workers that copy shared pages. Each kind of evidence is a rule, a function that returns an
// Argument and changes nothing. settle() weighs the arguments by one table (settle.cpp): when an
// argument counts, what it makes of the verdict, and how sure that is. It is used for the tree, for
// processes, sites and GPUs, and for the series of a log.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/verdict.h"

namespace lowtide::explain {

enum class ArgumentKind {
  RunGoesOn,           // a series that is a leak only if the run has ended
  TooFewReadings,      // of a process
  NotWatchedToEnd,     // a site whose agent left early
  SmallGrowth,         // beside the size of the tree
  ProcessCount,        // more and more processes
  LeakBesideReplaced,  // one process leaks, beside forked workers that are replaced
  Sites,               // lines whose blocks are not freed
  FirstTouch,          // memory that was allocated earlier is written for the first time
  Retention,           // resident memory grows, live memory does not
  LeakingProcess,      // one process leaks, and the tree grew by it
  CopyOnWrite,         // shared pages become private
  NoProcessGrows,      // the tree leans to a leak, none of its processes does
  CacheStillFilling,   // a bounded cache below its bound
  HolderSlows,         // a variable that gains less and less
  HolderKeeps,         // a variable that only gains
  DeviceHolderKeeps,   // the same, of GPU memory
  NextStair,           // memory rose in stairs, each larger and later, and the next one may come
  TreeIsFlat,          // a site in a tree that does not leak
  TreeLeaks,           // a site that seems flat and allocated nearly all of what a leaking tree gained
  NoReading,
  OtherSeries,  // another series of the same run that must not be overlooked
};

struct Argument {
  ArgumentKind rule{};
  std::string reason = {};          // replaces the reason of the verdict or is added to it: see the table
  bool is_reason_on_floor = false;  // as in a verdict
  std::optional<model::Needs> needs = std::nullopt;       // what would settle an open verdict
  std::optional<double> confidence = std::nullopt;        // where the table has none
  std::optional<model::VerdictKind> kind = std::nullopt;  // SmallGrowth only: stable or spikes
  bool beats_warmup = true;  // false: does not count where the series leans to a warm-up
  // Sites: the verdict of the largest line, for its rate where the series has none that rises.
  std::optional<model::Verdict> of_site = std::nullopt;
  // LeakingProcess: the verdict of that process, for its rate.
  std::optional<model::Verdict> of_process = std::nullopt;
  // The process whose evidence it is, where several processes argue about one tree. 0: the series' own.
  std::int64_t source_pid = 0;
};

// The verdict of the series after all arguments, in the order of the table.
model::Verdict settle(model::Verdict series, std::span<const Argument> arguments);

// The same for at most one argument.
model::Verdict settle(model::Verdict series, const std::optional<Argument>& argument);

// How sure a leak is that allocation samples show.
double confidence_of_samples(double samples, bool has_steps);

}  // namespace lowtide::explain

// The descriptions of the smaller objects of a report.
#pragma once

#include "model/gate.h"
#include "model/report.h"
#include "show/gate.h"
#include "show/json/fields.h"
#include "show/json/formats.h"
#include "show/json/verdict.h"

namespace lowtide::show {

constexpr auto describe(Tag<model::Source>) {
  using model::Source;
  return object(
      "Source", "what the report was made from", field<&Source::type>("type", "what it is"),
      field<&Source::path>("path", "the file; `-`: standard input"),
      field<&Source::started>("started", "when the run began, RFC 3339"),
      field_as<Seconds, &Source::duration_s>("duration_s", "how long it was watched"),
      field<&Source::steps>("steps", "how many steps it made"),
      field_as<NonEmpty, &Source::format>("format", "what the log was recognised as; null: several or none"),
      field<&Source::bytes>("bytes", "size of the input"), field<&Source::lines>("lines", "lines of a log"),
      only(
          "recording", +[](const Source& source) { return source.type == model::SourceType::Recording; },
          field_as<NonEmpty, &Source::command>("command", "what was run")));
}

constexpr auto describe(Tag<model::SeriesReport>) {
  using model::SeriesReport;
  return object("RunSeries", "one series of readings in a run of a log",
                field<&SeriesReport::name>("name", "what was read: `process memory`, `GPU 0 used`"),
                field<&SeriesReport::pid>("pid", "the process, where the log names it"),
                field<&SeriesReport::last_bytes>("last_bytes", "the last reading"),
                field<&SeriesReport::peak_bytes>("peak_bytes", "the highest reading"),
                field<&SeriesReport::limit_bytes>("limit_bytes", "the limit or total that the log names"),
                field<&SeriesReport::forecast>("forecast", "when it reaches a limit"),
                field<&SeriesReport::verdict>("verdict", "of this series"));
}

constexpr auto describe(Tag<model::RunReport>) {
  using model::RunReport;
  return object("Run", "a run or a restart inside a log", field<&RunReport::name>("name", "its name"),
                field<&RunReport::first_line>("first_line", "its first line in the log"),
                field<&RunReport::last_line>("last_line", "its last line"),
                field("verdict", "of the first series",
                      [](const RunReport& run) {
                        return run.series.empty() ? model::Verdict{} : run.series.front().verdict;
                      }),
                field<&RunReport::series>("series", "the series that the verdict is of first"));
}

constexpr auto describe(Tag<model::MechanismShare>) {
  using model::MechanismShare;
  return object("GrowthPart", "a part of the growth with one cause",
                field<&MechanismShare::mechanism>("mechanism", "why it grew"),
                field<&MechanismShare::bytes>("bytes", "by how much"),
                field_as<Share, &MechanismShare::share>("share", "its part of the growth, 0 to 1"));
}

constexpr auto describe(Tag<model::Frame>) {
  using model::Frame;
  return object("Frame", "one call of a stack", field<&Frame::language>("language", "of the code"),
                field_as<NonEmpty, &Frame::function>("function", "null where it is not known"),
                field_as<NonEmpty, &Frame::file>("file", "the source file, null where it is not known"),
                field_as<NonZero, &Frame::line>("line", "null where it is not known"),
                field_as<NonEmpty, &Frame::module>("module", "of native code: the library or program"));
}

constexpr auto describe(Tag<model::SiteReport>) {
  using model::SiteReport;
  return object(
      "Site", "a line that allocates, with all stacks of one process that lead to it",
      field<&SiteReport::pid>("pid", "its process"),
      field<&SiteReport::verdict>("verdict", "of the live bytes"),
      field<&SiteReport::live_bytes>("live_bytes", "allocated here and not freed at the end, an estimate"),
      field<&SiteReport::growth_bytes>("growth_bytes", "by how much that grew during the run"),
      field<&SiteReport::error_bytes>("error_bytes", "one standard error of the growth"),
      field_as<Share, &SiteReport::share>(
          "share",
          "its part of the growth of all live memory, which is less than the growth of resident "
          "memory: allocators keep free memory between blocks"),
      field<&SiteReport::live_samples>("live_samples", "samples that the live bytes were estimated from"),
      field<&SiteReport::allocated_bytes>("allocated_bytes", "all that was ever allocated here"),
      field<&SiteReport::stacks>("stacks", "how many stacks lead to the line"),
      field("act_on",
            "the index of the frame to look at: the innermost call of the user's own Python code or native "
            "module",
            [](const SiteReport& site) {
              return site.frames.empty() ? std::nullopt : std::optional(site.act_on);
            }),
      field_as<NonEmpty, &SiteReport::native_function>(
          "native_function", "the C function that this line called through ctypes or cffi: `malloc`"),
      field<&SiteReport::frames>("frames", "the stack that grew most, innermost frame first"),
      field<&SiteReport::cut>("cut", "whether the stack has more frames outside"));
}

constexpr auto describe(Tag<model::PhaseReport>) {
  using model::Phase;
  using model::PhaseReport;
  constexpr auto kPhase = &PhaseReport::phase;
  return object("Phase", "a phase of the training",
                field<kPhase, &Phase::name>("name", "`train`, `eval`, `checkpoint`, or the job's own word"),
                field<&PhaseReport::pid>("pid", "its process"),
                field<kPhase, &Phase::count>("count", "visits"),
                field_as<NonZero, kPhase, &Phase::peak_bytes>(
                    "peak_bytes", "the most that was resident at a reading in it; null without a reading"),
                field<kPhase, &Phase::kept_bytes>("kept_bytes", "allocated in it and not freed later"),
                field_as<Number, kPhase, &Phase::took_s>(
                    "took_s", "total time of its visits, to within the time between two readings"));
}

constexpr auto describe(Tag<model::Event>) {
  using model::Event;
  return object("Event", "something that happened to the job", field<&Event::kind>("kind", "what happened"),
                field_as<Seconds, &Event::at_s>("at_s", "when"),
                field<&Event::line>("line", "the line of the log; 0: of a recording"),
                field<&Event::text>("text", "in words, or as the log has it"));
}

constexpr auto describe(Tag<model::OverheadReport>) {
  using model::OverheadReport;
  return object(
      "Overhead", "what the measurement itself cost",
      field_as<Number, &OverheadReport::monitor_cpu_share>(
          "monitor_cpu_share", "time of the monitor, as a share of one processor"),
      field<&OverheadReport::monitor_rss_bytes>("monitor_rss_bytes", "memory of the monitor"),
      field<&OverheadReport::samples_lost>("samples_lost", "readings of the whole job that are missing"),
      field<&OverheadReport::agent>("agent", "`off`, `on` or `switched-off`"),
      field_as<NonEmpty, &OverheadReport::note>("note",
                                                "why the agent was switched off, or another remark on it"),
      field<&OverheadReport::not_entered>(
          "not_entered", "processes of the job that the agent could not enter, and why; at most 100"),
      field<&OverheadReport::not_entered_count>("not_entered_count", "how many these are in all"),
      field<&OverheadReport::allocation_samples>("allocation_samples", "of the agent, in all processes"),
      field<&OverheadReport::allocation_samples_dropped>("allocation_samples_dropped", "of these, lost"),
      field_as<Number, &OverheadReport::sampling_s>("sampling_s", "time of the job spent with samples"),
      field_as<Number, &OverheadReport::asking_s>(
          "asking_s",
          "time of the job spent with steps, phases and counters, without the few microseconds at "
          "each step"),
      field<&OverheadReport::snapshots>("looks", "the same as `snapshots`"),
      field<&OverheadReport::snapshots>("snapshots", "heap snapshots of the Python processes"),
      field_as<Number, &OverheadReport::asking_s>("interpreter_s", "the same as `asking_s`"),
      field_as<Number, &OverheadReport::pauses_s>("pauses_s", "the same as `snapshot_pauses_s`"),
      field_as<Number, &OverheadReport::pauses_s>(
          "snapshot_pauses_s", "how long the Python processes were stopped for snapshots"));
}

constexpr auto describe(Tag<model::Warning>) {
  using model::Warning;
  return object("Warning", "what was in the input and was not used, or was assumed",
                field<&Warning::text>("text", "one sentence"), field<&Warning::count>("count", "how often"),
                field<&Warning::first_line>("first_line", "the line where it was first; 0: none"));
}

constexpr auto describe(Tag<model::ShortLived>) {
  using model::ShortLived;
  return object(
      "ShortLived", "processes that ended too soon to be judged one by one",
      field<&ShortLived::count>("count", "those that were read at least once"),
      field<&ShortLived::largest_bytes>("largest_bytes", "the most that one of them had"),
      field<&ShortLived::unseen_at_least>("unseen_at_least", "lived between two readings: at least as many"),
      field<&ShortLived::unseen_at_most>("unseen_at_most",
                                         "at most as many: the pids that the kernel gave out, which includes "
                                         "threads and processes of other jobs"));
}

constexpr auto describe(Tag<model::TrimReport>) {
  using model::TrimReport;
  using model::TrimTrial;
  constexpr auto kTrial = &TrimReport::trial;
  return object(
      "TrimTrial", "what happened when the allocator of a process was asked to return free memory",
      field<&TrimReport::pid>("pid", "its process"),
      field_as<Seconds, kTrial, &TrimTrial::at_s>("at_s", "when"),
      field<kTrial, &TrimTrial::outcome>("outcome",
                                         "`no-trim`: the allocator has no malloc_trim; `not-reached`: no "
                                         "thread allocated in time"),
      field<kTrial, &TrimTrial::rss_before_bytes>("rss_before_bytes", "resident memory before"),
      field<kTrial, &TrimTrial::rss_after_bytes>("rss_after_bytes", "resident memory after"),
      field("given_back_bytes", "the difference; 0 where it rose meanwhile",
            [](const TrimReport& report) { return model::given_back_bytes(report.trial); }),
      field_as<Number, kTrial, &TrimTrial::trim_s>("trim_s", "time in malloc_trim"),
      field_as<Seconds, kTrial, &TrimTrial::inspect_s>("inspect_s",
                                                       "time in mallinfo2, glibc 2.33 and later"),
      field<kTrial, &TrimTrial::arena_bytes>("arena_bytes", "what malloc had from the kernel before"),
      field<kTrial, &TrimTrial::free_bytes>("free_bytes", "of these, in no block"),
      field<kTrial, &TrimTrial::mapped_bytes>("mapped_bytes", "in blocks with a mapping of their own"));
}

constexpr auto describe(Tag<model::Reconciliation>) {
  using model::Reconciliation;
  return object("Reconciliation",
                "where the memory of the cgroup went: tree + cache + kernel + rest = current",
                field_as<Seconds, &Reconciliation::at_s>("at_s", "when"),
                field<&Reconciliation::exact>("exact", "whether PSS of the tree was read at that moment"),
                field<&Reconciliation::tree_bytes>("tree_bytes", "the process tree"),
                field<&Reconciliation::cache_bytes>("cache_bytes", "page cache"),
                field<&Reconciliation::kernel_bytes>("kernel_bytes", "memory of the kernel"),
                field<&Reconciliation::current_bytes>("current_bytes", "what the cgroup counts"),
                field<&Reconciliation::rest_bytes>("rest_bytes",
                                                   "others in the cgroup, or differences of the readings"));
}

constexpr auto describe(Tag<model::RuleResult>) {
  using model::Rule;
  using model::RuleResult;
  return object(
      "Rule", "a rule of `check` and its result", field<&RuleResult::rule, &Rule::kind>("rule", "which rule"),
      field<&RuleResult::rule, &Rule::words>("given", "as it was given: `--budget 20G`"),
      field<&RuleResult::outcome>("outcome", "the result: `kept` is pass, `broken` is fail"),
      field("result", "the result", [](const RuleResult& result) { return rule_passed(result.outcome); }),
      field<&RuleResult::why>("why", "one sentence with the numbers"));
}

constexpr auto describe(Tag<model::Gate>) {
  using model::Gate;
  return object(
      "Gate", "the rules that `check` was given",
      field("outcome", "the worst of the rules: `kept` is pass, `broken` is fail",
            [](const Gate& gate) { return gate.outcome(); }),
      field("result", "the worst of the rules", [](const Gate& gate) { return rule_passed(gate.outcome()); }),
      field<&Gate::results>("rules", "each rule"));
}

}  // namespace lowtide::show

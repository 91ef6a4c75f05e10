// The description of a finding.
#pragma once

#include <cmath>
#include "model/finding.h"
#include "show/json/fields.h"
#include "show/json/formats.h"
#include "show/words.h"

namespace lowtide::show {

constexpr auto describe(Tag<model::Place>) {
  using model::Place;
  return object("Place", "where in the code of the job; null where it is not known",
                field<&Place::file>("file", "the source file"), field<&Place::line>("line", "its line"),
                field<&Place::function>("function", "the function around it"),
                field<&Place::holder>("holder", "the variable that keeps the memory, as Python writes it"));
}

constexpr auto describe(Tag<model::CodeLine>) {
  using model::CodeLine;
  return object(
      "CodeLine", "a line of the job's code",
      field<&CodeLine::role>("role", "what the line does with the memory"),
      field<&CodeLine::file>("file", "the source file"),
      field_as<NonZero, &CodeLine::line>("line", "its line"),
      field_as<NonEmpty, &CodeLine::function>("function", "the function around it"),
      field<&CodeLine::source>("source", "its text; null where the recording has no copy of the file"));
}

constexpr auto describe(Tag<model::MemoryPart>) {
  using model::MemoryPart;
  return object("MemoryPart", "a part of the memory at one moment",
                field<&MemoryPart::name>("name", "a variable in backticks, or a kind of memory"),
                field<&MemoryPart::bytes>("bytes", "its size"),
                field<&MemoryPart::what>("what", "what it is"),
                field<&MemoryPart::line>("line", "the line that allocates it; null where it is not known"),
                field("growth_per_step", "in bytes; null where only the whole is known to grow or not",
                      [](const MemoryPart& part) -> std::optional<std::int64_t> {
                        if (!part.growth_per_step) return std::nullopt;
                        return static_cast<std::int64_t>(std::llround(*part.growth_per_step));
                      }));
}

constexpr auto describe(Tag<model::FindingProcess>) {
  using model::FindingProcess;
  return object("FindingProcess", "the processes that a finding is about",
                field<&FindingProcess::role>("role", "what they are there for"),
                field("pid", "the first of them",
                      [](const FindingProcess& process) {
                        return process.pids.empty() ? std::optional<std::int64_t>() : process.pids.front();
                      }),
                field<&FindingProcess::pids>("pids", "all of them; they behave alike"));
}

// A finding has the line that allocates; the others are in `source_lines`.
inline std::optional<model::CodeLine> first_line(const model::Finding& finding) {
  return finding.lines.empty() ? std::nullopt : std::optional(finding.lines.front());
}

constexpr auto describe(Tag<model::Finding>) {
  using model::Finding;
  return object(
      "Finding", "a claim about the run, with its evidence",
      field<&Finding::id>("id", "the cause; several findings can have the same"),
      field<&Finding::severity>("severity", "how much it matters"),
      field<&Finding::title>("title", "one sentence"),
      field<&Finding::mechanism>("mechanism", "why resident memory grew"),
      field<&Finding::pid>("pid", "the process it is about"),
      field<&Finding::where>("where", "the place in the code"),
      field_as<Share, &Finding::share>("share", "the part of the growth of the floor that it explains"),
      field_as<Share, &Finding::confidence>("confidence", "the chance that it is right, 0 to 1"),
      field("evidence", "what was measured, a sentence each",
            [](const Finding& finding) { return texts_of(finding.evidence); }),
      field("excluded", "other causes, and their share of the growth",
            [](const Finding& finding) { return excluded_words(finding.excluded); }),
      field_as<NonEmpty, &Finding::fix>("fix", "what to do"),
      field_as<NonEmpty, &Finding::hint>("hint", "the fix as code"),
      field_as<NonEmpty, &Finding::watch>("watch", "what to expect after the fix"),
      field<&Finding::ruled_out>("ruled_out", "the same as `is_benign`"),
      field("line", "the line to look at first", [](const Finding& finding) { return first_line(finding); }),
      field_as<NonEmpty, &Finding::variable>("variable",
                                             "the variable that holds the memory, as the code writes it"),
      field<&Finding::process>("process", "the processes that it is about"),
      field<&Finding::parts>("parts", "of a failed CUDA allocation: what held the memory, most first"),
      field_as<NonEmpty, &Finding::phase>("phase", "the phase of the trainer that keeps the memory"),
      field<&Finding::lines>("source_lines", "the lines that allocate, store and create what is held"),
      field("ruled_out_causes", "the same as `excluded`",
            [](const Finding& finding) { return excluded_words(finding.excluded); }),
      field_as<NonEmpty, &Finding::hint>("example", "the same as `hint`"),
      field_as<NonEmpty, &Finding::watch>("expect_after_fix", "the same as `watch`"),
      field<&Finding::ruled_out>(
          "is_benign", "true: it is no fault of the job: the finding states what the cause is not"));
}

}  // namespace lowtide::show

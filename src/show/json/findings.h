// The description of a finding.
#pragma once

#include "model/finding.h"
#include "show/json/fields.h"
#include "show/json/formats.h"

namespace lowtide::show {

constexpr auto describe(Tag<model::Place>) {
  using model::Place;
  return object("Place", "where in the code of the job; null where it is not known",
                field<&Place::file>("file", "the source file"), field<&Place::line>("line", "its line"),
                field<&Place::function>("function", "the function around it"),
                field<&Place::holder>("holder", "the variable that keeps the memory, as Python writes it"));
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
      field<&Finding::evidence>("evidence", "what was measured, a sentence each"),
      field<&Finding::excluded>("excluded", "other causes that were measured and excluded, a sentence each"),
      field_as<NonEmpty, &Finding::fix>("fix", "what to do"),
      field_as<NonEmpty, &Finding::hint>("hint", "the fix as code"),
      field_as<NonEmpty, &Finding::watch>("watch", "what to expect after the fix"),
      field<&Finding::ruled_out>("ruled_out", "true: the finding says what the cause is not"));
}

}  // namespace lowtide::show

// The answer while there is only the series of the process tree: before the recording is judged for the first
// time, and where it cannot be read. In the words of the report, which make_report() takes from the same
// place.
#pragma once

#include <cstdint>

#include "model/judgement.h"
#include "model/tick.h"
#include "show/answer_words.h"

namespace lowtide::watch {

show::AnswerWords series_answer(const model::Judgement& judgement, const model::Tick& tick,
                                std::uint64_t peak_bytes);

}  // namespace lowtide::watch

// The answer of a report in words: the first line, the last line, and what the status line shows.
#pragma once

#include <string>

#include "model/report.h"
#include "show/terminal/paint.h"

namespace lowtide::show {

// "LEAK", "NO LEAK", "BOUNDED GROWTH", "OUT OF MEMORY", "INCONCLUSIVE".
std::string answer_label(const model::Answer& answer);

// What and where: "train.py:30 -> history", "297 MB in 3 processes".
// Short: without the object that a variable belongs to.
enum class SubjectForm { Whole, Short };
std::string answer_subject(const model::Report& report, SubjectForm form = SubjectForm::Whole);

// "+393 kB/step"; "flat" where memory does not grow.
std::string answer_rate(const model::Report& report);

// "93% sure"; of an inconclusive answer: "may be a leak (73%)".
std::string answer_confidence(const model::Report& report);

// "exit 1", "ended by SIGTERM"; empty if the job has not failed, or ran out of memory: then the answer says
// so.
std::string answer_failure(const model::Report& report);

// What the label is to the reader: a fault, none, or open.
Role answer_role(const model::Report& report);

// The label and how sure it is, for a line that has no room for more: "LEAK, 97% sure", "may be a leak
// (73%)", "NO LEAK, but GPU 0 may leak".
std::string answer_verdict(const model::Report& report);

// The parts of the first line. All are empty while there is no report.
struct AnswerWords {
  Role role = Role::Unsure;
  std::string label = {};
  std::string subject = {};  // short
  std::string cause = {};    // the line and the variable in it; empty: unknown
  std::string rate = {};
  std::string confidence = {};
  std::string verdict = {};  // as answer_verdict()
};
AnswerWords answer_words(const model::Report& report);

// "train.py:30 -> history, +393 kB/step"
std::string answer_sentence(const model::Report& report);

// The same behind the label: "LEAK  train.py:30 -> history, +393 kB/step"
std::string answer_line(const model::Report& report);

// The finding that the answer names; null: none.
const model::Finding* cause_of(const model::Report& report);

}  // namespace lowtide::show

// The numbers of a line of free text, each with what stands directly around it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "ingest/formats/shape_plan.h"

namespace lowtide::ingest {

struct Figure {
  std::size_t begin = 0;
  std::size_t end = 0;       // of the digits, or of the word that they are a piece of
  std::size_t unit_end = 0;  // of the unit; = end when there is none
  std::size_t phrase = 0;    // where its phrase begins
  NumberForm form = NumberForm::Digits;
  double unit = 0;
  bool percent = false;
  bool rate = false;
  bool delta = false;
  bool negative = false;
  bool word = false;   // "nan", "inf"
  bool piece = false;  // of something else: "1.2.3", "0x00", "38it", "319step"; its value is not known
};

// The numbers (and "nan", "inf") from `from` on, at most 128.
std::vector<Figure> find_figures(std::string_view text, std::size_t from);

struct LastWord {
  std::string_view word;
  std::string_view phrase;  // the last two words
  bool colon = false;       // ':' or '=' stands between it and the number
  bool adjacent = false;    // nothing but blanks and one mark stands between
};

// The word directly before a number.
LastWord word_before(std::string_view text, std::size_t begin, std::size_t from);

// Words after a number that say what it was: "5.2 GB used", "0.2GB of RSS RAM after 64".
std::string_view words_after(std::string_view text, std::size_t at);

// "10/663 [" of a bar and "[  300/14659]" of mmengine.
bool is_bar(std::string_view text, const Figure& step, const Figure& total);

// A count: no unit, no sign, no fraction.
bool is_whole(const Figure& figure);

Slot slot_of(const Figure& figure, Role role);

std::size_t word_end(std::string_view text, std::size_t at);

}  // namespace lowtide::ingest

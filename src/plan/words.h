// How numbers of a plan are written in its formulas.
#pragma once

#include <string>

namespace lowtide::plan {

// "663", "41.1 million", "3.00 billion".
std::string count_words(double count);

// "1 batch", "4 batches": `plural` is added to the noun unless the count is 1.
std::string counted_words(double count, const char* noun, const char* plural = "s");

// "0.5", "2.03", "8": three significant digits.
std::string factor_words(double factor);

}  // namespace lowtide::plan

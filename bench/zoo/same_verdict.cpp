// Prints what the readers of a recording say differently: the status line, the screen, /metrics and the
// report. Exit status 1 if there is such a difference.
#include <cstdio>

#include "cli/testing/said_verdict.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: same_verdict RECORDING\n", stderr);
    return 2;
  }
  const lowtide::cli::SaidVerdict said = lowtide::cli::said_by_all_at_the_end_of(argv[1]);
  for (const std::string& line : said.disagreements) std::puts(line.c_str());
  return said.disagreements.empty() ? 0 : 1;
}

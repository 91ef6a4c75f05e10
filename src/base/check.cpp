#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace lowtide::base {
namespace {

using Act = void (*)();

Act& last_act() {
  static Act act = nullptr;
  return act;
}

}  // namespace

void set_last_act(void (*act)()) {
  last_act() = act;
}

void fail_check(const char* file, int line, const char* what) {
  if (last_act() != nullptr) last_act()();
  std::fprintf(stderr,
               "lowtide: a bug in lowtide at %s:%d: %s\n  why:  an assumption in lowtide does not hold\n"
               "  try:  report it with the command and its input\n",
               file, line, what);
  std::_Exit(70);
}

}  // namespace lowtide::base

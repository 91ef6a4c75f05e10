#include "attach/safe_place.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lowtide::attach {
namespace {

// Functions of libc that may be on the stack: they wait, call back, start a thread, or
// do something without any lock. Everything else is left alone.
constexpr std::array<std::string_view, 82> kHarmless = {
    "__libc_start_main",
    "clone",
    "clone3",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "pthread_mutex_lock",
    "pthread_mutex_timedlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_barrier_wait",
    "pthread_join",
    "pthread_once",
    "sem_wait",
    "sem_timedwait",
    "sem_clockwait",
    "poll",
    "ppoll",
    "select",
    "pselect",
    "epoll_wait",
    "epoll_pwait",
    "nanosleep",
    "clock_nanosleep",
    "usleep",
    "sleep",
    "read",
    "write",
    "readv",
    "writev",
    "pread",
    "pread64",
    "pwrite",
    "pwrite64",
    "recv",
    "recvfrom",
    "recvmsg",
    "send",
    "sendto",
    "sendmsg",
    "accept",
    "accept4",
    "wait",
    "wait3",
    "wait4",
    "waitpid",
    "waitid",
    "ioctl",
    "flock",
    "syscall",
    "sched_yield",
    "qsort",
    "qsort_r",
    "bsearch",
    "clock_gettime",
    "gettimeofday",
    "pthread_mutex_unlock",
    "pthread_mutex_trylock",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_getspecific",
    "sem_post",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "strlen",
    "strcmp",
    // They hold the lock of a stream, which nobody needs.
    "fgets",
    "fread",
    "fgetc",
    "getc",
    "getchar",
    "getline",
    "getdelim",
    "uflow",
    "underflow",
    "fputs",
    "puts",
    "fwrite",
    "fflush",
    "putc",
};

bool is_harmless(std::string_view name) {
  if (name.starts_with("_IO_")) {
    return true;  // the inner functions of streams
  }
  const std::string_view bare = name.substr(std::min(name.find_first_not_of('_'), name.size()));
  return std::find(kHarmless.begin(), kHarmless.end(), name) != kHarmless.end() ||
         std::find(kHarmless.begin(), kHarmless.end(), bare) != kHarmless.end();
}

bool is_start(std::string_view name) {
  return name == "__libc_start_main" || name == "clone" || name == "__clone" || name == "clone3" ||
         name == "__clone3";
}

}  // namespace

std::string to_words(Place place) {
  switch (place) {
    case Place::Safe:
      return "safe";
    case Place::Cold:
      return "in code that was not analysed yet";
    case Place::Allocator:
      return "in the allocator";
    case Place::Loader:
      return "in the loader";
    case Place::Signal:
      return "in a signal handler";
    case Place::Libc:
      return "in a function of libc that may hold a lock";
    case Place::Agent:
      return "in the agent";
    case Place::Foreign:
      return "in code that cannot be unwound";
    case Place::StackEnded:
      return "too deep in calls";
    case Place::SmallStack:
      return "with too little stack left";
  }
  return "?";
}

symbols::FrameRule PlaceJudge::Rules::make_rule(symbols::Arch arch, std::uint64_t address) {
  if (const symbols::FrameRule* known = find(address)) {
    return *known;
  }
  if (!may_learn) {
    const auto place = image_.space().find(address);
    if (!place || place->image == nullptr || !warm_.contains(place->image)) {
      missed = true;
      return {.kind = symbols::FrameRule::Kind::NoCode};
    }
  }
  constexpr std::size_t kMostRules = 1U << 16U;
  if (known_.size() > kMostRules) {
    known_.clear();
  }
  symbols::FrameRule rule = image_.space().rule_at(arch, address);
  if (const auto place = image_.space().find(address); place && place->image != nullptr) {
    warm_.insert(place->image);
  }
  known_.emplace(address, rule);
  return rule;
}

const symbols::FrameRule* PlaceJudge::Rules::find(std::uint64_t address) const {
  const auto known = known_.find(address);
  return known == known_.end() ? nullptr : &known->second;
}

void PlaceJudge::Rules::forget() {
  known_.clear();
  warm_.clear();
}

void PlaceJudge::forget() {
  rules_.forget();
  rules_.forget_rules();
}

Place PlaceJudge::judge(const StackSample& sample) {
  return look(sample, false);
}

Place PlaceJudge::study(const StackSample& sample) {
  return look(sample, true);
}

Place PlaceJudge::look(const StackSample& sample, bool may_learn) {
  rules_.may_learn = may_learn;
  rules_.missed = false;
  const symbols::StackEnd end = unwinder_.unwind(to_registers(sample.registers), sample.stack, addresses_);
  if (rules_.missed) {
    rules_.forget_rules();  // it has kept the answer "no code"
    return Place::Cold;
  }
  // What is seen of an incomplete stack may be reason enough.
  const Place seen = judge_frames(sample);
  if (seen != Place::Safe || end == symbols::StackEnd::Outermost) {
    return seen;
  }
  return end == symbols::StackEnd::CopyEnded ? Place::StackEnded : Place::Foreign;
}

Place PlaceJudge::judge_frames(const StackSample& sample) const {
  const bool is_waiting = sample.call && is_waiting_call(*sample.call);
  // A lock of libc itself: malloc's, the loader's, that of the threads' stacks.
  if (sample.call &&
      (!is_waiting || (is_futex(*sample.call) && image_.is_loader_data(sample.call->arguments[0])))) {
    return Place::Libc;
  }
  for (std::size_t index = 0; index < addresses_.size(); ++index) {
    const std::uint64_t address = addresses_[index];
    const symbols::FrameRule* rule = rules_.find(address);
    if (rule == nullptr || rule->kind == symbols::FrameRule::Kind::NoRule) {
      return Place::Foreign;
    }
    if (rule->kind == symbols::FrameRule::Kind::SignalFrame) {
      return Place::Signal;
    }
    switch (image_.kind_at(address)) {
      case ModuleKind::Other:
        break;
      case ModuleKind::Loader:
        return Place::Loader;
      case ModuleKind::Allocator:
        return Place::Allocator;
      case ModuleKind::Agent:
        return Place::Agent;
      case ModuleKind::Unnamed:
        return Place::Foreign;
      case ModuleKind::Libc:
        if (const Place place = judge_libc(index, is_waiting); place != Place::Safe) {
          return place;
        }
        break;
    }
  }
  return begins_in_libc() ? Place::Safe : Place::Foreign;
}

// A distribution's libc has no names for its inner functions. They are allowed where
// their place on the stack says what they are: the inner part of a wait, in which the
// thread stands, and what starts a thread or main.
Place PlaceJudge::judge_libc(std::size_t index, bool is_waiting) const {
  const std::uint64_t address = addresses_[index];
  if (image_.is_in_libc_malloc(address)) {
    return Place::Allocator;
  }
  const std::string name = image_.libc_name_at(address);
  if (!name.empty()) {
    return is_harmless(name) ? Place::Safe : Place::Libc;
  }
  const auto is_libc = [this](std::uint64_t other) { return image_.kind_at(other) == ModuleKind::Libc; };
  const auto here = addresses_.begin() + static_cast<std::ptrdiff_t>(index);
  if (is_waiting && std::all_of(addresses_.begin(), here, is_libc)) {
    return Place::Safe;
  }
  const bool is_start_of_thread =
      index > 0 && (here + 1 == addresses_.end() || is_start(image_.libc_name_at(*(here + 1))));
  return is_start_of_thread ? Place::Safe : Place::Libc;
}

// A thread that pthreads did not make has none of what libc expects of a thread.
bool PlaceJudge::begins_in_libc() const {
  if (addresses_.empty()) {
    return false;
  }
  if (image_.kind_at(addresses_.back()) == ModuleKind::Libc) {
    return true;
  }
  // The main thread: _start, called by nobody, called __libc_start_main.
  return addresses_.size() > 1 && is_start(image_.libc_name_at(addresses_[addresses_.size() - 2]));
}

}  // namespace lowtide::attach

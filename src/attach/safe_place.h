// Whether a thread that was stopped may be borrowed for a call of dlopen.
//
// It may not when it is in the middle of something that dlopen or pthread_create need
// themselves: the allocator, the loader, the making of threads, fork; or in a signal
// handler, which may have interrupted any of them. The whole stack is looked at, since
// a callback can run below all of these. What is unknown counts as no.
//
// The thread is stopped meanwhile, so nothing is read from files: code that was not
// met before is "cold", the thread is let go, and the copy of its stack is studied at
// leisure; the next time it is known.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "attach/target_image.h"
#include "attach/thread_registers.h"
#include "symbols/unwinder.h"

namespace lowtide::attach {

enum class Place : std::uint8_t {
  Safe,
  Cold,  // code that was not met before: study() it
  Allocator,
  Loader,
  Signal,      // in a signal handler
  Libc,        // in a function of libc that may hold one of its locks
  Agent,       // in a hook of the agent
  Foreign,     // no thread of pthreads, or code of which nobody knows how to unwind it
  StackEnded,  // the copy of the stack was too short
  SmallStack,  // there is not enough of it left for us
};

std::string to_words(Place place);

struct StackSample {
  RawRegisters registers{};
  std::optional<PendingCall> call;
  std::vector<std::byte> stack;  // from the stack pointer upwards
};

class PlaceJudge {
 public:
  // `image` must outlive it.
  explicit PlaceJudge(TargetImage& image) : image_(image), rules_(image), unwinder_(rules_) {}

  // Reads no file.
  Place judge(const StackSample& sample);
  // The same, however long it takes.
  Place study(const StackSample& sample);
  // After the image was read again.
  void forget();

 private:
  // Rules of code that was met before, by address.
  class Rules final : public symbols::RuleSource {
   public:
    explicit Rules(TargetImage& image) : image_(image) {}

    symbols::FrameRule make_rule(symbols::Arch arch, std::uint64_t address) override;
    [[nodiscard]] const symbols::FrameRule* find(std::uint64_t address) const;
    void forget();

    bool may_learn = false;
    bool missed = false;

   private:
    TargetImage& image_;
    std::unordered_map<std::uint64_t, symbols::FrameRule> known_;
    std::unordered_set<const symbols::ElfImage*> warm_;  // their tables were read
  };

  Place look(const StackSample& sample, bool may_learn);
  [[nodiscard]] Place judge_frames(const StackSample& sample) const;
  [[nodiscard]] Place judge_libc(std::size_t index, bool is_waiting) const;
  [[nodiscard]] bool begins_in_libc() const;

  TargetImage& image_;
  Rules rules_;
  symbols::Unwinder unwinder_;
  std::vector<std::uint64_t> addresses_;
};

}  // namespace lowtide::attach

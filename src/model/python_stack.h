// The Python frames of an event, as the agent writes them (agent/python/marks.py).
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "model/site.h"

namespace lowtide::model {

// Innermost first. The text comes from the job: what is not three fields is left out.
inline std::vector<Frame> frames_of(std::string_view stack) {
  constexpr std::size_t kMostFrames = 64;
  constexpr std::string_view kBetween = " | ";
  std::vector<Frame> out;
  while (!stack.empty() && out.size() < kMostFrames) {
    const std::string_view text = stack.substr(0, stack.find(kBetween));
    stack.remove_prefix(std::min(stack.size(), text.size() + kBetween.size()));
    const std::size_t first = text.find(' ');
    const std::size_t second = first == std::string_view::npos ? first : text.find(' ', first + 1);
    if (second == std::string_view::npos) continue;
    Frame frame{.language = FrameLanguage::Python,
                .function = std::string(text.substr(first + 1, second - first - 1)),
                .file = std::string(text.substr(second + 1))};
    std::from_chars(text.data(), text.data() + first, frame.line);
    out.push_back(std::move(frame));
  }
  return out;
}

}  // namespace lowtide::model

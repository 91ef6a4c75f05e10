#include <limits>

#include "base/text.h"
#include "ingest/formats/shape_plan.h"

namespace lowtide::ingest {
namespace {

constexpr std::size_t kMaxTopics = 1024;
constexpr std::size_t kMaxNames = 4096;
constexpr std::size_t kMaxContexts = 1024;

}  // namespace

Registry::Registry() {
  topics_.push_back({model::Quantity::ProcessMemory, "other memory", UnitSource::Written});
  names_.emplace_back();
  contexts_.reserve(kMaxContexts);  // a Line refers to one while others are added
  contexts_.emplace_back();
}

std::uint16_t Registry::topic(const Topic& topic) {
  std::string key = topic.label;
  key += '\0';
  key += static_cast<char>('a' + static_cast<int>(topic.quantity));
  key += static_cast<char>('a' + static_cast<int>(topic.unit));
  if (topic.gpu >= 0) key += std::to_string(topic.gpu);
  const auto found = topic_numbers_.find(key);
  if (found != topic_numbers_.end()) return static_cast<std::uint16_t>(found->second);
  if (topics_.size() >= kMaxTopics) return 0;
  const auto number = static_cast<std::uint32_t>(topics_.size());
  topics_.push_back(topic);
  topic_numbers_.emplace(std::move(key), number);
  return static_cast<std::uint16_t>(number);
}

std::uint32_t Registry::name(std::string_view name) {
  std::string clean = base::printable(name, 80);
  const auto found = name_numbers_.find(clean);
  if (found != name_numbers_.end()) return found->second;
  if (names_.size() >= kMaxNames) return 0;
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.push_back(clean);
  name_numbers_.emplace(std::move(clean), number);
  return number;
}

std::uint16_t Registry::context(const Context& context, std::string_view key) {
  const std::string owned(key);
  const auto found = context_numbers_.find(owned);
  if (found != context_numbers_.end()) return static_cast<std::uint16_t>(found->second);
  // Past the bound headers are no longer learnt; rows then fall through to the words.
  if (contexts_.size() >= kMaxContexts) return 0;
  const auto number = static_cast<std::uint32_t>(contexts_.size());
  contexts_.push_back(context);
  context_numbers_.emplace(owned, number);
  return static_cast<std::uint16_t>(number);
}

}  // namespace lowtide::ingest

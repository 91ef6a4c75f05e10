#include "explain/tensor_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using model::MemoryPart;
using model::TensorUse;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;

constexpr std::uint64_t kGigabyte = 1'000'000'000;

auto part_of_gb(const char* name, std::uint64_t gb) {
  return AllOf(Field(&MemoryPart::name, name), Field(&MemoryPart::bytes, gb * kGigabyte));
}

model::HeldNode tensor_node(std::string path, std::string type, std::uint64_t gb,
                            std::optional<std::size_t> holder) {
  model::HeldNode out;
  out.path = std::move(path);
  out.type = std::move(type);
  out.device_bytes = gb * kGigabyte;
  out.holder = holder;
  return out;
}

// Model and optimizer both hold the parameters, so that they are below neither.
model::Snapshot training() {
  model::Snapshot snapshot;
  snapshot.device_bytes = 60 * kGigabyte;
  snapshot.nodes = {tensor_node("__main__", "dict", 40, {}),
                    tensor_node("__main__.optimizer", "torch.optim.adamw.AdamW", 16, 0),
                    tensor_node("__main__.history", "list", 4, 0)};
  snapshot.uses = {{0, TensorUse::Parameter, 0, 8 * kGigabyte},
                   {0, TensorUse::Gradient, 0, 8 * kGigabyte},
                   {{}, TensorUse::Saved, 0, 20 * kGigabyte}};
  return snapshot;
}

TEST(TensorParts, parameters_gradients_and_activations_are_parts_of_their_own) {
  const TensorParts found = find_tensor_parts(training());

  EXPECT_THAT(found.parts, ElementsAre(part_of_gb("activations", 20), part_of_gb("optimizer state", 16),
                                       part_of_gb("parameters", 8), part_of_gb("gradients", 8),
                                       part_of_gb("`history`", 4), part_of_gb("other tensors", 4)));
  EXPECT_EQ(model::sum_of(found.parts), 60 * kGigabyte);
  EXPECT_EQ(found.variable, "`history`");
}

TEST(TensorParts, parameters_are_not_counted_again_below_the_variable_that_holds_them) {
  model::Snapshot snapshot;
  snapshot.device_bytes = 10 * kGigabyte;
  snapshot.nodes = {tensor_node("__main__", "dict", 10, {}), tensor_node("__main__.models", "list", 10, 0),
                    tensor_node("__main__.models[0]", "__main__.Net", 6, 1)};
  snapshot.uses = {{1, TensorUse::Parameter, 0, 2 * kGigabyte}, {2, TensorUse::Parameter, 0, 5 * kGigabyte}};

  EXPECT_THAT(find_tensor_parts(snapshot).parts,
              ElementsAre(part_of_gb("parameters", 7), part_of_gb("`models`", 3)));
}

TEST(TensorParts, saved_tensors_of_a_variable_belong_to_the_variable) {
  model::Snapshot snapshot;
  snapshot.device_bytes = 10 * kGigabyte;
  snapshot.nodes = {tensor_node("__main__", "dict", 10, {}), tensor_node("__main__.losses", "list", 9, 0)};
  snapshot.uses = {{1, TensorUse::Saved, 0, 8 * kGigabyte}, {0, TensorUse::Saved, 0, 1 * kGigabyte}};

  EXPECT_THAT(find_tensor_parts(snapshot).parts,
              ElementsAre(part_of_gb("`losses`", 9), part_of_gb("activations", 1)));
}

TEST(TensorParts, without_a_name_belong_to_the_other_tensors) {
  model::Snapshot snapshot;
  snapshot.device_bytes = 10 * kGigabyte;
  snapshot.nodes = {tensor_node("", "tuple", 8, {}), tensor_node("__main__", "dict", 2, {}),
                    tensor_node("__main__.kept", "list", 2, 1)};
  snapshot.uses = {{{}, TensorUse::Parameter, 0, 0}};

  EXPECT_THAT(find_tensor_parts(snapshot).parts,
              ElementsAre(part_of_gb("`kept`", 2), part_of_gb("other tensors", 8)));
}

TEST(TensorParts, never_exceed_what_the_tensors_have) {
  model::Snapshot snapshot = training();
  snapshot.device_bytes = 30 * kGigabyte;

  EXPECT_EQ(model::sum_of(find_tensor_parts(snapshot).parts), 30 * kGigabyte);
}

}  // namespace
}  // namespace lowtide::explain

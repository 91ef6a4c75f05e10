// The tables of a recording that are not samples: a row of each as a struct, and its description.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/judgement.h"
#include "model/library_version.h"
#include "model/phase.h"
#include "model/process.h"
#include "model/shared_group.h"
#include "model/site.h"
#include "model/snapshot.h"
#include "model/source_file.h"
#include "model/trim_trial.h"
#include "record/recorded.h"
#include "record/tables/table.h"

namespace lowtide::record {

struct MetaRow {
  std::string key;
  std::string value;
};

struct JudgementRow {
  model::Judgement judgement;
  bool kept = false;  // stays for good
};

struct FrameRow {
  model::SiteId site{};
  std::uint32_t depth = 0;
  model::Frame frame;
};

struct SnapshotRow {
  std::int64_t id = 0;
  RecordedSnapshot recorded;
};

// A part of a snapshot: a node, a kind of tensors, a type, the contents of a node, what tensors are used for,
// a pool of a GPU, a line that allocated on one.
template <typename Part>
struct PartRow {
  std::int64_t snapshot = 0;
  Part part;
};
using NodeRow = PartRow<model::HeldNode>;
using TensorRow = PartRow<model::TensorCount>;
using TypeRow = PartRow<model::TypeCount>;
using ContentRow = PartRow<model::HeldType>;
using UseRow = PartRow<model::HeldUse>;
using GpuPoolRow = PartRow<model::GpuPool>;
using GpuLineRow = PartRow<model::GpuLine>;
using GpuPeakRow = PartRow<model::GpuPeak>;

// From when on a table of samples counts.
struct TierRow {
  std::string kind;
  std::uint32_t level = 0;
  std::string samples;
  double width_s = 0;
  double from_s = 0;
};

// The tables of all these, in the order in which they are created.
std::vector<TableText> described_tables();

}  // namespace lowtide::record

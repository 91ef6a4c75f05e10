#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "show/rows/holders.h"
#include "show/snapshot.h"
#include "show/terminal/layout.h"
#include "show/terminal/paint.h"
#include "show/words.h"

namespace lowtide::show {
namespace {

constexpr std::size_t kMostSnapshotRows = 12;
constexpr std::size_t kMostBriefRows = 3;

std::string shape_words(const model::TensorCount& tensors) {
  std::string out = "[";
  for (const std::int64_t side : tensors.shape) out += (out.size() > 1 ? ", " : "") + std::to_string(side);
  return out + "]" + (tensors.requires_grad ? " grad" : "");
}

std::string length_words(const model::HolderReport& holder, bool has_earlier) {
  if (!holder.node.length) return "";
  std::string length = base::format_count(*holder.node.length);
  if (!has_earlier || !holder.growth_length) return length;
  return fmt::format("{} ({})", length, signed_count(*holder.growth_length));
}

std::string on_devices(const std::string& words) {
  return words + " on devices";
}

// What it holds, or by what that grew.
std::string host_words(const model::HolderReport& holder, bool has_earlier) {
  return has_earlier ? signed_bytes(holder.growth_bytes) : bytes_words(holder.node.retained_bytes);
}

std::string device_words(const model::HolderReport& holder, bool has_earlier) {
  if (holder.node.device_bytes == 0 && holder.growth_device_bytes == 0) return "";
  return on_devices(has_earlier ? signed_bytes(holder.growth_device_bytes)
                                : bytes_words(holder.node.device_bytes));
}

std::vector<const model::HolderReport*> grown(const model::SnapshotReport& report) {
  std::vector<const model::HolderReport*> out;
  for (const model::HolderReport& holder : report.holders) out.push_back(&holder);
  return out;
}

class Page {
 public:
  Page(const model::SnapshotReport& report, const TextOptions& options)
      : report_(report), options_(options), paint_(options.colour) {}

  std::string write() {
    head();
    holders();
    if (!options_.brief) {
      tensors();
      types();
    }
    costs();
    return std::move(out_);
  }

 private:
  void head() {
    const model::Snapshot& snapshot = report_.snapshot;
    std::string title = fmt::format("process {}, Python {}: {} objects, {}", snapshot.pid, snapshot.python,
                                    base::format_count(snapshot.objects), bytes_words(snapshot.object_bytes));
    if (snapshot.has_tensors)
      title += fmt::format(", and {} in tensors in host memory", bytes_words(snapshot.storage_bytes));
    if (snapshot.device_bytes > 0) title += ", " + on_devices(bytes_words(snapshot.device_bytes));
    if (report_.has_earlier) {
      title += fmt::format("; {}", signed_bytes(report_.growth_bytes));
      if (report_.growth_device_bytes != 0)
        title += ", " + on_devices(signed_bytes(report_.growth_device_bytes));
      if (report_.since_s > 0) title += fmt::format(" in {}", base::format_seconds(report_.since_s));
    }
    for (const std::string& line : wrap(title, options_.width)) out_ += paint_(Role::Heading, line) + "\n";
  }

  void section(const std::string& title) { out_ += "\n" + paint_(Role::Heading, title) + "\n"; }

  void rows(const std::vector<std::vector<std::string>>& cells) {
    for (const std::string& line : table(cells, options_.width - 2, 26)) out_ += "  " + line + "\n";
  }

  void holders() {
    const auto all = report_.has_earlier ? grown(report_) : largest_holders(report_.holders);
    if (!report_.snapshot.has_holders) {
      section("The walk ended before it could name what holds memory");
      return;
    }
    if (report_.has_earlier && all.empty()) {
      section("No holder grew");
      return;
    }
    section(report_.has_earlier ? "What grew, and what holds it" : "What holds most");
    std::vector<std::vector<std::string>> cells;
    for (const model::HolderReport* holder : all) {
      if (cells.size() == (options_.brief ? kMostBriefRows : kMostSnapshotRows)) break;
      cells.push_back({host_words(*holder, report_.has_earlier), holder->share ? percent(*holder->share) : "",
                       length_words(*holder, report_.has_earlier), holder_name(holder->node)});
      if (report_.snapshot.device_bytes > 0) {
        cells.back().insert(cells.back().begin() + 1, device_words(*holder, report_.has_earlier));
      }
    }
    rows(cells);
    if (!report_.snapshot.is_exact) out_ += "  (upper bounds: the graph was too tangled to settle in time)\n";
  }

  void tensors() {
    const model::Snapshot& snapshot = report_.snapshot;
    if (!snapshot.has_torch) return;
    if (!snapshot.has_tensors) {
      section("Tensors: torch did not answer");
      return;
    }
    section("Tensors");
    std::vector<std::vector<std::string>> cells;
    for (const model::TensorGrowth& row : report_.tensors) {
      if (cells.size() == kMostSnapshotRows) break;
      cells.push_back({row.tensors.device, row.tensors.dtype, bytes_words(row.tensors.bytes),
                       fmt::format("{}{}", base::format_count(row.tensors.count),
                                   report_.has_earlier ? " (" + signed_count(row.growth_count) + ")" : ""),
                       shape_words(row.tensors)});
    }
    rows(cells);
  }

  void types() {
    section("Types");
    std::vector<std::vector<std::string>> cells;
    for (const model::TypeGrowth& row : report_.types) {
      if (cells.size() == kMostSnapshotRows) break;
      cells.push_back({bytes_words(row.type.bytes),
                       fmt::format("{}{}", base::format_count(row.type.count),
                                   report_.has_earlier ? " (" + signed_count(row.growth_count) + ")" : ""),
                       row.type.type});
    }
    rows(cells);
  }

  void costs() {
    const model::Snapshot& snapshot = report_.snapshot;
    std::string words = fmt::format(
        "The interpreter stood still for {}; a forked child then walked for {} with {} of its own.{}",
        base::format_seconds(snapshot.pause_s), base::format_seconds(snapshot.whole_s),
        bytes_words(snapshot.table_bytes),
        snapshot.is_whole ? "" : " The walk was cut short: all figures are lower bounds.");
    out_ += "\n";
    for (const std::string& line : wrap(words, options_.width)) out_ += paint_(Role::Dim, line) + "\n";
  }

  const model::SnapshotReport& report_;
  const TextOptions& options_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string to_text(const model::SnapshotReport& report, const TextOptions& options) {
  return Page(report, options).write();
}

}  // namespace lowtide::show

#include "observe/gpu_watch.h"

#include <algorithm>
#include <utility>

#include "gpu/pid_map.h"
#include "observe/gpu_interval.h"
#include "procfs/process_info.h"

namespace lowtide::observe {
namespace {

// To begin with CUDA takes 100 MB of a process: one that has not gained this much is not looked at again.
constexpr std::uint64_t kWorthALookBytes = 16U << 20U;

}  // namespace

std::span<const gpu::Device> GpuWatch::devices() const {
  return nvml_ ? nvml_->devices() : std::span<const gpu::Device>();
}

// Where we may not look, the driver is asked: it may know more than we are shown.
bool GpuWatch::is_opened_by(Member& member) const {
  if (member.uses_gpu) return true;
  if (member.status.rss_bytes < member.gpu_look_bytes) return false;
  member.gpu_look_bytes = member.status.rss_bytes + kWorthALookBytes;
  const auto opened = procfs::has_opened(roots_, static_cast<std::int32_t>(member.info.pid), driver_.device);
  member.uses_gpu = opened ? opened.value() : opened.error().code == base::ErrorCode::Denied;
  return member.uses_gpu;
}

void GpuWatch::load() {
  was_tried_ = true;
  if (auto loaded = gpu::Nvml::load(driver_.library)) nvml_ = std::move(loaded).value();
  const auto pid_namespace = procfs::read_own_pid_namespace(roots_);
  in_initial_namespace_ = pid_namespace && gpu::is_initial_pid_namespace(pid_namespace.value());
}

void GpuWatch::read(double at_s, std::vector<Member>& members, model::Tick& tick) {
  tick.gpus.clear();
  tick.gpu_processes.clear();
  if (at_s < next_s_ || (was_tried_ && !nvml_)) return;
  next_s_ = at_s + gpu_interval_s(at_s);
  for (Member& member : members) {
    if (is_opened_by(member) && !was_tried_) load();
  }
  if (!nvml_ || !nvml_->read(readings_)) return;

  std::vector<gpu::KnownProcess> known;
  known.reserve(members.size());
  for (const Member& member : members) {
    known.push_back({member.info.pid, member.status.namespace_pids(), member.uses_gpu});
  }
  const gpu::PidMap map(known, in_initial_namespace_);
  for (const gpu::GpuReading& gpu : readings_) {
    bool is_of_job = gpu.processes.empty();  // the driver may not list any
    for (const gpu::GpuProcess& process : gpu.processes) {
      const gpu::GpuOwner owner = map.find(process.driver_pid);
      is_unclear_ = is_unclear_ || owner.unclear;
      is_of_job = is_of_job || owner.unclear || owner.pid;
      if (!owner.pid || !process.bytes_known) continue;
      const auto member = std::find_if(members.begin(), members.end(),
                                       [&](const Member& one) { return one.info.pid == *owner.pid; });
      if (member == members.end()) continue;
      tick.gpu_processes.push_back({gpu.index, member->info.id, process.bytes});
    }
    // What only others use says nothing of the job.
    if (is_of_job) tick.gpus.push_back({gpu.index, gpu.total_bytes, gpu.used_bytes});
  }
}

}  // namespace lowtide::observe

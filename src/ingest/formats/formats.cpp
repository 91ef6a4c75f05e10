#include "ingest/formats/formats.h"

#include <algorithm>
#include <array>

#include "base/units.h"
#include "ingest/formats/analysers.h"
#include "ingest/formats/fields.h"
#include "ingest/words/triage.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

using base::kGiB;
using base::kKiB;
using base::kMiB;
using model::Quantity;

// Rows are tried from top to bottom; a row of the table whose header was seen goes before all.
// Sources of the examples: the tools themselves, or the issue named in docs/formats.md.
constexpr std::array<Format, FormatCount> kFormats = {{
    {NoFormat, "", "", nullptr, "", {}},
    {WatchFormat,
     "watch",
     "the title line gives the time and the unit of free",
     &analyse_watch,
     "Every 2.0s: free -m                    gpu-box: Sun Nov 15 02:16:46 2026\n"
     "\n"
     "               total        used        free      shared  buff/cache   available\n"
     "Mem:           24065        1640       20876          11        1837       22425\n",
     {Quantity::SystemMemory, 1, 1640 * kMiB, -1, 0}},
    {MprofFormat,
     "mprof .dat",
     "MiB; a CMDLINE line starts a run; FUNC lines are ignored",
     &analyse_mprof,
     "CMDLINE /usr/bin/python3 ../cases/05_worker_cache.py --seconds 6 --steps 30\n"
     "MEM 500.269531 1794703397.9847\n"
     "FUNC __main__.step 20.9414 1794703435.1494 21.9453 1794703435.4501 0\n"
     "MEM 501.000000 1794703398.0847\n",
     {Quantity::ProcessMemory, 2, 501 * kMiB, -1, 0.1}},
    {FreeFormat,
     "free",
     "without a unit, the total decides, with a warning",
     &analyse_free,
     "               total        used        free      shared  buff/cache   available\n"
     "Mem:            23Gi       1.6Gi        20Gi        11Mi       1.8Gi        21Gi\n"
     "Swap:             0B          0B          0B\n",
     {Quantity::SystemMemory, 1, 1.6 * kGiB, -1, -1}},
    {TopFormat,
     "top -b",
     "RES in KiB unless it ends in m, g or t; the summary is the whole machine",
     &analyse_top_summary,
     "top - 14:23:05 up 3 days,  2:11,  1 user,  load average: 0.52, 0.58, 0.59\n"
     "MiB Mem :  24065.3 total,  20876.1 free,   1640.2 used,   1837.0 buff/cache\n"
     "\n"
     "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
     "   4711 alice     20   0   11.9g   5.2g 123456 R  99.9   2.2   1:23.45 python\n",
     {Quantity::ProcessMemory, 2, 5.2 * kGiB, -1, 0}},
    {TimeFormat,
     "/usr/bin/time -v",
     "a peak, which is not a reading: reported in a warning",
     &analyse_time,
     "Step 1: 5,552 MB\n"
     "\tMaximum resident set size (kbytes): 3541884\n",
     {Quantity::ProcessMemory, 1, 5552e6, 1, -1}},
    {NvidiaTableFormat,
     "nvidia-smi",
     "the default table, as printed by watch or a loop",
     &analyse_nvidia_table,
     "|   0  NVIDIA A100-SXM4-40GB          On  |   00000000:3B:00.0 Off |                    0 |\n"
     "| N/A   44C    P0             62W /  400W |    4321MiB /  40960MiB |      0%      Default |\n",
     {Quantity::GpuUsed, 1, 4321 * kMiB, -1, -1}},
    {NvidiaFormat,
     "nvidia-smi --query-gpu",
     "also nounits, --query-compute-apps and several GPUs",
     nullptr,
     "timestamp, name, pci.bus_id, driver_version, pstate, utilization.gpu [%], utilization.memory [%], "
     "memory.total [MiB], memory.free [MiB], memory.used [MiB]\n"
     "2024/06/01 11:27:05.177, NVIDIA A100-SXM4-40GB, 00000000:3B:00.0, 545.23.08, P0, 0 %, 0 %, 40960 MiB, "
     "40333 MiB, 4 MiB\n"
     "2024/06/01 11:27:06.177, NVIDIA A100-SXM4-40GB, 00000000:3B:00.0, 545.23.08, P0, 0 %, 0 %, 40960 MiB, "
     "40333 MiB, 77 MiB\n",
     {Quantity::GpuUsed, 2, 77 * kMiB, -1, 1}},
    {NvidiaBareFormat,
     "nvidia-smi --format=csv,noheader",
     "one size is the memory in use; several sizes are distinguished by their values",
     &analyse_nvidia_bare,
     "2024/06/01 11:27:05.177, NVIDIA A100-SXM4-40GB, 00000000:3B:00.0, 4 MiB\n"
     "2024/06/01 11:27:05.177, NVIDIA A100-SXM4-40GB, 00000000:AF:00.0, 5 MiB\n",
     {Quantity::GpuUsed, 2, 5 * kMiB, -1, 0}},
    {SummaryFormat,
     "torch.cuda.memory_summary()",
     "current usage; peaks and totals are ignored",
     &analyse_memory_summary,
     "|                  PyTorch CUDA memory summary, device ID 0                 |\n"
     "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n"
     "|---------------------------------------------------------------------------|\n"
     "| Allocated memory      |  659155 KB |    4460 MB |   12439 MB |   11795 MB |\n"
     "|       from large pool |  658000 KB |    4459 MB |   12438 MB |   11795 MB |\n"
     "| Active memory         |  659155 KB |    4460 MB |   12439 MB |   11795 MB |\n"
     "| Allocations           |     120    |     150    |    1000    |     880    |\n"
     "| GPU reserved memory   |    5212 MB |    5212 MB |    5212 MB |       0 B  |\n",
     {Quantity::GpuReserved, 2, 5212e6, -1, -1}},
    {DmonFormat,
     "nvidia-smi dmon",
     "the fb column, in MB",
     nullptr,
     "# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk     fb   bar1\n"
     "# Idx      W      C      C      %      %      %      %    MHz    MHz     MB     MB\n"
     "    0     43     35      -      0      0      0      0    405    300   1234      5\n",
     {Quantity::GpuUsed, 1, 1234e6, -1, -1}},
    {DockerFormat,
     "docker stats",
     "usage and limit of each container",
     nullptr,
     "CONTAINER ID   NAME                              CPU %     MEM USAGE / LIMIT   MEM %     NET I/O   "
     "BLOCK I/O        PIDS\n"
     "91f32d4c7bd1   prod.logistics-core.clip_runner   2.07%     1.268GiB / 3.5GiB   36.24%    0B / 0B   "
     "924MB / 8.11MB   65\n",
     {Quantity::ContainerMemory, 1, 1.268 * kGiB, -1, -1}},
    {PsrecordFormat,
     "psrecord",
     "Real (MB); Virtual is ignored",
     nullptr,
     "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n"
     "       0.003        0.000       42.715     3141.926\n"
     "       1.003        0.000       43.715     3141.926\n",
     {Quantity::ProcessMemory, 2, 43.715e6, -1, 1}},
    {PidstatFormat,
     "pidstat -r",
     "RSS in KiB",
     nullptr,
     "00:43:33      UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command\n"
     "00:43:34        0      2503      0.00      0.00    5100    3876   0.02  bash\n",
     {Quantity::ProcessMemory, 1, 3876 * kKiB, -1, 0}},
    {PsFormat,
     "ps",
     "RSS in KiB, with or without the header of ps aux",
     &analyse_headless_ps,
     "    PID   RSS COMMAND\n"
     "   4711 5552000 python train.py\n",
     {Quantity::ProcessMemory, 1, 5552000 * kKiB, -1, -1}},
    {CsvFormat,
     "CSV",
     "common column names; unit from the name or the cell; comma, tab, semicolon or bar",
     nullptr,
     "time,step,loss,rss_mb,vms_mb\n"
     "0.5,10,2.31,5552.25,90000\n"
     "1.0,20,2.30,5600.5,90000\n",
     {Quantity::ProcessMemory, 2, 5600.5e6, 20, 0.5}},
    {JsonFormat,
     "JSON",
     "one object per line, an array, or trainer_state.json",
     &analyse_dict,
     "{\"step\": 10, \"loss\": 2.31, \"memory\": {\"rss_mb\": 5552.25}}\n"
     "{\"step\": 20, \"loss\": 2.3, \"memory\": {\"rss_mb\": 5600.5}}\n",
     {Quantity::ProcessMemory, 2, 5600.5e6, 20, -1}},
    {DictFormat,
     "HF Trainer dict",
     "allocated, not max; the step comes from the progress bar",
     nullptr,
     "  2%|2         | 10/663 [00:03<03:15,  3.34it/s]\n"
     "{'loss': 0.6188, 'learning_rate': 2.9130434782608696e-05, 'epoch': 0.09, 'memory_allocated (GB)': "
     "3.82, 'max_memory_allocated (GB)': 6.32, 'total_memory_available (GB)': 29.85}\n",
     {Quantity::GpuAllocated, 1, 3.82e9, 10, -1}},
    {TitanFormat,
     "torchtitan",
     "memory reserved by the CUDA allocator",
     nullptr,
     "[rank0]:[titan] 2026-05-18 16:04:46,338 - root - INFO - step: 14  loss:  3.24405  grad_norm:  0.8319  "
     "memory:  9.46GiB(64.99%)  tps: 7,282  tflops: 0.52  mfu: 0.17%\n",
     {Quantity::GpuReserved, 1, 9.46 * kGiB, 14, 0}},
    {MmFormat,
     "mmdetection, mmengine",
     "memory without a unit is MiB on the GPU, as in their source code",
     nullptr,
     "2021-04-30 16:50:10,098 - mmdet - INFO - Epoch [1][1000/21306]\tlr: 1.000e-04, eta: 1 day, 4:44:46, "
     "time: 0.426, data_time: 0.017, memory: 5737, loss_rpn_cls: 0.1\n",
     {Quantity::GpuAllocated, 1, 5737 * kMiB, 1000, 0}},
    {MegatronFormat,
     "Megatron-LM",
     "allocated and reserved; max is ignored",
     nullptr,
     "[Rank 0] (after 100 iterations) memory (MB) | allocated: 6816.88818359375 | max allocated: "
     "8696.8515625 | reserved: 8786.0 | max reserved: 8786.0\n",
     {Quantity::GpuReserved, 2, 8786e6, 100, -1}},
    {DeepSpeedFormat,
     "DeepSpeed see_memory_usage",
     "MA allocated, CA reserved; CPU Virtual Memory is the whole machine",
     nullptr,
     "[2023-11-17 11:03:46,601] [INFO] [utils.py:803:see_memory_usage] MA 26.38 GB         Max_MA 26.38 GB   "
     "      CA 26.71 GB         Max_CA 27 GB \n"
     "[2023-11-17 11:03:46,602] [INFO] [utils.py:810:see_memory_usage] CPU Virtual Memory:  used = 322.57 "
     "GB, percent = 17.1%\n",
     {Quantity::SystemMemory, 3, 322.57e9, -1, 0.001}},
    {BareNumbersFormat,
     "bare numbers",
     "one integer per line, as printed by `ps -o rss=`; KiB, with a warning",
     &analyse_bare_number,
     "5552000\n5553000\n",
     {Quantity::ProcessMemory, 2, 5553000 * kKiB, -1, -1}},
    {BarePairFormat,
     "two columns",
     "time or step, then memory, without a header; a warning states the assumptions",
     &analyse_bare_pair,
     "10 5552\n20 5600\n",
     {Quantity::ProcessMemory, 2, 5600e6, 20, -1}},
    {BarePidstatFormat,
     "pidstat -r without a header",
     "RSS in KiB",
     &analyse_headless_pidstat,
     "00:43:34        0      2503      0.00      0.00    5100    3876   0.02  bash\n"
     "00:43:35        0      2503      0.00      0.00    5100    3880   0.02  bash\n",
     {Quantity::ProcessMemory, 2, 3880 * kKiB, -1, 1}},
    {WordsFormat,
     "log lines",
     "recognised by the words next to the numbers",
     &analyse_text,
     "Step 10: 6529 tensors (CPU: 330, GPU: 6199), Process RAM: 5552 MB\n",
     {Quantity::ProcessMemory, 1, 5552e6, 10, -1}},
}};

constexpr std::array kConventions = {
    Convention{TitanFormat, "[titan]", Quantity::GpuReserved, 0, true},
    // mmdet, mmseg, mmengine: max_memory_allocated() / 2^20, reset at every log line.
    Convention{MmFormat, " - mm", Quantity::GpuAllocated, kMiB, true},
    Convention{MegatronFormat, "memory (MB) |", Quantity::GpuAllocated, 0, false},
    Convention{DeepSpeedFormat, "see_memory_usage", Quantity::GpuAllocated, 0, false},
};

// A sentence about a kill or a failed allocation is full of sizes that are no readings.
bool is_only_event(std::string_view shape) {
  constexpr std::array<std::string_view, 14> kWords = {
      "out of memory", "tried to allocate", "anon-rss",        "oom-kill",        "mem avail",
      "oom_reaper",    "dataloader worker", "allocate memory", "memory pressure", "exitcode",
      "oomkilled",     "process restarted", "killed process ", "kill process "};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view words) { return contains_ignoring_case(shape, words); });
}

// A row of the kernel's table of tasks, "[  4711]  1000  4711  2345678  1234567 ... 0 python": pages, and a
// name that may read like anything.
bool is_task_row(std::string_view shape) {
  const std::size_t close = shape.rfind("] ", 80);
  if (close == std::string_view::npos || close == 0 || !is_digit(shape[close - 1])) return false;
  std::size_t numbers = 0;
  for (const Field& field : cut(shape.substr(close + 1), ' ', 6)) {
    numbers +=
        text_of(shape.substr(close + 1), field).find_first_not_of("0-") == std::string_view::npos ? 1U : 0U;
  }
  return numbers == 6;
}

// "[Process restarted]", "Run 2 (Process 179532):": the log itself says that a run begins.
bool analyse_mark(const Line& line, ShapePlan& plan) {
  const std::string_view shape = line.shape;
  const std::size_t start = std::min(shape.find_first_not_of(" \t=-#*"), shape.size());
  const std::string_view body = shape.substr(start);
  if (body.size() > 120) return false;
  const bool restarted = contains_ignoring_case(body, "process restarted");
  const bool run = (body.starts_with("Run 0") || body.starts_with("run 0") || body.starts_with("RUN 0")) &&
                   (body.find(':') != std::string_view::npos || body.find('(') != std::string_view::npos ||
                    body.size() <= 12) &&
                   body.find("0 MB") == std::string_view::npos && body.find("0 GB") == std::string_view::npos;
  if (!restarted && !run) return false;
  plan.slots.push_back({.role = Role::RunMark});
  if (restarted) plan.slots.push_back({.role = Role::Event});
  plan.ask_each_time = true;
  return true;
}

}  // namespace

std::span<const Format> formats() {
  return kFormats;
}

std::string format_names() {
  return "lines such as \"Step 10: 5,552 MB\" or \"RAM: 5.2 GB\", trainer logs and dicts, CSV or JSON with a "
         "memory column, and the output of nvidia-smi, free, top, ps, pidstat, docker stats, psrecord, mprof "
         "and "
         "watch";
}

const Convention* find_convention(std::string_view shape) {
  for (const Convention& convention : kConventions) {
    if (shape.substr(0, 256).find(convention.marker) != std::string_view::npos) return &convention;
  }
  return nullptr;
}

ShapePlan analyse(const Line& line) {
  ShapePlan plan;
  const auto attempt = [&](auto&& analyser) {
    plan = ShapePlan{};
    return analyser(line, plan);
  };
  if (attempt(analyse_row)) return plan;
  plan = ShapePlan{};
  const Triage worth = triage(line.shape);
  if (worth == Triage::Nothing) return ShapePlan{};
  if (worth == Triage::Progress) {
    if (!attempt(kFormats[WordsFormat].analyse)) plan = ShapePlan{};
    return plan;
  }
  const bool event = worth == Triage::MayBeEvent;
  if (event && is_only_event(line.shape)) {
    if (attempt(analyse_mark)) return plan;
    plan = ShapePlan{};
    plan.slots.push_back({.role = Role::Event});
    plan.ask_each_time = true;
    return plan;
  }
  if (line.shape.find("emory cgroup stats for") != std::string_view::npos)
    return ShapePlan{};  // of a kill, not of a run
  if (is_task_row(line.shape)) return ShapePlan{};
  bool found = attempt(analyse_mark);
  for (std::size_t i = 0; i < kFormats.size() && !found; ++i) {
    const Format& format = kFormats[i];
    if (format.number == CsvFormat) found = attempt(analyse_header);
    if (format.analyse == nullptr || found) continue;
    found = attempt(format.analyse);
  }
  if (!found) plan = ShapePlan{};
  if (event) {
    plan.slots.push_back({.role = Role::Event});
    plan.ask_each_time = true;
  }
  return plan;
}

}  // namespace lowtide::ingest

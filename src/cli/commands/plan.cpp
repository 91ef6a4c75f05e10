// `lowtide plan`: the memory that a training setup needs, and which changes save how much.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands/all.h"
#include "cli/input/plan_source.h"
#include "cli/output/output.h"
#include "cli/output/report_style.h"
#include "cli/syntax/plan_flags.h"
#include "cli/syntax/refuse.h"
#include "console/user_error.h"
#include "plan/measured.h"
#include "plan/plan.h"
#include "show/answer_words.h"
#include "show/plan.h"

namespace lowtide::cli {
namespace {

using console::takes_text;
using console::turns_on;

std::string written_plan(const plan::Plan& plan, const ReportStyle& style) {
  switch (style.form) {
    case ReportStyle::Form::Json:
      return show::to_json(plan);
    case ReportStyle::Form::Markdown:
      return show::to_markdown(plan);
    case ReportStyle::Form::Text:
      break;
  }
  return show::to_text(plan, style.text);
}

// What the user gave takes precedence: the tensors are then only shown beside it.
void take_model_from(const PlanSource& source, plan::JobSetup& setup) {
  if (setup.parameters > 0 || !source.tensors) return;
  setup.tensors = source.tensors->facts;
  setup.has_lora_tensors = source.tensors->has_lora;
  if (!source.tensors->facts.is_on_device) setup.on_cpu = true;
}

void add_source(const PlanSource& source, plan::Plan& plan) {
  plan.measured = model::PlanMeasured{.source = source.name};
  if (source.report) {
    plan::add_measured(plan, *source.report);
    if (source.report->verdict.kind == model::VerdictKind::Leak) {
      plan.leak = show::answer_line(*source.report);
    }
    plan.epoch = plan::forecast_epoch(plan.setup, *source.report);
  }
  if (source.tensors) plan::add_measured(plan, source.tensors->facts, source.tensors->has_lora);
  if (source.resident_bytes) plan.measured->host_bytes = source.resident_bytes;
}

struct PlanFlags : SetupFlags, StyleFlags {
  std::optional<std::uint64_t> limit_bytes = {};
  std::optional<std::uint64_t> gpu_limit_bytes = {};
  std::optional<std::string> from = {};
};

console::ExitCode run_plan(const PlanFlags& flags, const Words& /*words*/) {
  const auto style = choose_style(flags, "plan");
  if (const auto* user_error = std::get_if<console::UserError>(&style)) return refuse(*user_error);
  auto parsed = make_setup(flags);
  if (const auto* user_error = std::get_if<console::UserError>(&parsed)) return refuse(*user_error);
  auto& setup = std::get<plan::JobSetup>(parsed);
  if (flags.gpu_limit_bytes && setup.on_cpu) {
    return refuse({"--gpu-limit does not go with --device cpu", "the model is in host memory",
                   "lowtide plan --parameters 1B --device cpu --limit 32G"});
  }

  std::optional<PlanSource> source;
  if (flags.from) {
    auto read = read_plan_source(*flags.from);
    if (const auto* user_error = std::get_if<console::UserError>(&read))
      return refuse(*user_error, console::ExitCode::Unreadable);
    source = std::move(std::get<PlanSource>(read));
    take_model_from(*source, setup);
  }
  if (setup.parameters <= 0 && !setup.tensors) {
    return refuse(
        source ? console::UserError{source->name + " does not show the size of the model",
                                    "it has no snapshot with tensors",
                                    "lowtide plan --parameters 3B --from " + source->name}
               : console::UserError{"plan needs the size of the model", "nearly everything depends on it",
                                    "lowtide plan --parameters 3B --precision 4bit --lora-rank 16"});
  }

  plan::Plan plan = plan::make_plan(setup);
  if (flags.limit_bytes) plan.limit_bytes = static_cast<double>(*flags.limit_bytes);
  if (flags.gpu_limit_bytes) plan.gpu_limit_bytes = static_cast<double>(*flags.gpu_limit_bytes);
  if (source) add_source(*source, plan);
  Output output;
  output.write(written_plan(plan, std::get<ReportStyle>(style)));
  if (!output.finish()) return console::ExitCode::Unreadable;
  const bool fits = plan::fits_host(plan).value_or(true) && plan::fits_gpu(plan).value_or(true);
  return fits ? console::ExitCode::NoLeak : console::ExitCode::Leak;
}

console::Flags<PlanFlags> all_flags() {
  console::Flags<PlanFlags> flags;
  for (const auto& flag : setup_flags()) flags.emplace_back(flag);
  const console::Flags<PlanFlags> rest = {
      takes_text({"from", "FILE",
                  "a recording, a log or a pid: shows what was measured beside the plan. Without "
                  "--parameters the model is taken from its tensors"},
                 &PlanFlags::from),
      console::limit_flag("host memory of the machine; the exit code is 1 if the plan needs more",
                          &PlanFlags::limit_bytes),
      console::takes_bytes(
          {"gpu-limit", "SIZE", "memory of each GPU; the exit code is 1 if the plan needs more"},
          &PlanFlags::gpu_limit_bytes, console::kSmallestLimit,
          {"it takes a size of at least 1 MB with a unit", "lowtide plan --parameters 7B --gpu-limit 80G"}),
      turns_on("json", "print the plan as JSON", &PlanFlags::json),
      turns_on("markdown", "print the plan as Markdown", &PlanFlags::markdown),
      width_flag(),
      turns_on("quiet", "print the totals only", &PlanFlags::quiet),
      color_flag(),
  };
  flags.insert(flags.end(), rest.begin(), rest.end());
  return flags;
}

}  // namespace

Command plan_command() {
  return with_flags<PlanFlags>(
      {"plan",
       "Estimate the memory of a training setup, and what would save memory",
       "Estimates the memory that a job needs before it runs, on the host and on each GPU. Each part is "
       "shown with its formula, its range and its assumptions. Shows how much RAM is enough and which "
       "changes save how much. Anything you leave out gets a stated default. --from shows measured values "
       "alongside. docs/plan.md has the formulas and their sources.",
       {},
       {
           {"lowtide plan --parameters 7B --gpu-limit 80G", "does a full fine-tune fit on one 80 GiB GPU?"},
           {"lowtide plan --parameters 70B --mixed-precision --gpus 16 --sharding zero3",
            "the same model on 16 GPUs, fully sharded"},
           {"lowtide plan --parameters 3B --precision 4bit --lora-rank 16", "LoRA on quantized weights"},
           {"lowtide plan --parameters 3B --examples 663 --images-per-sample 1",
            "with images that stay in memory"},
           {"lowtide plan --from run.lowtide --workers 4",
            "from the tensors of a recorded job, with what it used"},
       }},
      all_flags(), run_plan);
}

}  // namespace lowtide::cli

// `lowtide plan`: what a training set-up should take, and which knob buys how much.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands/all.h"
#include "cli/output.h"
#include "cli/plan_flags.h"
#include "cli/plan_source.h"
#include "cli/refuse.h"
#include "cli/report_style.h"
#include "console/user_error.h"
#include "plan/measured.h"
#include "plan/plan.h"
#include "show/plan.h"

namespace lowtide::cli {
namespace {

using console::takes_text;
using console::turns_on;

std::string written_plan(const model::Plan& plan, const ReportStyle& style) {
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

// What was told comes before what the tensors say: they are then only set beside it.
void take_model_from(const PlanSource& source, model::TrainingSetup& setup) {
  if (setup.parameters > 0 || !source.tensors) return;
  setup.tensors = source.tensors;
  if (!source.tensors->is_on_device) setup.on_cpu = true;
}

void set_beside(const PlanSource& source, model::Plan& plan) {
  plan.measured = model::PlanMeasured{.source = source.name};
  if (source.report) {
    plan::add_measured(plan, *source.report);
    plan.epoch = plan::forecast_epoch(plan.setup, *source.report);
  }
  if (source.tensors) plan::add_measured(plan, *source.tensors);
  if (source.resident_bytes) plan.measured->host_bytes = source.resident_bytes;
}

struct PlanFlags : SetupFlags, StyleFlags {
  std::optional<std::uint64_t> limit_bytes = {};
  std::optional<std::string> from = {};
};

console::ExitCode run_plan(const PlanFlags& flags, const Words& /*words*/) {
  const auto style = choose_style(flags, "plan");
  if (const auto* user_error = std::get_if<console::UserError>(&style)) return refuse(*user_error);
  auto parsed = make_setup(flags);
  if (const auto* user_error = std::get_if<console::UserError>(&parsed)) return refuse(*user_error);
  auto& setup = std::get<model::TrainingSetup>(parsed);

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
        source ? console::UserError{source->name + " does not tell the size of the model",
                                    "nobody looked at its tensors, or it has none",
                                    "lowtide plan --parameters 3B --from " + source->name}
               : console::UserError{"plan needs the size of the model", "nearly everything follows from it",
                                    "lowtide plan --parameters 3B --precision 4bit --lora-rank 16"});
  }

  model::Plan plan = plan::make_plan(setup);
  if (flags.limit_bytes) plan.limit_bytes = static_cast<double>(*flags.limit_bytes);
  if (source) set_beside(*source, plan);
  Output output;
  output.write(written_plan(plan, std::get<ReportStyle>(style)));
  if (!output.finish()) return console::ExitCode::Unreadable;
  return plan.limit_bytes && plan.host.estimate > *plan.limit_bytes ? console::ExitCode::Leak
                                                                    : console::ExitCode::NoLeak;
}

console::Flags<PlanFlags> all_flags() {
  console::Flags<PlanFlags> flags;
  for (const auto& flag : setup_flags()) flags.emplace_back(flag);
  const console::Flags<PlanFlags> rest = {
      takes_text({"from", "FILE",
                  "a recording, a log or a pid: what was measured is set beside, and the model is taken from "
                  "its tensors where --parameters is not told"},
                 &PlanFlags::from),
      console::limit_flag("memory of the machine: does it fit? The exit code is 1 where it does not",
                          &PlanFlags::limit_bytes),
      turns_on("json", "print the plan as JSON, for programs", &PlanFlags::json),
      turns_on("markdown", "print a document, for a ticket", &PlanFlags::markdown),
      width_flag(),
      turns_on("quiet", "only the sums", &PlanFlags::quiet),
      color_flag(),
  };
  flags.insert(flags.end(), rest.begin(), rest.end());
  return flags;
}

}  // namespace

Command plan_command() {
  return with_flags<PlanFlags>(
      {"plan",
       "Tell what a training set-up should take, and what to change",
       "Works out the memory of a job before it runs, on the host and on the GPU, part by part, each with "
       "its "
       "formula, its range and what is assumed; tells how much RAM is enough, and which change buys how "
       "much. "
       "What is not told is assumed and said so. With --from, what was measured is set beside it. It is an "
       "estimate: docs/plan.md tells how good it is.",
       {},
       {
           {"lowtide plan --parameters 3B --precision 4bit --lora-rank 16", "LoRA beside quantised weights"},
           {"lowtide plan --parameters 3B --examples 663 --images-per-sample 1",
            "with images that stay open"},
           {"lowtide plan --parameters 350M --image-size 640 --limit 32G", "does it fit into 32 GiB?"},
           {"lowtide plan --from run.lowtide --workers 4",
            "from the tensors of a recorded job, beside what it took"},
       }},
      all_flags(), run_plan);
}

}  // namespace lowtide::cli

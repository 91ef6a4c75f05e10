#include "doctor/python_installs.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

namespace lowtide::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostInstalls = 8;
constexpr std::string_view kFrameworks[] = {"torch", "jax", "tensorflow"};

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// "python3.11" gives "3.11", "python3" and "pythonw" give "".
std::string version_in(std::string_view name) {
  constexpr std::string_view kStem = "python";
  if (!name.starts_with(kStem)) return {};
  name.remove_prefix(kStem.size());
  const bool is_version =
      name.find('.') != std::string_view::npos &&
      std::all_of(name.begin(), name.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  return is_version ? std::string(name) : std::string();
}

// From the name of its library folder, lib/python3.11, if there is only one.
std::string version_below(const fs::path& prefix) {
  std::string found;
  std::error_code error;
  for (fs::directory_iterator entry(prefix / "lib", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string version = version_in(entry->path().filename().string());
    if (version.empty()) continue;
    if (!found.empty()) return {};
    found = version;
  }
  return found;
}

std::vector<fs::path> package_folders(const fs::path& prefix, const std::string& version) {
  const fs::path library = "python" + version;
  std::vector<fs::path> folders = {prefix / "lib" / library / "site-packages",
                                   prefix / "lib64" / library / "site-packages"};
  // Debian's own interpreter uses these.
  if (prefix == "/usr") {
    folders.emplace_back("/usr/lib/python3/dist-packages");
    folders.push_back(fs::path("/usr/local/lib") / library / "dist-packages");
  }
  return folders;
}

PythonInstall describe(const fs::path& found, const fs::path& program) {
  PythonInstall install{.path = found.string()};
  // The interpreter of a virtual environment is a link to another one, with its own packages.
  const fs::path linked = found.parent_path().parent_path();
  const fs::path prefix = is_there(linked / "pyvenv.cfg") ? linked : program.parent_path().parent_path();
  install.version = version_in(program.filename().string());
  if (install.version.empty()) install.version = version_below(prefix);
  for (const std::string_view framework : kFrameworks) {
    for (const fs::path& folder : package_folders(prefix, install.version)) {
      if (!is_there(folder / framework)) continue;
      install.frameworks.emplace_back(framework);
      break;
    }
  }
  return install;
}

}  // namespace

std::vector<PythonInstall> find_pythons(std::string_view search_path) {
  std::vector<PythonInstall> installs;
  std::vector<fs::path> seen;
  while (!search_path.empty() && installs.size() < kMostInstalls) {
    const std::size_t end = std::min(search_path.find(':'), search_path.size());
    const fs::path folder(search_path.substr(0, end));
    search_path.remove_prefix(std::min(end + 1, search_path.size()));
    const fs::path found = folder / "python3";
    if (folder.empty() || ::access(found.c_str(), X_OK) != 0) continue;
    std::error_code error;
    const fs::path program = fs::canonical(found, error);
    if (error) continue;
    // Two environments may link to the same program.
    const fs::path identity = is_there(folder.parent_path() / "pyvenv.cfg") ? found : program;
    if (std::find(seen.begin(), seen.end(), identity) != seen.end()) continue;
    seen.push_back(identity);
    installs.push_back(describe(found, program));
  }
  return installs;
}

}  // namespace lowtide::doctor

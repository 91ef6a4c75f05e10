#include "observe/package_version.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <vector>

#include "symbols/target_files.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kMostFolders = 3000;          // beside the package
constexpr std::size_t kMostRead = 1U << 20U;        // of a file
constexpr std::size_t kMostReadInAll = 16U << 20U;  // of all files
constexpr std::size_t kLongestVersion = 40;

struct Place {
  std::string folder;   // ".../site-packages"
  std::string package;  // "pyarrow"; of a module that is a single file, its name without ending
};

std::optional<Place> place_of(const std::string& module) {
  for (const std::string_view name : {"/site-packages/", "/dist-packages/"}) {
    const std::size_t at = module.rfind(name);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + name.size();
    std::string package = module.substr(begin, module.find('/', begin) - begin);
    // "ujson.cpython-311-x86_64-linux-gnu.so" and "numpy.libs".
    package.resize(std::min(package.size(), package.find('.')));
    if (package.empty()) return std::nullopt;
    return Place{module.substr(0, begin - 1), package};
  }
  return std::nullopt;
}

// Names of packages are compared without case, and with "_" for "-" and ".".
std::string normalized(std::string_view name) {
  std::string out(name);
  for (char& letter : out) {
    letter = letter == '-' || letter == '.'
                 ? '_'
                 : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return out;
}

struct Distribution {
  std::string folder;  // "Pillow-11.0.0.dist-info"
  std::string name;
  std::string version;
};

bool is_version(std::string_view text) {
  return !text.empty() && text.size() <= kLongestVersion &&
         std::isdigit(static_cast<unsigned char>(text.front())) != 0 &&
         std::all_of(text.begin(), text.end(), [](char letter) {
           return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' || letter == '+' ||
                  letter == '!' || letter == '_';
         });
}

std::optional<Distribution> parse_distribution(const std::string& folder) {
  for (const std::string_view ending : {".dist-info", ".egg-info"}) {
    if (!folder.ends_with(ending)) continue;
    const std::string stem = folder.substr(0, folder.size() - ending.size());
    const std::size_t name_end = stem.find('-');
    if (name_end == std::string::npos) return std::nullopt;
    // "numpy-1.24.2-py3.11.egg-info"
    const std::string version = stem.substr(name_end + 1, stem.find('-', name_end + 1) - name_end - 1);
    if (!is_version(version)) return std::nullopt;
    return Distribution{folder, stem.substr(0, name_end), version};
  }
  return std::nullopt;
}

std::vector<Distribution> distributions_in(const std::string& folder) {
  std::vector<Distribution> out;
  std::error_code error;
  std::size_t seen = 0;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator() && seen < kMostFolders;
       entry.increment(error), ++seen) {
    if (auto found = parse_distribution(entry->path().filename().string())) out.push_back(std::move(*found));
  }
  return out;
}

// "cv2" in top_level.txt, "cv2/__init__.py,sha256=..." in RECORD.
bool names_package(std::string_view text, const std::string& package) {
  constexpr std::array<std::string_view, 3> kBehind = {"\n", "/", "."};
  for (std::size_t at = text.find(package); at != std::string_view::npos; at = text.find(package, at + 1)) {
    const std::string_view rest = text.substr(at + package.size());
    const bool begins_line = at == 0 || text[at - 1] == '\n';
    const bool ends =
        rest.empty() || std::any_of(kBehind.begin(), kBehind.end(),
                                    [&](std::string_view behind) { return rest.starts_with(behind); });
    if (begins_line && ends) return true;
  }
  return false;
}

std::optional<std::string> find_version(const std::string& folder, const std::string& package) {
  const std::vector<Distribution> all = distributions_in(folder);
  const auto same = std::find_if(all.begin(), all.end(), [&](const Distribution& each) {
    return normalized(each.name) == normalized(package);
  });
  if (same != all.end()) return same->version;
  std::size_t left = kMostReadInAll;
  for (const char* const list : {"top_level.txt", "RECORD"}) {
    for (const Distribution& each : all) {
      const std::string text =
          symbols::read_start(symbols::open_regular(fmt::format("{}/{}/{}", folder, each.folder, list)),
                              std::min(left, kMostRead));
      left -= text.size();
      if (names_package(text, package)) return each.version;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> read_package_version(std::int32_t pid, const std::string& module,
                                                const std::string& proc) {
  const auto place = place_of(module);
  if (!place) return std::nullopt;
  const std::string root = fmt::format("{}/{}/root", proc, pid);
  std::error_code error;
  const bool is_there = std::filesystem::is_directory(root + place->folder, error);
  return find_version(is_there ? root + place->folder : place->folder, place->package);
}

}  // namespace lowtide::observe

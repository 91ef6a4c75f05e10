#include "explain/settle/sites/own_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

namespace lowtide::explain {
namespace {

using model::Frame;
using model::FrameLanguage;

// Beginnings of file names. A library that a user wrote is not called so.
constexpr std::array<std::string_view, 44> kRuntimes{
    "libc.so",     "libc-",       "libc.musl",   "ld-",        "libstdc++",   "libgcc_s",    "libm.so",
    "libm-",       "libpthread",  "libdl",       "librt",      "libpython",   "python",      "pypy",
    "libpypy",     "libffi",      "libgomp",     "libiomp",    "libomp",      "libtbb",      "libopenblas",
    "libblas",     "liblapack",   "libmkl",      "libtorch",   "libc10",      "libshm",      "libcuda",
    "libcublas",   "libcudnn",    "libnccl",     "libnv",      "libcusparse", "libcusolver", "libcufft",
    "libjemalloc", "libtcmalloc", "libmimalloc", "liblowtide", "libarrow",    "libprotobuf", "libnuma",
    "linux-vdso",  "[vdso]"};

constexpr std::array<std::string_view, 6> kSystemFolders{"/lib/",     "/lib64/",     "/lib32/",
                                                         "/usr/lib/", "/usr/lib64/", "/usr/libexec/"};

constexpr std::array<std::string_view, 3> kPackageFolders{"/site-packages/", "/dist-packages/",
                                                          "/lib-dynload/"};

// Source trees of frameworks that are used without being installed.
constexpr std::array<std::string_view, 6> kFrameworks{"/torch/nn/", "/torch/utils/", "/torch/optim/",
                                                      "/torch/_",   "/numpy/core/",  "/torch/autograd/"};

constexpr std::array<std::string_view, 8> kTemplates{
    "std::",      "__gnu_cxx::",   "operator new",      "void* std::",
    "void std::", "operator new[", "void* __gnu_cxx::", "void __gnu_cxx::"};

bool starts_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <typename List>
bool holds_any(std::string_view text, const List& parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return holds(text, part); });
}

template <typename List>
bool begins_with_any(std::string_view text, const List& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return starts_with(text, beginning); });
}

std::string_view file_name_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_standard_library(std::string_view path) {
  return holds(path, "/lib/python3.") || holds(path, "/lib64/python3.") || holds(path, "/lib/pypy") ||
         (holds(path, "/python3") && holds(path, ".zip/"));
}

// "numpy.libs" and "ujson.cpython-311-x86_64-linux-gnu.so" are numpy and ujson, "libsqlite3.so.0.8.6" is
// libsqlite3.
std::string_view plain_name(std::string_view name) {
  for (const std::string_view ending : {".libs", ".cpython", ".abi3", ".so"})
    name = name.substr(0, name.find(ending));
  return name;
}

// Code that was typed in or given with -c is the user's; what a library made up is not.
bool is_typed_in(std::string_view file) {
  return file == "<string>" || file == "<stdin>" || starts_with(file, "<ipython-input");
}

bool is_installed(std::string_view file) {
  if (file.empty()) return true;
  if (file.front() == '<') return !is_typed_in(file);
  return holds_any(file, kPackageFolders) || is_standard_library(file);
}

bool is_known(const Frame& frame) {
  return !frame.function.empty() || !frame.file.empty();
}

// The innermost frame of a library that calls C from Python, inside of `act_on`; else `act_on`.
std::size_t find_bridge(const std::vector<Frame>& frames, std::size_t act_on) {
  for (std::size_t at = 0; at < act_on; ++at) {
    // Between the allocator and the line there is Python code of a library: its objects, then.
    if (frames[at].language == FrameLanguage::Python && !holds(frames[at].file, "/ctypes/")) break;
    const std::string_view name = file_name_of(frames[at].module);
    if (starts_with(name, "_ctypes") || starts_with(name, "_cffi_backend") || starts_with(name, "libffi")) {
      return at;
    }
  }
  return act_on;
}

}  // namespace

bool is_runtime(const Frame& native) {
  const std::string_view module = native.module;
  // Without a module it is code that was made at run time, or a lost frame: nobody's.
  if (module.empty() || native.function.empty()) return true;
  return begins_with_any(file_name_of(module), kRuntimes) || begins_with_any(module, kSystemFolders) ||
         holds_any(module, kPackageFolders) || is_standard_library(module) ||
         begins_with_any(native.function, kTemplates);
}

bool is_own_python(const Frame& frame) {
  return frame.language == FrameLanguage::Python && !is_installed(frame.file) &&
         !holds_any(frame.file, kFrameworks);
}

bool has_installed_package(const std::vector<SiteEvidence>& sites, std::string_view name) {
  const std::array folders{fmt::format("/site-packages/{}/", name), fmt::format("/dist-packages/{}/", name)};
  return std::ranges::any_of(sites, [&](const SiteEvidence& site) {
    return std::ranges::any_of(site.info.frames, [&](const Frame& frame) {
      return frame.language == FrameLanguage::Python &&
             std::ranges::any_of(folders,
                                 [&](const std::string& folder) { return holds(frame.file, folder); });
    });
  });
}

OwnModules own_modules(const std::vector<SiteEvidence>& sites) {
  OwnModules out{"__main__", "__mp_main__"};
  std::set<std::string_view> files;
  for (const SiteEvidence& site : sites) {
    for (const Frame& frame : site.info.frames) {
      if (is_own_python(frame)) files.insert(frame.file);
    }
  }
  for (const std::string_view file : files) {
    for (const auto& part : std::filesystem::path(file)) out.insert(part.stem().string());
  }
  return out;
}

std::size_t frame_to_act_on(const std::vector<Frame>& frames) {
  const auto find = [&](auto&& fits) {
    return static_cast<std::size_t>(std::find_if(frames.begin(), frames.end(), fits) - frames.begin());
  };
  const auto is_python = [](const Frame& frame) { return frame.language == FrameLanguage::Python; };
  std::size_t at =
      find([&](const Frame& frame) { return is_python(frame) ? is_own_python(frame) : !is_runtime(frame); });
  if (at == frames.size()) at = find([&](const Frame& f) { return is_python(f) && !is_installed(f.file); });
  if (at == frames.size()) at = find(is_python);
  if (at == frames.size()) at = find(is_known);
  return at == frames.size() ? 0 : at;
}

bool is_native_allocation(const std::vector<Frame>& frames, std::size_t act_on) {
  if (act_on >= frames.size() || frames[act_on].language == FrameLanguage::Native) return true;
  return find_bridge(frames, act_on) < act_on;
}

NativeLibrary find_native_library(const std::vector<Frame>& frames) {
  // torch's allocator allocates the data of tensors: what holds the tensors leaks, not the library.
  constexpr std::array<std::string_view, 15> kNobody{
      "libc10",  "libtorch", "libc.so",    "libc-",     "libc.musl", "ld-",        "libstdc++", "libgcc_s",
      "libm.so", "libm-",    "libpthread", "libpython", "python",    "liblowtide", "libffi"};
  const bool is_whole = std::any_of(frames.begin(), frames.end(), [](const Frame& frame) {
    return frame.language == FrameLanguage::Python && frame.function == "<module>";
  });
  bool is_behind_python = false;
  for (const Frame& frame : frames) {
    is_behind_python = is_behind_python || frame.language == FrameLanguage::Python;
    // Behind all Python frames the interpreter adds the native ones of the innermost call.
    if (is_behind_python && !is_whole) return {};
    const std::string_view file = file_name_of(frame.module);
    if (frame.language == FrameLanguage::Python || frame.module.empty() || begins_with_any(file, kNobody) ||
        holds(frame.module, "/lib-dynload/")) {
      continue;
    }
    for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
      const std::size_t at = frame.module.find(folder);
      if (at == std::string::npos) continue;
      const std::string_view package = std::string_view(frame.module).substr(at + folder.size());
      if (package.starts_with("torch/")) return {};
      return {std::string(plain_name(package.substr(0, package.find('/')))), frame.module};
    }
    return {std::string(plain_name(file)), frame.module};
  }
  return {};
}

std::string function_behind_bridge(const std::vector<Frame>& frames, std::size_t act_on) {
  const std::size_t end = std::min(act_on, frames.size());
  const std::size_t bridge = find_bridge(frames, end);
  if (bridge == 0 || bridge >= end) return "";
  // Where Python code of a library makes the call, what it returns is not the user's to free.
  const bool is_of_library =
      std::any_of(frames.begin() + static_cast<std::ptrdiff_t>(bridge),
                  frames.begin() + static_cast<std::ptrdiff_t>(end), [](const Frame& frame) {
                    return frame.language == FrameLanguage::Python && !holds(frame.file, "/ctypes/");
                  });
  return is_of_library ? "" : frames[bridge - 1].function;
}

}  // namespace lowtide::explain

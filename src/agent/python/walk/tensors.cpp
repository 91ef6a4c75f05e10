#include "agent/python/walk/tensors.h"

#include "agent/heap/text.h"
#include "agent/python/text.h"
#include "agent/python/walk/autograd.h"
#include "agent/python/walk/child_memory.h"
#include "agent/python/walk/jax_arrays.h"

namespace lowtide::agent {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

PyObject* call(PyObject* function, PyObject* object) {
  PyObject* value = function == nullptr ? nullptr : g_calls.call(function, object, nullptr);
  if (value == nullptr) {
    g_calls.clear_error();
  }
  return value;
}

std::int64_t number(PyObject* object) {
  if (object == nullptr) {
    return -1;
  }
  const long long value = g_calls.to_number(object);
  if (value < 0) {
    g_calls.clear_error();
  }
  g_calls.release(object);
  return value;
}

// "cuda:0"
void write_device(PyObject* device, char (&into)[16]) {
  PyObject* kind = attribute(device, "type");
  std::uint32_t written =
      kind != nullptr && is_kind(kind, type_flag::kText) ? copy_python_text(kind, into, sizeof(into) - 4) : 0;
  PyObject* index = attribute(device, "index");
  if (index != nullptr && index != g_calls.none) {
    const long long value = g_calls.to_number(index);
    if (value >= 0 && value < 100) {
      into[written++] = ':';
      if (value >= 10) {
        into[written++] = static_cast<char>('0' + value / 10);
      }
      into[written++] = static_cast<char>('0' + value % 10);
    }
  }
  into[written] = 0;
}

// The number of elements.
std::uint64_t read_shape(PyObject* shape, TensorGroup& into) {
  std::uint64_t elements = 1;
  const std::int64_t dimensions = size_of_variable(shape);
  for (std::int64_t at = 0; at < dimensions; ++at) {
    const long long side = g_calls.to_number(tuple_item(shape, at));
    elements *= side > 0 ? static_cast<std::uint64_t>(side) : 0;
    if (into.dimensions < wire::kMaxDimensions) {
      into.shape[into.dimensions++] = side;
    }
  }
  return elements;
}

bool are_alike(const TensorGroup& left, const TensorGroup& right) {
  if (left.hash != right.hash || left.dtype != right.dtype || left.dimensions != right.dimensions ||
      left.requires_grad != right.requires_grad || !equal(left.device, right.device)) {
    return false;
  }
  for (std::uint32_t at = 0; at < left.dimensions; ++at) {
    if (left.shape[at] != right.shape[at]) {
      return false;
    }
  }
  return true;
}

std::uint64_t hash_of(const TensorGroup& wanted) {
  std::uint64_t hash = reinterpret_cast<std::uintptr_t>(wanted.dtype) ^ wanted.requires_grad;
  for (std::uint32_t at = 0; at < wanted.dimensions; ++at) {
    hash = (hash ^ static_cast<std::uint64_t>(wanted.shape[at])) * kGolden;
    hash ^= hash >> 29U;
  }
  for (const char* letter = wanted.device; *letter != 0; ++letter) {
    hash = (hash ^ static_cast<unsigned char>(*letter)) * kGolden;
  }
  return hash ^ wanted.dimensions;
}

}  // namespace

bool Tensors::find_functions() {
  PyObject* base = tensor_base();
  if (base == nullptr) {
    return false;
  }
  // Of the base class, so that no override of a subclass is run.
  shape_of_ = attribute(base, "shape");
  device_of_ = attribute(base, "device");
  dtype_of_ = attribute(base, "dtype");
  requires_grad_of_ = attribute(base, "requires_grad");
  element_bytes_of_ = attribute(base, "element_size");
  storage_of_ = attribute(base, "untyped_storage");
  if (storage_of_ == nullptr) {
    storage_of_ = attribute(base, "_storage");  // before torch 2
  }
  gradient_of_ = attribute(base, "grad");
  PyObject* parameters = loaded_module("torch.nn.parameter");
  parameter_type_ = parameters == nullptr ? nullptr : attribute(parameters, "Parameter");
  return shape_of_ != nullptr && device_of_ != nullptr && dtype_of_ != nullptr &&
         requires_grad_of_ != nullptr && element_bytes_of_ != nullptr && storage_of_ != nullptr;
}

std::uint32_t Tensors::group_of(const TensorGroup& wanted) {
  std::uint64_t place = wanted.hash;
  for (;; ++place) {
    place %= std::uint64_t{2} * kMostGroups;
    std::uint32_t& found = places_[place];
    if (found == 0 && count_ + 1 < kMostGroups) {
      groups_[count_] = wanted;
      found = ++count_;
    }
    if (found == 0) {
      return kMostGroups - 1;  // all that had no room
    }
    if (are_alike(groups_[found - 1], wanted)) {
      return found - 1;
    }
  }
}

Tensors::Storage* Tensors::place_of(std::uint64_t key) {
  std::uint64_t place = (key * kGolden) >> 20U;
  for (;; ++place) {
    Storage& storage = storages_[place & (storage_room_ - 1)];
    if (storage.key == key || storage.key == 0) {
      return &storage;
    }
  }
}

bool Tensors::make_room() {
  if (storage_count_ * 2 < storage_room_) {
    return true;
  }
  Storage* old = storages_;
  const std::uint64_t old_room = storage_room_;
  const std::uint64_t room = old_room == 0 ? 4096 : 4 * old_room;
  auto* grown = static_cast<Storage*>(take_memory(room * sizeof(Storage)));
  if (grown == nullptr) {
    return false;
  }
  storages_ = grown;
  storage_room_ = room;
  for (std::uint64_t at = 0; at < old_room; ++at) {
    if (old[at].key != 0) {
      *place_of(old[at].key) = old[at];
    }
  }
  return true;
}

PyObject* Tensors::storage_of(PyObject* tensor, std::uint64_t& key) const {
  PyObject* storage = call(storage_of_, tensor);
  const std::int64_t found = storage == nullptr ? -1 : number(attribute(storage, "_cdata"));
  key = found > 0 ? static_cast<std::uint64_t>(found) : 0;
  return storage;
}

wire::TensorUse Tensors::use_of(ObjectGraph& graph, Node node) const {
  if (parameter_type_ != nullptr && is_subtype(type_of(graph.object(node)), parameter_type_)) {
    return wire::TensorUse::Parameter;
  }
  const Node from = graph.reached_from(node);
  const bool is_saved = from != kRoot && graph.types().of(graph.object(from)).role == Role::Function;
  return is_saved ? wire::TensorUse::Saved : wire::TensorUse::Other;
}

void Tensors::note_storage(PyObject* tensor, Node node, TensorGroup& group, ObjectGraph& graph) {
  std::uint64_t key = 0;
  PyObject* storage = storage_of(tensor, key);
  if (storage == nullptr || !make_room()) {
    return;  // a sparse tensor, or one that only stands for another, has none
  }
  PyObject* ask_bytes = attribute(storage, "nbytes");
  PyObject* told = ask_bytes == nullptr ? nullptr : g_calls.call(ask_bytes, nullptr);
  const std::int64_t bytes = number(told);
  if (key == 0 || bytes < 0 || equal(group.device, "meta")) {  // which is nowhere
    g_calls.clear_error();
    return;
  }
  const wire::TensorUse use = use_of(graph, node);
  Storage& found = *place_of(key);
  if (found.key != 0) {
    // One that is only saved stays so if this tensor is saved as well.
    if (use == wire::TensorUse::Parameter || found.use == wire::TensorUse::Saved) {
      found.use = use;
    }
    if (!graph.is_more_fleeting(node, found.holder)) {
      found.holder = graph.common_holder(found.holder, node);
    }
    return;
  }
  found = {key, static_cast<std::uint64_t>(bytes), node, use, equal(group.device, "cpu")};
  ++storage_count_;
  ++group.storages;
  group.storage_bytes += found.bytes;
}

void Tensors::ask(ObjectGraph& graph, Node node) {
  PyObject* tensor = graph.object(node);
  TensorGroup wanted = {};
  PyObject* shape = ask_getter(shape_of_, tensor);
  PyObject* device = ask_getter(device_of_, tensor);
  wanted.dtype = ask_getter(dtype_of_, tensor);
  PyObject* needs_grad = ask_getter(requires_grad_of_, tensor);
  wanted.requires_grad = needs_grad != nullptr && number(needs_grad) == 1 ? 1 : 0;
  const std::int64_t element_bytes = number(call(element_bytes_of_, tensor));
  if (shape == nullptr || device == nullptr || wanted.dtype == nullptr || element_bytes < 0) {
    return;
  }
  const std::uint64_t elements = read_shape(shape, wanted);
  write_device(device, wanted.device);
  wanted.hash = hash_of(wanted);
  if (is_made_here(tensor)) {
    note_storage(tensor, node, wanted, graph);  // it stands for memory, but the process has no such object
    return;
  }
  TensorGroup& group = groups_[group_of(wanted)];
  ++group.count;
  group.bytes += elements * static_cast<std::uint64_t>(element_bytes);
  note_storage(tensor, node, group, graph);
}

// A parameter has no function, so torch does not warn when it is asked for its gradient.
void Tensors::mark_gradients(ObjectGraph& graph) {
  for (Node node = 1; parameter_type_ != nullptr && storage_room_ > 0 && node < graph.count(); ++node) {
    PyObject* object = graph.object(node);
    if (graph.types().of(object).role != Role::Tensor || !is_subtype(type_of(object), parameter_type_)) {
      continue;
    }
    PyObject* gradient = ask_getter(gradient_of_, object);
    if (gradient == nullptr || gradient == g_calls.none) {
      continue;
    }
    std::uint64_t key = 0;
    if (storage_of(gradient, key) == nullptr || key == 0) {
      continue;
    }
    Storage& found = *place_of(key);
    if (found.key != 0 && found.use != wire::TensorUse::Parameter) {
      found.use = wire::TensorUse::Gradient;
    }
  }
}

bool Tensors::write_uses(const ObjectGraph& graph, std::uint32_t listed, SnapshotFile& file) const {
  constexpr std::uint32_t kUses = 4;
  struct Sum {
    std::uint64_t host_bytes;
    std::uint64_t device_bytes;
  };
  auto* const sums = static_cast<Sum*>(take_memory((std::size_t{listed} + 1) * kUses * sizeof(Sum)));
  if (sums == nullptr) {
    return false;
  }
  for (std::uint64_t at = 0; at < storage_room_; ++at) {
    const Storage& storage = storages_[at];
    if (storage.key == 0) {
      continue;
    }
    const std::uint32_t holder = graph.listed_at(storage.holder);
    Sum& sum = sums[std::size_t{holder < listed ? holder : listed} * kUses +
                    static_cast<std::uint32_t>(storage.use)];
    (storage.is_on_host ? sum.host_bytes : sum.device_bytes) += storage.bytes;
  }
  for (std::uint32_t at = 0; at < (listed + 1) * kUses; ++at) {
    const bool is_empty = sums[at].host_bytes + sums[at].device_bytes == 0;
    if (is_empty || at % kUses == static_cast<std::uint32_t>(wire::TensorUse::Other)) {
      continue;
    }
    auto* record =
        static_cast<wire::UseRecord*>(file.add(wire::SnapshotRecordKind::Use, sizeof(wire::UseRecord)));
    if (record == nullptr) {
      return false;
    }
    record->node = at / kUses < listed ? at / kUses : wire::kNoHolder;
    record->use = static_cast<wire::TensorUse>(at % kUses);
    record->host_bytes = sums[at].host_bytes;
    record->device_bytes = sums[at].device_bytes;
  }
  return true;
}

// Each has its own memory. Where another one stands for the same, or it was given away, its bytes are too
// many.
void Tensors::ask_array(ObjectGraph& graph, Node node, bool is_on_gpu) {
  PyObject* const array = graph.object(node);
  JaxLooks seen = {};
  if (!ask_jax_array(array, seen) || !make_room()) {
    return;
  }
  TensorGroup wanted = {};
  wanted.dtype = seen.dtype;
  const std::uint64_t bytes = read_shape(seen.shape, wanted) * seen.element_bytes;
  constexpr char kOnGpu[] = "gpu";
  constexpr char kOnHost[] = "cpu";
  __builtin_memcpy(wanted.device, is_on_gpu ? kOnGpu : kOnHost, sizeof(kOnGpu));
  wanted.hash = hash_of(wanted);
  TensorGroup& group = groups_[group_of(wanted)];
  ++group.count;
  group.bytes += bytes;
  ++group.storages;
  group.storage_bytes += bytes;
  const auto key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(array));
  *place_of(key) = {key, bytes, node, wire::TensorUse::Other, !is_on_gpu};
  ++storage_count_;
}

bool Tensors::ask_arrays(ObjectGraph& graph, bool is_on_gpu) {
  bool are_there = false;
  for (Node node = 1; node < graph.count(); ++node) {
    if (graph.types().of(graph.object(node)).role == Role::JaxArray) {
      ask_array(graph, node, is_on_gpu);
      are_there = true;
    }
  }
  return are_there;
}

bool Tensors::ask_all(ObjectGraph& graph, bool is_jax_on_gpu) {
  groups_ = static_cast<TensorGroup*>(take_memory(kMostGroups * sizeof(TensorGroup)));
  places_ = static_cast<std::uint32_t*>(take_memory(std::size_t{2} * kMostGroups * sizeof(std::uint32_t)));
  if (groups_ == nullptr || places_ == nullptr) {
    return false;
  }
  const bool has_arrays = ask_arrays(graph, is_jax_on_gpu);
  const bool has_torch = find_functions();
  for (Node node = 1; has_torch && node < graph.count(); ++node) {
    if (graph.types().of(graph.object(node)).role == Role::Tensor) {
      ask(graph, node);
    }
  }
  if (has_torch) {
    mark_gradients(graph);
  }
  give_to_holders(graph);
  return has_arrays || has_torch;
}

void Tensors::give_to_holders(ObjectGraph& graph) {
  for (std::uint64_t at = 0; at < storage_room_; ++at) {
    Storage& storage = storages_[at];
    if (storage.key == 0) {
      continue;
    }
    if (storage.is_on_host) {
      host_bytes_ += storage.bytes;
      graph.add_bytes(storage.holder, storage.bytes);
    } else if (graph.add_device_bytes(storage.holder, storage.bytes)) {
      device_bytes_ += storage.bytes;
    } else {
      storage.key = 0;  // not counted, also not by its use
    }
  }
}

}  // namespace lowtide::agent

#include "agent/python/walk/object_graph.h"

#include "agent/python/walk/arrays.h"
#include "agent/python/walk/child_memory.h"

namespace lowtide::agent {
namespace {

constexpr std::size_t kMostObjects = 1ULL << 30U;
// Of an entry in sizes_. A larger object is measured again.
constexpr std::uint32_t kMeasureAgain = (1U << 31U) - 1;
constexpr std::uint32_t kRefersToShared = 1U << 31U;
constexpr std::size_t kCountEvery = 1U << 16U;
constexpr Node kAhead = 12;  // objects whose memory is asked for before their turn

// A dict whose keys are all texts does not tell the collector of them.
void visit_keys(PyObject* dict, Visit visitor, void* context) {
  std::ptrdiff_t position = 0;
  PyObject* key = nullptr;
  while (g_calls.next_item(dict, &position, &key, nullptr) != 0) {
    if (type_of(key) == g_calls.text_type) {
      visitor(key, context);
    }
  }
}

}  // namespace

bool ObjectGraph::begin() {
  count_ = 1;
  walked_ = 1;
  if (!objects_.reserve(kMostObjects) || !parents_.reserve(kMostObjects) || !sizes_.reserve(kMostObjects) ||
      !map_.begin() || !types_.begin()) {
    return false;
  }
  autograd_.begin();
  return true;
}

Node ObjectGraph::append(PyObject* object, Node from) {
  if (count_ >= sizes_.counted() && (!objects_.count_more(kCountEvery) || !parents_.count_more(kCountEvery) ||
                                     !sizes_.count_more(kCountEvery))) {
    is_cut_ = true;
    return 0;
  }
  objects_[count_] = object;
  parents_[count_] = from;
  return count_++;
}

Node ObjectGraph::add_root(PyObject* object) {
  return !is_cut_ && map_.add(object) ? append(object, kRoot) : 0;
}

int ObjectGraph::visit(PyObject* object, void* graph) {
  auto& self = *static_cast<ObjectGraph*>(graph);
  if (self.map_.meet(object)) {
    self.append(object, self.here_);
  } else {
    self.sizes_[self.here_] |= kRefersToShared;
  }
  return 0;
}

void ObjectGraph::traverse(PyObject* object, const TypeInfo& info, Visit visitor) {
  if (info.traverse != nullptr && (info.is_collected == nullptr || info.is_collected(object) != 0)) {
    info.traverse(object, visitor, this);
  }
  if (info.role == Role::Dict) {
    visit_keys(object, visitor, this);
  } else if (info.role == Role::Array) {
    visit_array(object, visitor, this);
  } else if (info.role == Role::Tensor || info.role == Role::Function) {
    autograd_.visit(object, info, here_, visitor, this);
  }
}

std::uint64_t ObjectGraph::size_of(PyObject* object, const TypeInfo& info) const {
  const std::uint64_t native = info.role == Role::Function ? native_bytes(object, info) : 0;
  return native + (is_made_here(object) ? 0 : measure(info, object));
}

void ObjectGraph::walk() {
  for (; walked_ < count_ && !is_cut_; ++walked_) {
    if (walked_ + kAhead < count_) {
      __builtin_prefetch(objects_[walked_ + kAhead]);
    }
    here_ = walked_;
    PyObject* object = objects_[walked_];
    TypeInfo& info = types_.of(object);
    const std::uint64_t bytes = size_of(object, info);
    if (bytes > 0) {
      sizes_[walked_] = bytes < kMeasureAgain ? static_cast<std::uint32_t>(bytes) : kMeasureAgain;
      ++info.count;
      info.bytes += bytes;
    }
    traverse(object, info, visit);
  }
}

void ObjectGraph::begin_fleeting() {
  (stages_[0] == ~Node{0} ? stages_[0] : stages_[1]) = count_;
}

// An object that was met again, one that refers to such an object, and all that are above these in the tree
// of the walk. No other object refers to any of them.
bool ObjectGraph::find_searched() {
  const std::uint32_t numbers = map_.number_all();
  if (!nodes_.take(numbers) || !searched_.begin(count_)) {
    return false;
  }
  for (Node node = 1; node < count_; ++node) {
    const std::uint32_t number = map_.number_of(objects_[node]);
    if (number != ObjectMap::kUnknown) {
      nodes_[number] = node;
      searched_.add(node);
    }
  }
  for (Node node = count_ - 1; node > kRoot; --node) {
    if ((sizes_[node] & kRefersToShared) != 0 || searched_.has(node)) {
      searched_.add(node);
      searched_.add(parents_[node]);
    }
  }
  searched_.add(kRoot);
  searched_.rank_all();
  return true;
}

void ObjectGraph::add_edge(Node to) {
  has_edges_ = has_edges_ && edges_.add(here_rank_, searched_.rank(to));
}

int ObjectGraph::note_edge(PyObject* object, void* graph) {
  auto& self = *static_cast<ObjectGraph*>(graph);
  const std::uint32_t number = self.map_.number_of(object);
  const Node node = number == ObjectMap::kUnknown ? kRoot : self.nodes_[number];
  // Those that the root reaches are held by the root. An edge of the tree is known.
  if (node == kRoot || node == self.here_ || self.parents_[node] == kRoot ||
      self.parents_[node] == self.here_) {
    return 0;
  }
  if (!self.is_more_fleeting(self.here_, node)) {
    self.add_edge(node);
  }
  return 0;
}

void ObjectGraph::add_edges_of_root() {
  here_rank_ = kRoot;
  for (Node node = 1; node < count_; ++node) {
    if (parents_[node] == kRoot && searched_.has(node)) {
      add_edge(node);
    }
  }
}

// The dominator of each node that is searched, by rank; null where there is no memory.
const Node* ObjectGraph::search() {
  if (!find_searched() || !edges_.begin(searched_.count())) {
    return nullptr;
  }
  has_edges_ = true;
  add_edges_of_root();
  Node child = 1;  // what an object was first to reach comes in the order of these objects
  for (here_ = 1; here_ < count_ && has_edges_; ++here_) {
    if (!searched_.has(here_)) {
      continue;
    }
    ++here_rank_;
    for (; child < count_ && parents_[child] <= here_; ++child) {
      if (parents_[child] == here_ && searched_.has(child)) {
        add_edge(child);
      }
    }
    if (here_ < walked_ && (sizes_[here_] & kRefersToShared) != 0) {
      traverse(objects_[here_], types_.of(objects_[here_]), note_edge);
    }
  }
  nodes_.give_back();
  return has_edges_ ? edges_.find() : nullptr;
}

bool ObjectGraph::note_dominators(const Node* found) {
  Table<Node> nodes;  // by rank
  if (!dominators_.take(count_) || !nodes.take(searched_.count())) {
    return false;
  }
  std::uint32_t rank = 0;
  for (Node node = 0; node < count_; ++node) {
    dominators_[node] = parents_[node];
    if (found != nullptr && searched_.has(node)) {
      nodes[rank] = node;
      dominators_[node] = rank == 0 ? kRoot : nodes[found[rank]];
      ++rank;
    }
  }
  nodes.give_back();
  return true;
}

bool ObjectGraph::note_sizes() {
  if (!retained_.take(count_)) {
    return false;
  }
  for (Node node = 1; node < count_; ++node) {
    const std::uint32_t size = sizes_[node] & kMeasureAgain;
    retained_[node] = size < kMeasureAgain ? size : size_of(objects_[node], types_.of(objects_[node]));
  }
  sizes_.give_back();
  return true;
}

bool ObjectGraph::find_dominators() {
  const Node* found = search();
  nodes_.give_back();
  if (found == nullptr) {
    edges_.give_back();
  }
  const bool are_noted = note_dominators(found);
  edges_.give_back();
  searched_.give_back();
  return note_sizes() && are_noted && found != nullptr;
}

bool ObjectGraph::add_device_bytes(Node node, std::uint64_t bytes) {
  if (!device_.is_taken() && (!device_.reserve(count_) || device_.room() < count_)) {
    device_.give_back();
    return false;
  }
  device_[node] += bytes;
  return true;
}

bool ObjectGraph::sum_up() {
  if (!has_dominators() || !members_.take(count_)) {
    return false;
  }
  for (Node node = count_ - 1; node > kRoot; --node) {
    ++members_[node];
    members_[dominators_[node]] += members_[node];
    retained_[dominators_[node]] += retained_[node];
    if (device_bytes(node) > 0) {
      device_[dominators_[node]] += device_[node];
    }
  }
  return true;
}

void ObjectGraph::assign_to(const Node* listed, std::uint32_t count) {
  std::uint32_t next = 0;
  parents_[kRoot] = kNotListed;
  for (Node node = 1; node < count_; ++node) {
    const Node holder = dominators_[node];
    retained_[holder] -= retained_[node];  // what the node holds is still counted in it: its turn comes later
    if (device_bytes(node) > 0) {
      device_[holder] -= device_[node];
    }
    const bool is_listed = next < count && listed[next] == node;
    parents_[node] = is_listed ? next++ : parents_[holder];
  }
}

}  // namespace lowtide::agent

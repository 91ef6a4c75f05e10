#include "agent/python/walk/object_graph.h"

#include "agent/python/walk/arrays.h"
#include "agent/python/walk/child_memory.h"

namespace lowtide::agent {
namespace {

constexpr std::size_t kMostObjects = 1ULL << 30U;
constexpr std::size_t kBytesOfNode = kPointerBytes + sizeof(Node) + sizeof(std::uint64_t);
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
  std::size_t room = kMostObjects;
  objects_ = static_cast<PyObject**>(reserve_memory(kPointerBytes, room, room));
  parents_ = static_cast<Node*>(reserve_memory(sizeof(Node), room, room));
  retained_ = static_cast<std::uint64_t*>(reserve_memory(sizeof(std::uint64_t), room, room));
  room_ = room;
  count_ = 1;
  walked_ = 1;
  if (objects_ == nullptr || parents_ == nullptr || retained_ == nullptr || !map_.begin() ||
      !types_.begin()) {
    return false;
  }
  autograd_.begin();
  return true;
}

Node ObjectGraph::append(PyObject* object, Node from) {
  if (count_ >= counted_) {
    if (count_ + kCountEvery >= room_ || !count_memory(kCountEvery * kBytesOfNode)) {
      is_cut_ = true;
      return 0;
    }
    counted_ += kCountEvery;
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
  if (self.map_.add(object)) {
    self.append(object, self.here_);
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

void ObjectGraph::walk() {
  for (; walked_ < count_ && !is_cut_; ++walked_) {
    if (walked_ + kAhead < count_) {
      __builtin_prefetch(objects_[walked_ + kAhead]);
    }
    here_ = walked_;
    PyObject* object = objects_[walked_];
    TypeInfo& info = types_.of(object);
    const bool is_function = info.role == Role::Function;
    const std::uint64_t bytes =
        (is_made_here(object) ? 0 : measure(info, object)) + (is_function ? native_bytes(object, info) : 0);
    if (bytes > 0) {
      retained_[walked_] = bytes;
      ++info.count;
      info.bytes += bytes;
    }
    traverse(object, info, visit);
  }
}

void ObjectGraph::begin_fleeting() {
  (stages_[0] == ~Node{0} ? stages_[0] : stages_[1]) = count_;
}

bool ObjectGraph::number_nodes() {
  const std::uint32_t numbers = map_.number_all();
  nodes_ = static_cast<Node*>(take_memory((std::size_t{numbers} + 1) * sizeof(Node)));
  dominators_ = static_cast<Node*>(take_memory(count_ * sizeof(Node)));
  if (nodes_ == nullptr || dominators_ == nullptr) {
    return false;
  }
  for (Node node = 1; node < count_; ++node) {
    nodes_[map_.number_of(objects_[node])] = node;
    dominators_[node] = parents_[node];
  }
  return true;
}

int ObjectGraph::note_edge(PyObject* object, void* graph) {
  auto& self = *static_cast<ObjectGraph*>(graph);
  const std::uint32_t number = self.map_.number_of(object);
  const Node node = number == ObjectMap::kUnknown ? kRoot : self.nodes_[number];
  // Those that the root reaches are held by the root.
  if (node == kRoot || node == self.here_ || self.parents_[node] == kRoot) {
    return 0;
  }
  if (self.parents_[node] == self.here_ || !self.is_more_fleeting(self.here_, node)) {
    self.has_edges_ = self.has_edges_ && self.edges_.add(self.here_, node);
  }
  return 0;
}

bool ObjectGraph::find_dominators() {
  if (!number_nodes() || !edges_.begin(count_)) {
    return false;
  }
  has_edges_ = true;
  for (Node node = 1; node < count_ && has_edges_; ++node) {
    has_edges_ = parents_[node] != kRoot || edges_.add(kRoot, node);
  }
  for (here_ = 1; here_ < walked_ && has_edges_; ++here_) {
    if (here_ + kAhead < count_) {
      __builtin_prefetch(objects_[here_ + kAhead]);
    }
    traverse(objects_[here_], types_.of(objects_[here_]), note_edge);
  }
  return has_edges_ && edges_.find(dominators_);
}

bool ObjectGraph::add_device_bytes(Node node, std::uint64_t bytes) {
  if (device_ == nullptr) {
    std::size_t room = count_;
    device_ = static_cast<std::uint64_t*>(reserve_memory(sizeof(std::uint64_t), room, room));
    device_ = room < count_ ? nullptr : device_;
  }
  if (device_ != nullptr) {
    device_[node] += bytes;
  }
  return device_ != nullptr;
}

bool ObjectGraph::sum_up() {
  if (nodes_ == nullptr || dominators_ == nullptr) {
    return false;
  }
  members_ = nodes_;  // the numbers of the map are not needed any more
  __builtin_memset(members_, 0, std::size_t{count_} * sizeof(*members_));
  for (Node node = count_ - 1; node > kRoot; --node) {
    ++members_[node];
    members_[dominators_[node]] += members_[node];
    retained_[dominators_[node]] += retained_[node];
    if (device_ != nullptr && device_[node] > 0) {
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
    if (device_ != nullptr && device_[node] > 0) {
      device_[holder] -= device_[node];
    }
    const bool is_listed = next < count && listed[next] == node;
    parents_[node] = is_listed ? next++ : parents_[holder];
  }
}

}  // namespace lowtide::agent

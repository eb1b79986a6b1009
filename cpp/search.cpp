// The local search itself: its state, and its descent.
#include "search.h"

namespace allonym {

Search::Search(Space& space, GroupLoss& group_loss, Pieces pieces, Ints groups, Ints order, Ints alone)
    : space_(space), group_loss_(group_loss), pieces_(std::move(pieces)), group_(groups.data(), groups.data() + groups.size()),
      neighbours_(space, pieces_.mass, {order.data(), order.data() + order.size()},
                  {alone.data(), alone.data() + alone.size()}) {
  int64_t last = -1;
  for (int64_t unit : pieces_.units) last = std::max(last, unit);
  seen_.assign(last + 1, 0);
  int number = 0;
  for (int g : group_) number = std::max(number, g + 1);
  groups_.resize(number);
  for (size_t piece = 0; piece < group_.size(); ++piece) {
    if (pieces_.movable[piece]) groups_[group_[piece]].members.push_back(static_cast<int32_t>(piece));
    null_losses_.push_back(group_loss_.lost_by_null(static_cast<int32_t>(piece)));
  }
  own_far_.assign(group_.size(), 0.0);
  refill_seen_.assign(group_.size(), 0);
  Random random(0);
  for (size_t piece = 0; piece < group_.size(); ++piece) {
    uint64_t one = random.next();
    keys_.push_back({one, random.next()});
  }
  for (Group& group : groups_)
    if (!group.members.empty()) set_members(group, Members(group.members));
}

// Let a group have some members; none, if it is gone.
void Search::set_members(Group& group, const Members& members) {
  group.members = members;
  group.alive = !members.empty();
  group.key = key_of(members);
  group.rows = 0;
  group.loss = group.alive ? weigh(members, &group.stands) : 0.0;
  for (int32_t piece : members) {
    group.rows += pieces_.rows[piece];
    own_far_[piece] = group_loss_.far(piece, group.stands);
  }
}

double Search::weigh(const Members& members, std::vector<Stand>* stands) {
  work_ += 1 + static_cast<int64_t>(members.size()) / LARGE_GROUP + group_loss_.calls() * CALL;
  return group_loss_.weigh(members, stands);
}

SetKey Search::key_of(const Members& members) const {
  SetKey key;
  for (int32_t piece : members) key = key + keys_[piece];
  return key;
}

// What some pieces would lose as a group; it is looked up, if it is known.
double Search::loss_of(const Members& members) {
  SetKey key = key_of(members);
  if (const double* known = known_losses_.find(key)) {
    work_ += ++hits_ % HITS == 0;
    return *known;
  }
  double loss = weigh(members, nullptr);
  known_losses_.add(key, loss);
  return loss;
}

double Search::loss_after(const Altered& altered) {
  SetKey key = groups_[altered.group].key;
  if (altered.out != NONE) key = key - keys_[altered.out];
  if (altered.in != NONE) key = key + keys_[altered.in];
  if (const double* known = known_losses_.find(key)) {
    work_ += ++hits_ % HITS == 0;
    return *known;
  }
  double loss = weigh(members_after(altered), nullptr);
  known_losses_.add(key, loss);
  return loss;
}

Members Search::members_after(const Altered& altered) const {
  Members members;
  members.reserve(groups_[altered.group].members.size() + 1);
  for (int32_t piece : groups_[altered.group].members)
    if (piece != altered.out) members.push_back(piece);
  if (altered.in != NONE) members.insert(std::upper_bound(members.begin(), members.end(), altered.in), altered.in);
  return members;
}

// Change groups, what loses most first, until nothing is gained any more, or the work is done.
void Search::descend(int64_t work, Tick& tick) {
  double least = MIN_GAIN * loss();
  int64_t limit = work_ + work;
  std::vector<int32_t> all = movable_pieces();
  std::vector<uint8_t> waiting(group_.size(), 0);
  std::vector<int32_t> order = all;
  bool changed = true;
  while (changed && work_ < limit && !is_late()) {
    changed = order.size() < all.size();
    sort_by_loss(order);
    std::fill(waiting.begin(), waiting.end(), 0);
    for (size_t place = 0; place < order.size() && work_ < limit && !is_late(); ++place) {
      if (place % LOOKED_UP == 0) look_up_neighbours(order, place);
      if (improve(order[place], least)) {
        changed = true;
        for (int32_t piece : again_) waiting[piece] = 1;
      }
      if (place % 256 == 0) tick(std::min(work_, limit), limit);
    }
    order.clear();
    for (size_t piece = 0; piece < waiting.size(); ++piece)
      if (waiting[piece]) order.push_back(static_cast<int32_t>(piece));
    if (order.empty()) order = all;  // once more, whether nothing is left to be gained
  }
}

void Search::set_deadline(double seconds) {
  std::chrono::duration<double> time(seconds);
  limited_ = seconds > 0;
  deadline_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(time);
}

double Search::loss() const {
  double total = 0.0;
  for (const Group& group : groups_)
    if (group.alive) total += group.loss;
  for (int32_t piece : suppressed_) total += null_losses_[piece];
  return total;
}

// What stands for each group: by group and attribute a point, or, for Stand::NUMBER, a number.
std::pair<std::vector<int64_t>, std::vector<double>> Search::stands() const {
  std::pair<std::vector<int64_t>, std::vector<double>> found;
  for (const Group& group : groups_)
    for (int a = 0; a < space_.width(); ++a) {
      found.first.push_back(group.alive ? group.stands[a].point : Stand::IS_NULL);
      found.second.push_back(group.alive ? group.stands[a].number : 0.0);
    }
  return found;
}

// Whether some pieces have k rows, and, where rows are about persons, k persons.
bool Search::enough(const Members& members) {
  int64_t rows = 0;
  for (int32_t piece : members) rows += pieces_.rows[piece];
  if (rows < pieces_.k || pieces_.unit_starts.empty()) return rows >= pieces_.k;
  ++stamp_;
  int64_t units = 0;
  for (int32_t piece : members)
    for (int64_t i = pieces_.unit_starts[piece]; i < pieces_.unit_starts[piece + 1]; ++i) {
      if (seen_[pieces_.units[i]] != stamp_) seen_[pieces_.units[i]] = stamp_, ++units;
      if (units >= pieces_.k) return true;
    }
  return false;
}

bool Search::enough_after(const Altered& altered) {
  int64_t rows = groups_[altered.group].rows;
  if (altered.out != NONE) rows -= pieces_.rows[altered.out];
  if (altered.in != NONE) rows += pieces_.rows[altered.in];
  if (rows < pieces_.k || pieces_.unit_starts.empty()) return rows >= pieces_.k;
  return enough(members_after(altered));
}

// Whether some pieces would be a group that meets every requirement.
bool Search::holds(const Members& members) {
  if (!enough(members)) return false;
  if (pieces_.holds.is_none()) return true;
  work_ += CALL;
  nb::gil_scoped_acquire held;
  std::vector<int64_t> own(members.begin(), members.end());
  return nb::cast<bool>(pieces_.holds(to_numpy(std::move(own))));
}

std::vector<int32_t> Search::movable_pieces() const {
  std::vector<int32_t> all;
  for (size_t piece = 0; piece < group_.size(); ++piece)
    if (pieces_.movable[piece]) all.push_back(static_cast<int32_t>(piece));
  return all;
}

void Search::sort_by_loss(std::vector<int32_t>& order) const {
  std::vector<std::pair<double, int32_t>> keys;
  for (int32_t piece : order)
    keys.emplace_back(group_[piece] == SUPPRESSED ? -null_losses_[piece] : -own_far_[piece], piece);
  std::sort(keys.begin(), keys.end());
  for (size_t i = 0; i < order.size(); ++i) order[i] = keys[i].second;
}

// Make the best change about a piece; the pieces to look at again are left in `again_`.
bool Search::improve(int32_t piece, double least) {
  least_ = least;
  any_ = false;
  changes(piece);
  again_.clear();
  if (!any_) return false;
  std::vector<int32_t> touched = apply(best_);
  for (int32_t one : touched) {
    again_.push_back(one);
    const auto& next = near(one);
    for (size_t i = 0; i < next.size() && i < AGAIN; ++i) again_.push_back(next[i]);
  }
  return true;
}

// Make a change; return the members of the groups that it changes.
std::vector<int32_t> Search::apply(const Change& change) {
  std::vector<int32_t> touched;
  for (auto& [number, members] : change.groups) {
    if (number == SUPPRESSED) {
      set_suppressed(members);
      continue;
    }
    int place = number;
    if (number == NEW) place = static_cast<int>(groups_.size()), groups_.emplace_back();
    if (logging_) log_.emplace_back(place, groups_[place]);
    set_members(groups_[place], members);
    for (int32_t one : members) group_[one] = place, touched.push_back(one);
  }
  return touched;
}

}  // namespace allonym

// The least and the largest distances of a point to blocks of tuples, attribute by attribute.
//
// A block has 16 tuples, a region has 16 blocks. For each attribute and value, the least (or the largest) distance of a
// block bounds those of its tuples. Bounds are whole numbers, rounded down (or up), so that no tuple is missed. Those of
// values that occur in the table are kept; where that would take too much memory, and for other numbers, the lowest and
// the highest code of a block give bounds.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <functional>
#include <utility>

#include "space.h"

namespace allonym {

constexpr int BLOCK = 16;   // tuples of a block
constexpr int REGION = 16;  // blocks of a region

// What a search for tuples near a point, or far from it, needs to know about the point; each thread has its own.
struct PointBounds {
  std::vector<Point> point;
  std::vector<double> line;                     // weighted distances to codes, as in Space::line; not of long attributes
  std::vector<uint16_t> regions;                // the bound of each region
  std::vector<const uint16_t*> blocks;          // of each attribute: the bounds of blocks, if they are kept
  std::vector<std::vector<uint16_t>> computed;  // of each attribute: the bounds of blocks, for this point alone
  std::vector<std::unique_ptr<CostlyPoint>> costly;  // of each attribute whose distances take long; lines have bounds
};

class Bounds {
 public:
  enum Side { LOWER, UPPER };

  explicit Bounds(const Space& space)
      : space_(space), scale_(space.width() * std::floor(MAX_BOUND / space.width())), unit_(DIGITS / scale_), is_costly_(space.is_costly()), kept_(2 * space.width()) {}

  int regions() const { return regions_; }
  // Lay out tuples, in an order in which those that follow each other are alike.
  void lay(const std::vector<int32_t>& order) {
    int width = space_.width(), tuples = static_cast<int>(order.size());
    regions_ = (tuples + BLOCK * REGION - 1) / (BLOCK * REGION);
    blocks_ = regions_ * REGION;
    tuples_ = order;
    tuples_.resize(static_cast<size_t>(blocks_) * BLOCK, tuples ? order.back() : 0);
    codes_.resize(tuples_.size() * width);
    for (size_t i = 0; i < tuples_.size(); ++i)
      for (int a = 0; a < width; ++a)
        codes_[(i / BLOCK * width + a) * BLOCK + i % BLOCK] = static_cast<uint16_t>(space_.tuple(tuples_[i])[a]);
    lay_ranges();
    choose_kept();
    costly_codes_.assign(width, {});
    for (int a = 0; a < width; ++a)
      if (space_.attributes[a]->is_costly()) list_codes(a);
  }

  // Compute the bounds of all regions for a point; those of blocks follow region by region.
  void prepare(PointBounds& found, const std::vector<Point>& point, Side side) const {
    int width = space_.width();
    found.point = point;
    found.line.resize(space_.offsets.back());
    found.regions.assign(regions_, 0);
    found.blocks.assign(width, nullptr);
    found.computed.resize(width);
    found.costly.resize(width);
    for (int a = 0; a < width; ++a) {
      if (space_.attributes[a]->is_costly()) {
        fill_costly(found, a, side);
      } else if (has_line(a)) {
        space_.attributes[a]->line(point[a], found.line.data() + space_.offsets[a]);
      }
      if (const uint16_t* row = bounds_of(found, a, side)) {
        found.blocks[a] = row;
        row += blocks_;  // the bounds of regions follow those of blocks
        for (int r = 0; r < regions_; ++r) found.regions[r] = static_cast<uint16_t>(found.regions[r] + row[r]);
      } else {
        const int32_t* ends = ends_of_regions_.data() + static_cast<size_t>(a) * 2 * regions_;
        for (int r = 0; r < regions_; ++r)
          found.regions[r] = static_cast<uint16_t>(found.regions[r] + of_range(a, point[a], ends + 2 * r, side));
      }
    }
  }

  // Add up the bounds of the blocks of a region. No sum exceeds 16 bits, so that four are added at a time.
  void of_blocks(const PointBounds& found, int region, Side side, uint16_t* bounds) const {
    uint64_t sums[REGION / 4] = {}, own[REGION / 4];
    for (int a = 0; a < space_.width(); ++a) {
      uint16_t ranges[REGION];
      const uint16_t* row = found.blocks[a] ? found.blocks[a] + region * REGION : ranges;
      if (!found.blocks[a]) {
        const int32_t* ends = ends_of_blocks_.data() + static_cast<size_t>(a) * 2 * blocks_ + 2 * region * REGION;
        for (int b = 0; b < REGION; ++b) ranges[b] = of_range(a, found.point[a], ends + 2 * b, side);
      }
      std::memcpy(own, row, sizeof own);
      for (int i = 0; i < REGION / 4; ++i) sums[i] += own[i];
    }
    std::memcpy(bounds, sums, sizeof sums);
  }

  // Compute the distances of a point to the tuples of a block; where they take long, bounds of them.
  void distances(const PointBounds& found, int block, double* values) const {
    for (int j = 0; j < BLOCK; ++j) values[j] = 0.0;
    for (int a = 0; a < space_.width(); ++a) {
      const double* line = found.line.data() + space_.offsets[a];
      if (is_packed(a)) {
        const uint16_t* own = packed(block, a);
        for (int j = 0; j < BLOCK; ++j) values[j] += line[own[j]];
      } else if (has_line(a)) {
        for (int j = 0; j < BLOCK; ++j) values[j] += line[code(block, j, a)];
      } else {
        const Attribute& attribute = *space_.attributes[a];
        for (int j = 0; j < BLOCK; ++j)
          values[j] += attribute.share * attribute.distance(found.point[a], code(block, j, a));
      }
    }
  }

  bool is_costly() const { return is_costly_; }
  // Compute the distance of a point to a tuple, where it takes long.
  double exact(const PointBounds& found, int one) const {
    double total = 0.0;
    for (int a = 0; a < space_.width(); ++a) {
      const Attribute& attribute = *space_.attributes[a];
      int32_t code = space_.tuple(one)[a];
      if (found.costly[a]) {
        total += attribute.share * found.costly[a]->distance(code);
      } else {
        total += has_line(a) ? found.line[space_.offsets[a] + code] : attribute.share * attribute.distance(found.point[a], code);
      }
    }
    return total;
  }

  // Keep the lower bounds of all codes, so that threads can search together.
  void keep_all() {
    for (int a = 0; a < space_.width(); ++a)
      if (keeps_[a])
        for (int code = 0; code < space_.attributes[a]->codes; ++code) kept_row(a, code, LOWER, nullptr);
  }

  // The least, or the largest, rounded distance that a tuple may have by a bound.
  double least(uint16_t bound) const { return std::max(0.0, small_to_nearest(bound * unit_ - ERROR)); }
  double most(uint16_t bound) const { return small_to_nearest(bound * unit_ + ERROR); }
  // The same by a bound that is not rounded.
  static double least(double bound) { return std::max(0.0, rounded(bound - ERROR / DIGITS)); }
  static double most(double bound) { return rounded(bound + ERROR / DIGITS); }

 private:
  static constexpr double MAX_BOUND = 60000.0;      // the bound of the distance 1, or a little less
  static constexpr double SLACK = 1e-10;            // by which a bound may be wrong, so that distances of 1 are exact
  static constexpr double ERROR = 0.25;             // by which these errors may change a rounded distance, at most
  static constexpr size_t MAX_KEPT = 48'000'000;    // bounds that are kept
  static constexpr int MAX_PACKED = 65536;          // codes
  static constexpr int LONG = 2048;                 // codes of an attribute whose lines would take too long

  bool has_line(int a) const {
    return space_.attributes[a]->codes <= LONG || space_.attributes[a]->calls_python();
  }

  // Whether the codes of an attribute are packed, so that those of a block are next to each other.
  bool is_packed(int a) const { return has_line(a) && space_.attributes[a]->codes <= MAX_PACKED; }
  const uint16_t* packed(int block, int a) const {
    return codes_.data() + (static_cast<size_t>(block) * space_.width() + a) * BLOCK;
  }
  int32_t code(int block, int j, int a) const {
    return space_.tuple(tuples_[static_cast<size_t>(block) * BLOCK + j])[a];
  }

  uint16_t rounded_bound(double value, Side side) const {
    return static_cast<uint16_t>(side == LOWER ? std::floor(value * scale_ + SLACK) : std::ceil(value * scale_ - SLACK));
  }

  uint16_t of_range(int a, const Point& point, const int32_t* ends, Side side) const {
    const Attribute& attribute = *space_.attributes[a];
    double bound = side == LOWER ? attribute.least(point, ends[0], ends[1]) : attribute.most(point, ends[0], ends[1]);
    return rounded_bound(attribute.share * bound, side);
  }

  // Compute bounds of the distances that take long, of the values of tuples that are left.
  void fill_costly(PointBounds& found, int a, Side side) const {
    const Attribute& attribute = *space_.attributes[a];
    found.costly[a] = attribute.costly_point(found.point[a]);
    found.costly[a]->bounds(costly_codes_[a], side == UPPER, attribute.share, found.line.data() + space_.offsets[a]);
  }

  // The bounds of blocks, then of regions, in one attribute; null, if there are none but those of ranges.
  const uint16_t* bounds_of(PointBounds& found, int a, Side side) const {
    const Point& point = found.point[a];
    if (keeps_[a] && point.row >= 0) return kept_row(a, point.row, side, &found);
    if (!space_.attributes[a]->calls_python()) return nullptr;
    fill(found.computed[a], a, side, found.line.data() + space_.offsets[a]);
    return found.computed[a].data();
  }

  const uint16_t* kept_row(int a, int32_t row, Side side, const PointBounds* found) const {
    auto& rows = kept_[2 * a + side];
    if (static_cast<size_t>(row) >= rows.size()) rows.resize(row + 1);
    if (rows[row].empty()) {
      std::vector<double> line;
      if (!found || !has_line(a)) {
        line.resize(space_.attributes[a]->codes);
        space_.attributes[a]->line(Point{row, 0.0}, line.data());
      }
      fill(rows[row], a, side, line.empty() ? found->line.data() + space_.offsets[a] : line.data());
    }
    return rows[row].data();
  }

  void fill(std::vector<uint16_t>& row, int a, Side side, const double* line) const {
    row.resize(blocks_ + regions_);
    bool packs = is_packed(a);
    for (int b = 0; b < blocks_; ++b) {
      double value = line[packs ? packed(b, a)[0] : code(b, 0, a)];
      for (int j = 1; j < BLOCK; ++j) {
        double next = line[packs ? packed(b, a)[j] : code(b, j, a)];
        value = side == LOWER ? std::min(value, next) : std::max(value, next);
      }
      row[b] = rounded_bound(value, side);
    }
    for (int r = 0; r < regions_; ++r) {
      auto begin = row.begin() + r * REGION, end = begin + REGION;
      row[blocks_ + r] = side == LOWER ? *std::min_element(begin, end) : *std::max_element(begin, end);
    }
  }

  // List the codes that occur, where distances take long.
  void list_codes(int a) {
    std::vector<uint8_t> occurs(space_.attributes[a]->codes, 0);
    for (int32_t one : tuples_) occurs[space_.tuple(one)[a]] = 1;
    for (int code = 0; code < space_.attributes[a]->codes; ++code)
      if (occurs[code]) costly_codes_[a].push_back(code);
    space_.attributes[a]->sort(costly_codes_[a]);
  }

  void lay_ranges() {
    int width = space_.width();
    ends_of_blocks_.resize(static_cast<size_t>(width) * 2 * blocks_);
    ends_of_regions_.resize(static_cast<size_t>(width) * 2 * regions_);
    for (int a = 0; a < width; ++a) {
      int32_t* of_blocks = ends_of_blocks_.data() + static_cast<size_t>(a) * 2 * blocks_;
      int32_t* of_regions = ends_of_regions_.data() + static_cast<size_t>(a) * 2 * regions_;
      for (int b = 0; b < blocks_; ++b) {
        int32_t *own = of_blocks + 2 * b, *around = of_regions + 2 * (b / REGION);
        own[0] = own[1] = code(b, 0, a);
        for (int j = 1; j < BLOCK; ++j) {
          own[0] = std::min(own[0], code(b, j, a));
          own[1] = std::max(own[1], code(b, j, a));
        }
        around[0] = b % REGION ? std::min(around[0], own[0]) : own[0];
        around[1] = b % REGION ? std::max(around[1], own[1]) : own[1];
      }
    }
  }

  // Choose the attributes whose bounds are kept: those with few values first.
  void choose_kept() {
    for (auto& rows : kept_) rows.clear();
    keeps_.assign(space_.width(), 0);
    std::vector<std::pair<size_t, int>> by_size;
    for (int a = 0; a < space_.width(); ++a)
      if (!space_.attributes[a]->calls_python()) by_size.emplace_back(space_.attributes[a]->rows(), a);
    std::sort(by_size.begin(), by_size.end());
    size_t bounds = 0;
    for (auto [rows, a] : by_size) keeps_[a] = (bounds += rows * (blocks_ + regions_)) <= MAX_KEPT;
  }

  const Space& space_;
  double scale_;  // the bound of the distance 1: a multiple of that of each attribute, if all weigh the same
  double unit_;   // what a bound of 1 is, as a rounded distance
  bool is_costly_;
  int blocks_ = 0, regions_ = 0;
  std::vector<int32_t> tuples_;  // in their order; the last one fills up the last block
  std::vector<uint16_t> codes_;  // by block, attribute and tuple
  std::vector<int32_t> ends_of_blocks_, ends_of_regions_;
  std::vector<std::vector<int32_t>> costly_codes_;  // of each attribute whose distances take long: those that occur
  std::vector<uint8_t> keeps_;  // of each attribute: whether bounds are kept
  mutable std::vector<std::vector<std::vector<uint16_t>>> kept_;  // of each attribute and side, by value
};

}  // namespace allonym

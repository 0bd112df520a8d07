#include "convolution.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "buffers.h"
#include "one_thread.h"

namespace headwater {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

// Problems with fewer multiplications run in one thread.
constexpr int64_t kFewMultiplications = 1 << 20;
// The number of plans that are kept; each has some ten kilobytes of code.
constexpr size_t kMostPlans = 256;
constexpr int64_t kLargestNumber = int64_t{1} << 31;

const dnnl::engine& engine() {
  static const auto* engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

dnnl::stream& stream() {
  thread_local dnnl::stream stream(engine());
  return stream;
}

// A problem made ready: the primitive, and the layout in which it wants or gives the filters.
struct Plan {
  memory::desc images, filters, results;
  memory::desc plain_filters;
  dnnl::primitive primitive;
  dnnl::primitive reorder;  // the filters, from plain to `filters` or back; empty if they are equal
  size_t scratch_bytes = 0;
  bool is_fast = false;

  bool reorders() const { return filters != plain_filters; }
};

memory::desc dense(memory::dims dims, Tag tag) {
  return memory::desc(std::move(dims), memory::data_type::f32, tag);
}

template <typename PrimitiveDesc>
void take_from(const PrimitiveDesc& description, Plan& plan) {
  plan.scratch_bytes = description.scratchpad_desc().get_size();
  plan.is_fast = std::string(description.impl_info_str()).rfind("ref", 0) != 0;
}

std::shared_ptr<const Plan> make_plan(const Problem& p) {
  auto plan = std::make_shared<Plan>();
  plan->images = dense({p.batch, p.channels, p.rows.size, p.columns.size}, Tag::nhwc);
  plan->results = dense({p.batch, p.outputs, p.rows.out, p.columns.out}, Tag::nhwc);
  memory::dims filter = {p.outputs, p.channels, p.rows.window, p.columns.window};
  if (p.groups > 1) {
    filter = {p.groups, p.outputs / p.groups, p.channels / p.groups, p.rows.window,
              p.columns.window};
  }
  plan->plain_filters = dense(filter, p.groups > 1 ? Tag::hwigo : Tag::hwio);
  memory::desc any = dense(filter, Tag::any);
  memory::dims strides = {p.rows.stride, p.columns.stride};
  memory::dims dilations = {p.rows.dilation - 1, p.columns.dilation - 1};
  memory::dims low = {p.rows.low, p.columns.low}, high = {p.rows.high(), p.columns.high()};
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const auto algorithm = dnnl::algorithm::convolution_direct;
  dnnl::convolution_forward::primitive_desc forward(
      engine(), dnnl::prop_kind::forward_training, algorithm, plan->images, any, plan->results,
      strides, dilations, low, high, attributes);
  memory::desc from = plan->plain_filters, to;
  if (p.direction == Direction::kForward) {
    plan->filters = to = forward.weights_desc();
    plan->primitive = dnnl::convolution_forward(forward);
    take_from(forward, *plan);
  } else if (p.direction == Direction::kInput) {
    dnnl::convolution_backward_data::primitive_desc backward(
        engine(), algorithm, plan->images, any, plan->results, strides, dilations, low, high,
        forward, attributes);
    plan->filters = to = backward.weights_desc();
    plan->primitive = dnnl::convolution_backward_data(backward);
    take_from(backward, *plan);
  } else {
    dnnl::convolution_backward_weights::primitive_desc backward(
        engine(), algorithm, plan->images, any, plan->results, strides, dilations, low, high,
        forward, attributes);
    plan->filters = backward.diff_weights_desc();
    plan->primitive = dnnl::convolution_backward_weights(backward);
    take_from(backward, *plan);
    from = plan->filters;
    to = plan->plain_filters;
  }
  if (plan->reorders()) {
    plan->reorder = dnnl::reorder(dnnl::reorder::primitive_desc(engine(), from, engine(), to));
  }
  return plan;
}

// The plan of a problem; the least recently used ones are dropped.
std::shared_ptr<const Plan> plan_of(const Problem& problem) {
  struct Kept {
    std::shared_ptr<const Plan> plan;
    uint64_t used;
  };
  // Never destroyed: threads may still compute while the process ends.
  static auto* mutex = new std::mutex;
  static auto* plans = new std::map<Problem::Numbers, Kept>;
  static uint64_t uses = 0;
  {
    std::lock_guard<std::mutex> lock(*mutex);
    auto found = plans->find(problem.numbers);
    if (found != plans->end()) {
      found->second.used = ++uses;
      return found->second.plan;
    }
  }
  auto plan = make_plan(problem);
  std::lock_guard<std::mutex> lock(*mutex);
  if (plans->size() >= kMostPlans) {
    plans->erase(std::min_element(plans->begin(), plans->end(), [](const auto& a, const auto& b) {
      return a.second.used < b.second.used;
    }));
  }
  (*plans)[problem.numbers] = {plan, ++uses};
  return plan;
}

memory over(const memory::desc& desc, const float* data) {
  return memory(desc, engine(), const_cast<float*>(data));
}

void reorder(const Plan& plan, const memory::desc& from, const float* source,
             const memory::desc& to, float* target) {
  plan.reorder.execute(stream(),
                       {{DNNL_ARG_FROM, over(from, source)}, {DNNL_ARG_TO, over(to, target)}});
  stream().wait();
}

// Runs the primitive on images, filters in its own layout, and results.
void execute(const Plan& plan, Direction direction, const float* images, const float* filters,
             const float* results) {
  Buffer scratch(plan.scratch_bytes);
  const bool of_images = direction == Direction::kInput, of_filters = direction == Direction::kFilter;
  const bool of_results = direction == Direction::kForward;
  memory::desc bytes({static_cast<int64_t>(plan.scratch_bytes)}, memory::data_type::u8, Tag::a);
  plan.primitive.execute(
      stream(), {{of_images ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, over(plan.images, images)},
                 {of_filters ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, over(plan.filters, filters)},
                 {of_results ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, over(plan.results, results)},
                 {DNNL_ARG_SCRATCHPAD, over(bytes, scratch.data())}});
  stream().wait();
}

// The images of a problem in parts of nearly equal size, one for each thread.
struct Part {
  int64_t start;
  Problem problem;
  std::shared_ptr<const Plan> plan;
};

std::vector<Part> parts_of(const Problem& problem, int64_t threads) {
  const int64_t per_channel = problem.filters() / problem.outputs;
  const bool is_little = problem.results() * per_channel < kFewMultiplications;
  const int64_t count = is_little ? 1 : std::min(threads, problem.batch);
  std::vector<Part> parts;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t start = problem.batch * i / count, end = problem.batch * (i + 1) / count;
    Problem::Numbers numbers = problem.numbers;
    numbers[2] = end - start;
    Problem part(numbers);
    parts.push_back({start, part, plan_of(part)});
  }
  return parts;
}

void add(const float* source, float* total, int64_t count) {
  for (int64_t i = 0; i < count; ++i) total[i] += source[i];
}

// The filters in the layout of each part's plan, converted once for equal layouts.
class Filters {
 public:
  Filters(const std::vector<Part>& parts, const float* plain) : plain_(plain) {
    for (const Part& part : parts) {
      if (!part.plan->reorders() || find(*part.plan) != plain_) continue;
      converted_.emplace_back(part.plan, Buffer(part.plan->filters.get_size()));
      reorder(*part.plan, part.plan->plain_filters, plain, part.plan->filters,
              converted_.back().second.data());
    }
  }

  const float* find(const Plan& plan) const {
    for (const auto& [other, buffer] : converted_) {
      if (other->filters == plan.filters) return buffer.data();
    }
    return plain_;
  }

 private:
  const float* plain_;
  std::vector<std::pair<std::shared_ptr<const Plan>, Buffer>> converted_;
};

// The gradient for the filters: every part has its own, and the sum is the result.
void filter_gradient(const std::vector<Part>& parts, const float* images, const float* gradient,
                     float* result, const Workers& workers) {
  std::vector<Buffer> partial;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool in_place = i == 0 && !parts[i].plan->reorders();
    partial.emplace_back(in_place ? 0 : parts[i].plan->filters.get_size());
  }
  const Problem& first = parts[0].problem;
  const int64_t image = first.images() / first.batch, output = first.results() / first.batch;
  for_each_part(parts.size(), workers, [&](int64_t i) {
    OneThread one_thread;
    const Part& part = parts[i];
    float* own = partial[i].data() == nullptr ? result : partial[i].data();
    execute(*part.plan, Direction::kFilter, images + part.start * image, own,
            gradient + part.start * output);
  });
  for (size_t i = 0; i < parts.size(); ++i) {
    const Plan& plan = *parts[i].plan;
    if (i > 0 && !plan.reorders()) {
      add(partial[i].data(), result, first.filters());
    } else if (i > 0) {
      Buffer plain(plan.plain_filters.get_size());
      reorder(plan, plan.filters, partial[i].data(), plan.plain_filters, plain.data());
      add(plain.data(), result, first.filters());
    } else if (plan.reorders()) {
      reorder(plan, plan.filters, partial[i].data(), plan.plain_filters, result);
    }
  }
}

}  // namespace

Problem::Problem(const Numbers& n)
    : numbers(n), direction(static_cast<Direction>(n[0])), groups(n[1]), batch(n[2]),
      channels(n[3]), outputs(n[4]), rows{n[5], n[6], n[7], n[8], n[9], n[10]},
      columns{n[11], n[12], n[13], n[14], n[15], n[16]} {
  for (size_t i = 0; i < kNumbers; ++i) {
    const bool may_be_zero = i == 0 || i == 9 || i == 15;
    if (n[i] < (may_be_zero ? 0 : 1) || n[i] >= kLargestNumber) {
      throw std::invalid_argument("a convolution's size is out of range");
    }
  }
  if (n[0] > 2 || channels % groups != 0 || outputs % groups != 0) {
    throw std::invalid_argument("a convolution's sizes do not fit together");
  }
}

int64_t Problem::first_elements() const {
  return direction == Direction::kInput ? filters() : images();
}

int64_t Problem::second_elements() const {
  return direction == Direction::kForward ? filters() : results();
}

int64_t Problem::result_elements() const {
  if (direction == Direction::kForward) return results();
  return direction == Direction::kInput ? images() : filters();
}

bool is_fast(const Problem& problem) {
  OneThread one_thread;
  return plan_of(problem)->is_fast;
}

void convolve(const Problem& problem, const float* first, const float* second, float* result,
              const Workers& workers) {
  OneThread one_thread;
  const std::vector<Part> parts = parts_of(problem, workers.threads);
  if (problem.direction == Direction::kFilter) {
    filter_gradient(parts, first, second, result, workers);
    return;
  }
  const bool is_forward = problem.direction == Direction::kForward;
  const Filters filters(parts, is_forward ? second : first);
  const int64_t image = problem.images() / problem.batch;
  const int64_t output = problem.results() / problem.batch;
  for_each_part(parts.size(), workers, [&](int64_t i) {
    OneThread one_thread;
    const Part& part = parts[i];
    const float* images = (is_forward ? first : result) + part.start * image;
    const float* results = (is_forward ? result : second) + part.start * output;
    execute(*part.plan, problem.direction, images, filters.find(*part.plan), results);
  });
}

}  // namespace headwater

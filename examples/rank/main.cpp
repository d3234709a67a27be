/// Ranks the nodes of linked lists, on the CPU or on a GPU.

#include "check.hpp"
#include "ranking.hpp"
#include "support/command_line.hpp"
#include "support/device.hpp"
#include "support/input.hpp"
#include "support/numbers.hpp"
#include "support/report.hpp"

#include <ravel/core/cpu/buffer.hpp>
#include <ravel/core/cpu/executor.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>

namespace ravel::examples {
namespace {

struct arguments : tool_options {
  std::string file = "-";
  std::string generate;
  index_t n = 1'000'000;
  std::string op = "rank";
  bool tree = false;
};

using numbers = cpu::buffer<std::int64_t>;

/// The nodes of one list, in list order.
std::vector<std::int64_t> order_of(std::string const& what, index_t n) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (what == "random") {
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  } else if (what != "ordered") {
    constexpr std::string_view name = "stride:";
    auto const count = what.starts_with(name) ? read_count(what.substr(name.size())) : std::nullopt;
    if (!count || *count == 0) {
      throw bad_input("ravel-rank: --generate " + what +
                      ": it makes lists that are ordered, stride:D or random");
    }
    auto const stride = static_cast<std::int64_t>(std::min(*count, static_cast<std::uint64_t>(n)));
    std::size_t k = 0;
    for (std::int64_t first = 0; first < stride; ++first) {
      for (std::int64_t i = first; i < n; i += stride) order[k++] = i;
    }
  }
  return order;
}

/// The links and the values of the input.
std::pair<numbers, numbers> input_of(arguments const& a, along what) {
  bool const has_values = what == along::sum || what == along::max;
  if (!a.generate.empty()) {
    auto const order = order_of(a.generate, a.n);
    numbers next(a.n), values(has_values ? a.n : 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
      next[order[k]] = k + 1 < order.size() ? order[k + 1] : -1;
    }
    for (index_t i = 0; i < values.size(); ++i) values[i] = i % 1000;
    return {std::move(next), std::move(values)};
  }
  cpu::threads const ex(a.where.threads);
  auto const text = read_input(a.file);
  if (!has_values) return {read_numbers<std::int64_t>(ex, text.all(), a.file), numbers(0)};
  return {read_numbers<std::int64_t>(ex, text.all(), a.file, 1),
          read_numbers<std::int64_t>(ex, text.all(), a.file, 2)};
}

/// Throws an error that describes why the input is not a forest, or not lists.
void expect_forest(std::string const& name, numbers const& parents) {
  for (index_t i = 0; i < parents.size(); ++i) {
    if (parents[i] < -1 || parents[i] >= parents.size()) {
      throw bad_input(fmt::format("{}: the parent of node {} is {}, and there are {} nodes", name,
                                  i, parents[i], parents.size()));
    }
  }
}
void expect_no_fault(std::string const& name, list_fault fault, along what, numbers const& next) {
  index_t const node = fault.node;
  switch (fault.kind) {
    case list_fault_kind::none:
      return;
    case list_fault_kind::out_of_range:
      throw bad_input(fmt::format("{}: node {} links to {}, and there are {} nodes", name, node,
                                  next[node], next.size()));
    case list_fault_kind::shared:
      throw bad_input(fmt::format("{}: two nodes link to node {}", name, node));
    case list_fault_kind::unreachable:
      throw bad_input(
          fmt::format("{}: node {} is {}", name, node,
                      what == along::depth ? "above itself, or below one that is" : "on a cycle"));
  }
}

int run(arguments const& a) {
  along const what = a.tree          ? along::depth
                     : a.op == "sum" ? along::sum
                     : a.op == "max" ? along::max
                                     : along::rank;
  std::string const& name = a.generate.empty() ? a.file : a.generate;
  auto const [next, values] = input_of(a, what);
  if (what == along::depth) expect_forest(name, next);
  view<std::int64_t const> const links(next.data(), next.size());
  view<std::int64_t const> const carried(values.data(), values.size());
  if (carried.size() != 0 && carried.size() != links.size()) {
    throw bad_input(
        fmt::format("{}: there are {} links and {} values", name, links.size(), carried.size()));
  }

  auto const d = chosen_device(a.where);
  rank_job const job{what, a.where.threads, a.repeats};
  auto const result = with_backend(
      d, [&]<class B>(std::type_identity<B>) { return rank_nodes<B>(links, carried, job); });
  expect_no_fault(name, result.fault, what, next);
  std::string const wrong =
      a.check ? what_is_wrong(what, links, carried, result.results) : std::string();
  if (a.writes_results()) {
    write_numbers(cpu::threads(a.where.threads),
                  view<std::int64_t const>(result.results.data(), std::ssize(result.results)),
                  a.target());
  }

  index_t lists = 0;
  for (index_t i = 0; i < next.size(); ++i) lists += next[i] == -1 || next[i] == i;
  std::int64_t const greatest =
      result.results.empty() ? 0 : *std::max_element(result.results.begin(), result.results.end());
  double const rate = static_cast<double>(next.size()) / result.seconds;
  char const* const kind = what == along::depth ? "trees" : "lists";
  char const* const op = what == along::depth ? "depth" : a.op.c_str();
  bool const checked = a.check && wrong.empty();
  auto text = fmt::format(
      "{}: {} nodes in {} {}; the greatest {} is {}\n"
      "{:.3g} ms on {}: {:.4g} million nodes a second{}\n",
      name, next.size(), lists, kind, op, greatest, result.seconds * 1e3,
      description_of(d, a.where.threads), rate / 1e6, checked ? ", checked" : "");
  return finish("ravel-rank", a,
                {{
                     {"file", name},
                     {"nodes", next.size()},
                     {kind, lists},
                     {"op", op},
                     {"greatest", greatest},
                     {"seconds", result.seconds},
                     {"nodes_per_s", rate},
                     {"device", name_of(d)},
                     {"checked", checked},
                 },
                 std::move(text),
                 wrong});
}

}  // namespace
}  // namespace ravel::examples

int main(int argc, char** argv) {
  using namespace ravel::examples;
  using ravel::index_t;
  CLI::App app{
      "Computes the rank of each node in its linked list, or the sum or maximum of the values up\n"
      "to it. A node's link is the number of the next, from 0; the last node of\n"
      "a list links to -1, or to itself.",
      "ravel-rank"};
  arguments a;
  auto* const file = app.add_option(
      "FILE", a.file,
      "a link a line, for sum and max a value after it; gzipped or not; standard input if absent");
  auto* const generate =
      app.add_option("--generate", a.generate, "a list without a file: ordered, stride:D or random")
          ->excludes(file);
  add_integer(app, "--n", a.n, "nodes of that list", index_t{1}, index_t{1} << 40)->needs(generate);
  auto* const op = app.add_option("--op", a.op,
                                  "the result for each node: its rank, or the sum or max of values")
                       ->check(CLI::IsMember({"rank", "sum", "max"}))
                       ->capture_default_str();
  app.add_flag(
         "--tree", a.tree,
         "the lines of FILE are the parents of the nodes of trees, -1 of a root: compute depths")
      ->excludes(op);
  add_output_options(app, a, "a number for each node");
  add_work_options(app, a, "walk along the lists");
  return run_program(app, argc, argv, [&] { return run(a); });
}

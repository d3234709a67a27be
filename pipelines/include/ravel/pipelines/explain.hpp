#pragma once

/// Explain: the passes that running a pipeline takes.

#include <ravel/pipelines/concat.hpp>
#include <ravel/pipelines/flat_map.hpp>
#include <ravel/pipelines/in_segments.hpp>
#include <ravel/pipelines/own_pass_stage.hpp>
#include <ravel/pipelines/pipeline.hpp>

#include <string>
#include <vector>

namespace ravel::inline v0 {

/// One pass of a pipeline.
struct pass_report {
  std::string stages;     ///< in order
  std::string wanted_by;  ///< the stage that needs its results in memory, if any
  char const* primitive;  ///< the primitive that runs it
  index_t elements;       ///< loaded at most
  index_t bytes_read;     ///< from DRAM at most, without rereads from caches
  index_t bytes_written;  ///< at most
  bool sized;             ///< whether both are exact, for any data
  int kernels;            ///< launched on a device; 0 if the primitive takes several
};

/// The passes of a pipeline.
struct pipeline_report {
  std::vector<pass_report> passes;
  index_t temporary_bytes = 0;  ///< for results between passes
  index_t copied_bytes = 0;     ///< of ranges that are not read in place, when it was written
  bool on_device = false;

  std::string text() const {
    using detail::sentence;
    std::string result;
    for (std::size_t k = 0; k < passes.size(); ++k) {
      auto const& p = passes[k];
      result += sentence("pass ", k + 1, ": ", p.stages, "\n  ", p.primitive, " of ", p.elements,
                         " elements, ", kernels_of(p), "reads ", p.bytes_read, " bytes, writes ",
                         p.bytes_written, p.sized ? "\n" : " at most\n");
      if (!p.wanted_by.empty()) result += "  ends here, for " + p.wanted_by + " wants all of it\n";
    }
    result += sentence(passes.size(), passes.size() == 1 ? " pass, " : " passes, ", temporary_bytes,
                       " bytes of temporary memory");
    if (copied_bytes > 0)
      result += sentence(", ", copied_bytes, " bytes copied from ranges beforehand");
    return result += '\n';
  }

 private:
  std::string kernels_of(pass_report const& p) const {
    if (!on_device) return "";
    if (p.kernels == 0) return "several kernels, ";
    return std::to_string(p.kernels) + (p.kernels == 1 ? " kernel, " : " kernels, ");
  }
};

namespace piping {

/// Bytes of memory read for each element of a view, or by a step.
template <class V>
inline constexpr index_t bytes_of_view = 0;
template <class T, class S>
inline constexpr index_t bytes_of_view<in_memory<T, S>> = sizeof(T);
template <class T, class S>
inline constexpr index_t bytes_of_view<counted_in_memory<T, S>> = sizeof(T);
template <class T, class Room>
inline constexpr index_t bytes_of_view<sized_view<taken<T, Room>, host_space>> = sizeof(T);
template <class I>
inline constexpr index_t bytes_of_view<sized_view<of_range<I>, host_space>> =
    sizeof(std::iter_value_t<I>);
template <class... V>
inline constexpr index_t bytes_of_view<zipped_views<V...>> = (0 + ... + bytes_of_view<V>);
template <class A, class B>
inline constexpr index_t bytes_of_view<concatenated_views<A, B>> = std::max(bytes_of_view<A>,
                                                                            bytes_of_view<B>);
template <class V, class Step>
inline constexpr index_t bytes_of_view<stepped<V, Step>> = bytes_of_view<V> + bytes_of_view<Step>;
template <class I>
inline constexpr index_t bytes_of_view<gather_step<I>> = bytes_of_view<I>;
template <class... V>
inline constexpr index_t bytes_of_view<zip_step<V...>> = (0 + ... + bytes_of_view<V>);

/// The size of n elements in bytes.
inline index_t bytes_of(index_t n, index_t size) {
  expects(size == 0 || n <= std::numeric_limits<index_t>::max() / size, "explain: there are ", n,
          " elements of ", size, " bytes, more than can be counted");
  return n * size;
}

/// Appends the maps and filters of a function of elements, in order.
inline void describe(std::string&, as_it_is const&) {}
inline void describe(std::string&, of_maybe const&) {}
template <class Keep>
void describe(std::string& stages, one_of<Keep> const& f) {
  describe(stages, f.keep);
}
template <class First, class F>
void describe(std::string& stages, mapped<First, F> const& f);
template <class First, class Keep>
void describe(std::string& stages, sifted<First, Keep> const& f);
template <class First, class Step>
void describe(std::string& stages, set_beside<First, Step> const& f) {
  describe(stages, f.first);
  stages += std::string(" | ") + Step::name;
}
template <class First, class F>
void describe(std::string& stages, mapped<First, F> const& f) {
  describe(stages, f.first);
  stages += " | map";
}
void describe_filters(std::string& stages, auto const&) { stages += " | filter"; }
template <class Keep, class Next>
void describe_filters(std::string& stages, both_keep<Keep, Next> const& filters) {
  describe_filters(stages, filters.keep);
  stages += " | filter";
}
template <class First, class Keep>
void describe(std::string& stages, sifted<First, Keep> const& f) {
  describe(stages, f.first);
  describe_filters(stages, f.keep);
}

/// What a source has copied, by its owner: of zipped sources, they themselves.
index_t bytes_copied(auto const&) { return 0; }
template <class Elements>
index_t bytes_copied(copied<Elements> const& owner) {
  return owner.bytes;
}
template <class... S>
index_t bytes_copied(row<S...> const& sources) {
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    return (0 + ... + bytes_copied(get<k>(sources).owner));
  }
  (std::index_sequence_for<S...>{});
}

/// Adds to a report the passes before a node, and to `stages` what its own pass begins with.
template <class V, class Owner>
void describe(pipeline_report& report, std::string& stages, source<V, Owner> const& node) {
  report.copied_bytes += bytes_copied(node.owner);
  stages += bytes_of_view<V> == 0 ? "computed" : "memory";
}
template <class Base, class Owner>
void describe(pipeline_report& report, std::string& stages, keeping<Base, Owner> const& node) {
  describe(report, stages, static_cast<Base const&>(node));
}
template <class Base, class Step>
void describe(pipeline_report& report, std::string& stages, seen<Base, Step> const& node);
template <class A, class B>
void describe(pipeline_report& report, std::string& stages, concatenated_nodes<A, B> const& node);
template <class Ex, class Node, bool SizeOnHost>
void describe(pipeline_report& report, std::string& stages,
              stored<Ex, Node, SizeOnHost> const& node);
template <class Ex, class Node, class Op>
void describe(pipeline_report& report, std::string& stages, ran<Ex, Node, Op> const& node);
template <class Ex, class Node, class Op>
void describe_pass(pipeline_report& report, ran<Ex, Node, Op> const& node, char const* wanted_by);

/// Adds the passes of all nodes of a zip.
void describe_all(pipeline_report& report, auto const& nodes) {
  nodes.each([&](int, auto const& node) {
    std::string unsaid;
    describe(report, unsaid, node);
  });
}
template <class... S>
void describe(pipeline_report& report, std::string& stages, beside<S...> const& node) {
  describe_all(report, node);
  stages += bytes_of_view<typename beside<S...>::view> == 0 ? "computed" : "memory";
}
template <class A, class B>
void describe(pipeline_report& report, std::string& stages, concatenated_nodes<A, B> const& node) {
  describe(report, stages, node.a);
  stages += ", then ";
  describe(report, stages, node.b);
}
template <class Base, class Step>
void describe(pipeline_report& report, std::string& stages, seen<Base, Step> const& node) {
  if constexpr (has_sources<Step>) describe_all(report, node.step);
  describe(report, stages, node.base);
  if constexpr (requires { describe(stages, node.step.keep); }) {
    describe(stages, node.step.keep);
  } else {
    stages += std::string(" | ") + opened_t<Step>::name;
  }
}
template <class Base, class Before, class Scan, class After>
void describe(pipeline_report& report, std::string& stages,
              passed<Base, Before, Scan, After> const& node) {
  describe(report, stages, node.base);
  describe(stages, node.before);
  if constexpr (Scan::there) stages += std::string(" | ") + Scan::name;
  describe(stages, node.after);
}
/// Adds a node that is materialised, as a pass.
template <class Node>
void describe_pass(pipeline_report& report, Node const& node, char const* wanted_by) {
  using P = pass_of_t<Node>;
  pass_report pass{};
  describe(report, pass.stages, node);
  pass.wanted_by = wanted_by;
  pass.primitive = P::primitive;
  pass.elements = node.most();
  pass.bytes_read = bytes_of(pass.elements, bytes_of_view<decltype(P::view)>);
  pass.bytes_written = bytes_of(pass.elements, sizeof(element_of_node<Node>));
  pass.sized = Node::sized;
  pass.kernels = P::counted && !counts_by_the_way<P> ? 2 : 1;
  report.passes.push_back(pass);
}
template <class Ex, class Node, bool SizeOnHost>
void describe(pipeline_report& report, std::string& stages,
              stored<Ex, Node, SizeOnHost> const& node) {
  describe_pass(report, node.node, node.wanted_by);
  report.temporary_bytes += report.passes.back().bytes_written;
  stages += "memory";
}

/// Adds a node that is a pass of its own.
template <class Ex, class Node, class Op>
void describe_pass(pipeline_report& report, ran<Ex, Node, Op> const& node, char const* wanted_by) {
  index_t bytes = bytes_of(node.node.most(), sizeof(element_of_node<Node>));
  pass_report pass{};
  if constexpr (ran<Ex, Node, Op>::reads_directly) {
    describe(report, pass.stages, node.node);
    bytes = bytes_of(node.node.most(), bytes_of_view<typename pass_of_t<Node>::view_type>);
  } else {
    describe_pass(report, node.node, Op::name);
    report.temporary_bytes += bytes;
    pass.stages = "memory";
  }
  if constexpr (requires { node.op.keep; }) describe(pass.stages, node.op.keep);
  pass.stages += std::string(" | ") + Op::name;
  pass.wanted_by = wanted_by;
  pass.primitive = Op::name;
  pass.elements = node.node.most();
  pass.bytes_read = bytes;
  if constexpr (requires { node.op.scratch_bytes(index_t{}); }) {
    report.temporary_bytes += node.op.scratch_bytes(pass.elements);
  }
  pass.bytes_written = bytes_of(node.most(), sizeof(typename ran<Ex, Node, Op>::U));
  pass.sized = ran<Ex, Node, Op>::sized;
  report.passes.push_back(pass);
}
template <class Ex, class Node, class Op>
void describe(pipeline_report& report, std::string& stages, ran<Ex, Node, Op> const& node) {
  describe_pass(report, node, "");
  report.temporary_bytes += report.passes.back().bytes_written;
  stages += "memory";
}

}  // namespace piping

/// The passes of a pipeline that is run into memory: the primitive of each,
/// the bytes moved, the temporary memory, and on a device the kernels.
///
///     std::cout << explain(on(ex, values) | inclusive_scan(plus{}) | reverse()).text();
///
///     pass 1: memory | inclusive_scan
///       scan of 6 elements, reads 24 bytes, writes 24
///       ends here, for reverse wants all of it
///     pass 2: memory | reverse
///       map of 6 elements, reads 24 bytes, writes 24
///     2 passes, 24 bytes of temporary memory
///
/// On a device it says "scan of 6 elements, 1 kernel, reads 24 bytes".  The launches of sort,
/// flat_map and segmented stages depend on the data, and are reported as "several kernels".
template <executor Ex, class Node>
pipeline_report explain(pipeline<Ex, Node> const& p) {
  pipeline_report report;
  report.on_device = !piping::never_waits<Ex>;
  piping::describe_pass(report, p.node(), "");
  return report;
}
/// The same for a pipeline with segments.
template <piping::segments_of_something P>
requires(P::done) pipeline_report explain(P const& p) { return explain(p.forgotten()); }

}  // namespace ravel::inline v0

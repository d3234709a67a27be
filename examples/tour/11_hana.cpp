/// Structs that Boost.Hana knows: their members as sequences, in pipelines and in nested programs.

#include <ravel/core/cpu/executor.hpp>
#include <ravel/flatten/flatten.hpp>
#include <ravel/pipelines/hana.hpp>
#include <ravel/pipelines/pipelines.hpp>

#include "show.hpp"

#include <boost/hana/define_struct.hpp>

#include <string>
#include <vector>

using namespace ravel;

struct city {
  BOOST_HANA_DEFINE_STRUCT(city, (std::string, name), (int, people), (std::vector<int>, districts));
};

int main() {
  cpu::threads const ex;
  std::vector<city> const cities{{"Ulm", 127, {3, 1}}, {"Bonn", 336, {2, 4, 1}}, {"Jena", 111, {}}};

  // A pointer to a member is a function of a struct.
  show("inhabitants", (on(ex, cities) | map(&city::people) | reduce(plus{})).get(), 574);

  // unzip gives a sequence for each member.
  auto const is_large = [](city const& c) { return c.people > 120; };
  auto const [names, people, districts] = on(ex, cities) | filter(is_large) | unzip();
  show("large ones", names, {std::string("Ulm"), std::string("Bonn")});
  show("their inhabitants", people, {127, 336});
  show("districts of the second", districts.begin()[1], {2, 4, 1});

  // In nested programs each member is an array of its own.
  auto const areas = each(from(ex, cities), [](auto c) {
    auto [name, inhabitants, of_districts] = c;
    return sum(of_districts);
  });
  show("areas", to_host(areas), {4, 7, 0});
}

#include "picture.hpp"
#include "player.hpp"  // made of player.html

namespace ravel::trace {

std::string html_of(std::vector<picture> const& traces) {
  std::string all;
  for (picture const& p : traces) all += (all.empty() ? "[" : ",\n") + json_of(p);
  std::string page = player;
  std::string const here = "/*TRACES*/null";
  return page.replace(page.find(here), here.size(), all + "]");
}

}  // namespace ravel::trace

#pragma once

/// Includes all of nested programs.

#include <ravel/flatten/budget.hpp>
#include <ravel/flatten/by_index.hpp>
#include <ravel/flatten/choose.hpp>
#include <ravel/flatten/each.hpp>
#include <ravel/flatten/explain.hpp>
#include <ravel/flatten/extrema.hpp>
#include <ravel/flatten/flat_forms.hpp>
#include <ravel/flatten/fold.hpp>
#include <ravel/flatten/from.hpp>
#include <ravel/flatten/functions.hpp>
#include <ravel/flatten/groups.hpp>
#include <ravel/flatten/lift.hpp>
#include <ravel/flatten/loop.hpp>
#include <ravel/flatten/mutual_recursion.hpp>
#include <ravel/flatten/order.hpp>
#include <ravel/flatten/pick.hpp>
#include <ravel/flatten/place.hpp>
#include <ravel/flatten/range.hpp>
#include <ravel/flatten/record.hpp>
#include <ravel/flatten/recurse.hpp>
#include <ravel/flatten/reduce_several.hpp>
#include <ravel/flatten/reshape.hpp>
#include <ravel/flatten/scans.hpp>
#include <ravel/flatten/search.hpp>
#include <ravel/flatten/sequence_keys.hpp>
#include <ravel/flatten/sequences.hpp>
#include <ravel/flatten/serial.hpp>
#include <ravel/flatten/sets.hpp>
#include <ravel/flatten/show.hpp>
#include <ravel/flatten/split.hpp>
#include <ravel/flatten/stats.hpp>
#include <ravel/flatten/top_k.hpp>
#include <ravel/flatten/transpose.hpp>

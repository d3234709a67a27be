#pragma once

/// The device's own forms of primitives, for software_device, where nvcc includes them with each
/// primitive; for programs that link ravel::primitives.

#include <ravel/software_device/executor.hpp>

#include <ravel/primitives/cuda/balance.cuh>
#include <ravel/primitives/cuda/carried.cuh>
#include <ravel/primitives/cuda/find_first.cuh>
#include <ravel/primitives/cuda/histogram.cuh>
#include <ravel/primitives/cuda/merge.cuh>
#include <ravel/primitives/cuda/named/chained_cyclic.cuh>
#include <ravel/primitives/cuda/named/decoupled_look_back.cuh>
#include <ravel/primitives/cuda/named/local_sums.cuh>
#include <ravel/primitives/cuda/named/look_ahead.cuh>
#include <ravel/primitives/cuda/named/mindex.cuh>
#include <ravel/primitives/cuda/pack.cuh>
#include <ravel/primitives/cuda/reduce.cuh>
#include <ravel/primitives/cuda/reduce_by_key.cuh>
#include <ravel/primitives/cuda/run_length.cuh>
#include <ravel/primitives/cuda/scan.cuh>
#include <ravel/primitives/cuda/scan_then_pack.cuh>
#include <ravel/primitives/cuda/search.cuh>
#include <ravel/primitives/cuda/segmented_apply.cuh>
#include <ravel/primitives/cuda/segmented_pack.cuh>
#include <ravel/primitives/cuda/segmented_reduce.cuh>
#include <ravel/primitives/cuda/segmented_reduce_computed.cuh>
#include <ravel/primitives/cuda/segmented_scan.cuh>
#include <ravel/primitives/cuda/segmented_split.cuh>
#include <ravel/primitives/cuda/split.cuh>
#include <ravel/primitives/cuda/split_within.cuh>
#include <ravel/primitives/cuda/stream_maps.cuh>
#include <ravel/primitives/cuda/stream_split.cuh>
#include <ravel/primitives/cuda/unique.cuh>

#pragma once

/// Includes all of pipelines.

#include <ravel/pipelines/concat.hpp>
#include <ravel/pipelines/explain.hpp>
#include <ravel/pipelines/extrema.hpp>
#include <ravel/pipelines/flat_map.hpp>
#include <ravel/pipelines/in_segments.hpp>
#include <ravel/pipelines/own_pass.hpp>
#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/scans.hpp>
#include <ravel/pipelines/searches.hpp>
#include <ravel/pipelines/sinks.hpp>
#include <ravel/pipelines/sources.hpp>
#include <ravel/pipelines/stages.hpp>
#include <ravel/pipelines/verbs.hpp>

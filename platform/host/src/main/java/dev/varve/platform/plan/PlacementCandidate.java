package dev.varve.platform.plan;

import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.shard.WeightLayout;

/**
 * A placement that may fit.
 *
 * @param flags text of the flags that have the same effect
 * @param weights layout of the weights in memory
 */
record PlacementCandidate(String flags, PlacementRequest request, WeightLayout weights) {}

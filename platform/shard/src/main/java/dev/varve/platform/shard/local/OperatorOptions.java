package dev.varve.platform.shard.local;

import dev.varve.api.backend.RecurrentOperators;
import dev.varve.platform.shard.BatchInvariance;

/**
 * By which operators a shard computes.
 *
 * @param flashAttention whether it attends with one operator
 * @param exactRows what the numbers of a token may depend on
 * @param onHost whether the device computes in memory of the host
 * @param recurrent operators of the device's own
 */
record OperatorOptions(
        boolean flashAttention,
        BatchInvariance exactRows,
        boolean onHost,
        RecurrentOperators recurrent) {}

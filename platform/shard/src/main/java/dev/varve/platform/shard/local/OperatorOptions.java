package dev.varve.platform.shard.local;

import dev.varve.api.backend.RecurrentOperators;
import dev.varve.platform.shard.BatchInvariance;

/**
 * Selects the operators of a shard.
 *
 * @param flashAttention whether attention is one operator
 * @param exactRows whether the numbers of a token may depend on its batch
 * @param onHost whether the device computes in host memory
 * @param recurrent the device's own operators
 */
record OperatorOptions(
        boolean flashAttention,
        BatchInvariance exactRows,
        boolean onHost,
        RecurrentOperators recurrent) {}

package dev.varve.plugin.cpu;

import java.util.Optional;

/** Varve's own operators on this processor, where ggml computes the same bits more slowly. */
record OwnOperators(
        Optional<ExactColumns> columns,
        Optional<InPlaceDelta> delta,
        Optional<InPlaceConvolution> convolution) {}

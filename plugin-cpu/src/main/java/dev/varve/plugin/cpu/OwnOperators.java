package dev.varve.plugin.cpu;

import java.util.Optional;

/** What Varve computes itself on this processor, where ggml gives the same bits more slowly. */
record OwnOperators(
        Optional<ExactColumns> columns,
        Optional<InPlaceDelta> delta,
        Optional<InPlaceConvolution> convolution) {}

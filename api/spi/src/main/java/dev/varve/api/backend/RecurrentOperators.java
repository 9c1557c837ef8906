package dev.varve.api.backend;

import java.util.Optional;

/**
 * A device's own operators for recurrent layers, with the bits of ggml's operators.
 *
 * @param deltaRule empty where ggml's is as good
 * @param convolution likewise
 */
public record RecurrentOperators(
        Optional<DeltaRule> deltaRule, Optional<WindowConvolution> convolution) {
    /** No operators beyond ggml's. */
    public static final RecurrentOperators NONE =
            new RecurrentOperators(Optional.empty(), Optional.empty());
}

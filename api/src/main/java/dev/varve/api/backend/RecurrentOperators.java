package dev.varve.api.backend;

import java.util.Optional;

/**
 * What a device has of its own for recurrent layers, with the bits of ggml's operators.
 *
 * @param deltaRule empty where ggml's is as good
 * @param convolution likewise
 */
public record RecurrentOperators(
        Optional<DeltaRule> deltaRule, Optional<WindowConvolution> convolution) {
    /** ggml's alone. */
    public static final RecurrentOperators NONE =
            new RecurrentOperators(Optional.empty(), Optional.empty());
}

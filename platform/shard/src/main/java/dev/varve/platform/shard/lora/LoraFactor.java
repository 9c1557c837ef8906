package dev.varve.platform.shard.lora;

/**
 * The factor of {@code B(A x)}: the adapter's scale for a token, times {@code alpha / rank} if
 * alpha is not 0. Terms with equal factors share an input of the graph.
 *
 * @param adapter number of the adapter, from 0 on
 * @param loaded scale with which the adapter was loaded
 * @param alpha the file's {@code adapter.lora.alpha}; 0 if the scale does not depend on the rank
 * @param rank rank of the change
 */
public record LoraFactor(int adapter, float loaded, float alpha, long rank) {
    /** Returns the factor for the tokens of a sequence with these scales. */
    public float of(LoraScales scales) {
        float scale = scales.of(adapter, loaded);
        return alpha == 0 ? scale : scale * alpha / rank;
    }
}

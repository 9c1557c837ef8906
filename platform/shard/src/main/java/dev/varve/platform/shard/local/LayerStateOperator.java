package dev.varve.platform.shard.local;

import dev.varve.api.model.LayerState;

import java.util.EnumSet;
import java.util.Set;

/** Operators of a graph that read and advance the state of a layer, by their names in the API. */
enum LayerStateOperator {
    ATTENTION("attention"),
    LATENT_ATTENTION("latentAttention"),
    SHARED_ATTENTION("sharedAttention"),
    CONVOLUTION("causalConvolution"),
    DELTA("gatedDelta"),
    CUSTOM("advanceState");

    private final String call;

    LayerStateOperator(String call) {
        this.call = call;
    }

    /** Operators that a layer of this kind needs, each once. */
    static Set<LayerStateOperator> of(LayerState state) {
        return switch (state) {
            case LayerState.Attention rows -> EnumSet.of(attention(rows));
            case LayerState.SharedAttention shared -> EnumSet.of(SHARED_ATTENTION);
            case LayerState.Recurrent recurrent -> EnumSet.of(CONVOLUTION, DELTA);
            case LayerState.Custom custom ->
                    custom.parts().isEmpty()
                            ? EnumSet.noneOf(LayerStateOperator.class)
                            : EnumSet.of(CUSTOM);
        };
    }

    /** The operator that writes the rows of a layer. */
    static LayerStateOperator attention(LayerState.Attention rows) {
        return switch (rows.valueRows()) {
            case SEPARATE -> ATTENTION;
            case IN_KEYS -> LATENT_ATTENTION;
        };
    }

    /** Name of the method in {@link dev.varve.api.model.ShardGraph}. */
    @Override
    public String toString() {
        return call;
    }
}

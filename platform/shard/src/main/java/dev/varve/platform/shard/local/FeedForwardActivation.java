package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ShardGraph.Activation;

/** Operators of a feed-forward between its products. */
final class FeedForwardActivation {
    /** Steepness of the sigmoid and limit of {@link Activation#LIMITED_SWIGLU}. */
    private static final float STEEPNESS = 1.702f;

    private static final float LIMIT = 7;

    private FeedForwardActivation() {}

    /** With a gate. */
    static Tensor of(Ops ops, Activation activation, Tensor gate, Tensor up) {
        return switch (activation) {
            case SILU -> ops.swigluSplit(gate, up);
            case GELU -> ops.gegluSplit(gate, up);
            case LIMITED_SWIGLU -> ops.swigluLimited(gate, up, STEEPNESS, LIMIT);
            case RELU_SQUARED -> ops.mul(of(ops, activation, gate), up);
        };
    }

    /** Without a gate. */
    static Tensor of(Ops ops, Activation activation, Tensor up) {
        return switch (activation) {
            case SILU -> ops.silu(up);
            case GELU -> ops.gelu(up);
            case LIMITED_SWIGLU ->
                    throw new IllegalArgumentException(activation + ": expected a gate");
            case RELU_SQUARED -> ops.sqr(ops.relu(up));
        };
    }
}

package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.lora.LoraFactor;

/** Source of the factors of adapters' terms in a graph. */
@FunctionalInterface
interface AdapterFactorSource {
    /** The source of a graph without adapters. */
    AdapterFactorSource NONE =
            (factor, columns) -> {
                throw new IllegalStateException("the graph has no adapters");
            };

    /**
     * Returns the factors for the columns of a product.
     *
     * @return {@code F32 [1, columns]}, or {@code F32 [1, 1]} if they are the same for all
     */
    Tensor of(LoraFactor factor, long columns);
}

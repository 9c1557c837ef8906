package dev.varve.api.model;

import java.util.List;

/**
 * One model file as its family sees it. Immutable and thread-safe; owns no native memory.
 *
 * <p>Stable: a plugin that is built against it goes on working.
 */
public interface LayerSplitAdapter {
    /** The sizes that the platform needs. */
    ModelShape shape();

    /**
     * Moves shard boundaries to where this family may be cut. The result has as many ranges, covers
     * the same layers in the same order, and is kept when it is aligned again; the default keeps
     * the ranges as they are. A layer that shares another one's rows stays with it.
     *
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if the family cannot be cut into
     *     so many ranges
     */
    default List<LayerRange> align(List<LayerRange> ranges) {
        return List.copyOf(ranges);
    }

    /**
     * Elements per token of the activation that enters {@code layer} from another shard. Usually
     * the embedding length; more where later layers need more than the hidden state.
     */
    default int boundaryLength(int layer) {
        return shape().embeddingLength();
    }

    /** The weights that a shard of {@code range} loads. */
    TensorSelection tensors(LayerRange range);

    /**
     * Records what {@code range} computes: from token ids (first layer) or the boundary activation
     * to the boundary activation or the logits (last layer). Called again whenever the shape of a
     * batch changes; must be cheap and must not depend on anything but {@code graph} and {@code
     * range}.
     */
    void build(ShardGraph graph, LayerRange range);

    /** Markup of tool calls and reasoning in this family's chat format. */
    ChatDialect chatDialect();
}

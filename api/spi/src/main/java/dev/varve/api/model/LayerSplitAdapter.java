package dev.varve.api.model;

import java.util.List;
import java.util.Optional;

/**
 * A model file, read by its family. Immutable and thread-safe; owns no native memory.
 *
 * <p>Stable: a plugin that is built against it keeps working.
 */
public interface LayerSplitAdapter {
    /** The sizes that the platform needs. */
    ModelShape shape();

    /**
     * Moves shard boundaries to positions at which this family may be split. The result has the
     * same number of ranges, covers the same layers in the same order, and does not change when it
     * is aligned again. The default returns the ranges unchanged. A layer that shares another
     * layer's rows stays in its range.
     *
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if the family cannot be split
     *     into that many ranges
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
     * Records the computation of {@code range}: from token ids (first layer) or the boundary
     * activation to the boundary activation or the logits (last layer). Called again whenever the
     * shape of a batch changes; must be cheap and must not depend on anything but {@code graph} and
     * {@code range}.
     */
    void build(ShardGraph graph, LayerRange range);

    /**
     * Names what the family chose by {@link ModelOptions#contextTokens}, such as factors for long
     * contexts: cached states of one variant are not used with another. Empty where the length of
     * sequences changes nothing that is computed.
     */
    default Optional<String> contextVariant() {
        return Optional.empty();
    }

    /**
     * Markup of tool calls and reasoning in this family's chat format. By default the platform
     * derives it from the file's chat template.
     */
    default ChatDialect chatDialect() {
        return ChatDialect.byTemplate();
    }
}

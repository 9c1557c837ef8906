package dev.varve.plugin.embedders;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.EncoderHead;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.Pooling;
import dev.varve.api.model.ShardGraph.Projection;

import java.util.List;

/**
 * Numbers that all encoders have.
 *
 * @param sizes widths that the platform needs to know
 * @param heads of the attention
 * @param feedForward width of the feed-forward
 * @param epsilon of all norms
 * @param pooling that the file requests, or of the average
 * @param head what is computed behind the pooling
 */
record EncoderSizes(
        ModelShape.Sizes sizes,
        int layers,
        Heads heads,
        int feedForward,
        float epsilon,
        Pooling pooling,
        EncoderHead head) {

    /**
     * Heads of the attention.
     *
     * @param query query heads
     * @param keyValue heads of K and V
     * @param length elements of one head
     */
    record Heads(int query, int keyValue, int length) {
        /** Factor of the scores, in single precision as in other implementations. */
        float scale() {
            return 1 / (float) Math.sqrt(length);
        }

        long queryRows() {
            return (long) query * length;
        }

        long keyRows() {
            return (long) keyValue * length;
        }
    }

    static EncoderSizes read(GgufFile file, ModelKeys keys) {
        ModelShape.Sizes sizes =
                new ModelShape.Sizes(keys.width(), keys.vocabulary(), keys.context());
        return new EncoderSizes(
                sizes,
                keys.layers(),
                heads(keys),
                keys.positive("feed_forward_length"),
                keys.epsilon(),
                pooling(file),
                EncoderHead.of(file, keys.width(), keys.epsilon()));
    }

    private static Heads heads(ModelKeys keys) {
        int query = keys.positive("attention.head_count");
        int keyValue = keys.positive("attention.head_count_kv", query);
        keys.requireGroups(new int[] {query}, new int[] {keyValue});
        int length =
                keys.headLength(
                        "attention.key_length", "attention.value_length", keys.width() / query);
        return new Heads(query, keyValue, length);
    }

    private static Pooling pooling(GgufFile file) {
        return file.metadata().findInteger(file.architecture() + ".pooling_type").stream()
                .boxed()
                .findFirst()
                .flatMap(Pooling::ofKey)
                .orElse(Pooling.MEAN);
    }

    int width() {
        return sizes.embeddingLength();
    }

    /** Query, key and value rows of a layer. */
    List<Projection> projections(int layer) {
        return Projection.attention(layer, heads.queryRows(), heads.keyRows());
    }
}

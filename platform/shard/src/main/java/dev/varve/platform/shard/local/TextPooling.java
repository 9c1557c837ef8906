package dev.varve.platform.shard.local;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.Pooling;
import dev.varve.api.model.TextEncoder;

/** Records what becomes of the rows of a batch's tokens: vectors or scores of its texts. */
final class TextPooling {
    private final EncoderGraphBuilder graph;
    private final TextBatch batch;
    private final TextEncoder encoder;

    TextPooling(EncoderGraphBuilder graph, TextBatch batch, TextEncoder encoder) {
        this.graph = graph;
        this.batch = batch;
        this.encoder = encoder;
    }

    /**
     * @param rows {@code F32 [width, T]}
     * @return {@code F32 [elements, texts]}, or all rows with {@link Pooling#NONE}
     */
    Tensor pool(Tensor rows, Pooling pooling) {
        return switch (pooling) {
            case NONE -> rows;
            case MEAN, CLS, LAST -> encoder.head().project(graph, pooled(rows, pooling));
            case RANK -> encoder.classify(graph, pooled(rows, encoder.rankPooling()));
        };
    }

    private Tensor pooled(Tensor rows, Pooling pooling) {
        Ops ops = graph.ops();
        return switch (pooling) {
            case CLS -> ops.getRows(rows, graph.inputs().integers("first", batch::firstColumns));
            case LAST -> ops.getRows(rows, graph.inputs().integers("last", batch::lastColumns));
            case MEAN -> averages(rows);
            case NONE, RANK ->
                    throw new IllegalArgumentException(pooling + ": expected one row for a text");
        };
    }

    private Tensor averages(Tensor rows) {
        Ops ops = graph.ops();
        Tensor weights =
                graph.inputs()
                        .floats("averages", batch::averages, batch.tokens(), batch.texts().size());
        return ops.mulMat(ops.cont(ops.transpose(rows)), weights);
    }
}

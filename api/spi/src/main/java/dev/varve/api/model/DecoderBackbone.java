package dev.varve.api.model;

import dev.varve.api.ggml.Tensor;

import java.util.List;

/**
 * Parts that all decoder models share, whatever their layers compute: an embedding table in front,
 * layers of one width, and a norm and a head behind them.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 *
 * @param architecture {@code general.architecture} of the file
 * @param sizes widths that the platform needs to know
 * @param layers layers that run
 * @param skippedBlocks multi-token prediction blocks behind them
 * @param epsilon of all root-mean-square norms
 */
public record DecoderBackbone(
        String architecture, ModelShape.Sizes sizes, int layers, int skippedBlocks, float epsilon) {
    private static final String TABLE = "token_embd.weight";
    private static final String NORM = "output_norm.weight";

    /** Width of the hidden state. */
    public int width() {
        return sizes.embeddingLength();
    }

    /** Returns whether a range contains the last layer. */
    public boolean isEndedBy(LayerRange range) {
        return range.end() == layers;
    }

    /** The range of all layers. */
    public LayerRange allLayers() {
        return new LayerRange(0, layers);
    }

    /** Returns the shape, with the state of each layer. */
    public ModelShape shape(List<LayerState> states) {
        return new ModelShape(architecture, sizes, states, skippedBlocks);
    }

    /** Selects the embedding table if a range begins the model. */
    public void selectInput(WeightSelector weights, LayerRange range) {
        if (range.begin() == 0) {
            weights.table(TABLE, width(), sizes.vocabularySize());
        }
    }

    /** Selects the last norm and the head if a range ends the model. */
    public void selectOutput(WeightSelector weights, LayerRange range) {
        if (isEndedBy(range)) {
            weights.vector(NORM, width());
            weights.head(width(), sizes.vocabularySize());
        }
    }

    /**
     * Returns the input of a range: the tokens' embeddings, or the activation of the previous
     * range.
     */
    public Tensor input(ShardGraph graph, LayerRange range) {
        return range.begin() == 0 ? graph.embed(TABLE) : graph.boundary();
    }

    /**
     * Ends a range: offers its output to captures, and passes it to the next range or computes the
     * logits.
     *
     * @param hidden output of the last layer, {@code F32 [width, T]}
     * @param head name of the head without suffix, see {@link WeightSelector#headName}
     */
    public void output(ShardGraph graph, LayerRange range, Tensor hidden, String head) {
        graph.capture(range.end(), hidden);
        if (isEndedBy(range)) {
            graph.logits(graph.matmul(head, lastNorm(graph, hidden)));
        } else {
            graph.boundaryOutput(hidden);
        }
    }

    /** Returns the columns whose logits are requested, after the last norm. */
    public Tensor lastNorm(ShardGraph graph, Tensor hidden) {
        Tensor normed = graph.norm(graph.outputColumns(hidden), NORM, epsilon);
        graph.lastNormed(normed);
        return normed;
    }
}

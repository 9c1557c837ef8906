package dev.varve.api.model;

import dev.varve.api.ggml.Tensor;

import java.util.List;

/**
 * What decoder models have in common, whatever their layers compute: an embedding table in front,
 * layers of one width, and a norm and a head behind them.
 *
 * <p>Grows: later versions may add to it, and what is there stays.
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

    /** Whether a range ends the model. */
    public boolean isEndedBy(LayerRange range) {
        return range.end() == layers;
    }

    /** The range of all layers. */
    public LayerRange allLayers() {
        return new LayerRange(0, layers);
    }

    /** The shape with what each layer keeps. */
    public ModelShape shape(List<LayerState> states) {
        return new ModelShape(architecture, sizes, states, skippedBlocks);
    }

    /** Selects the embedding table where a range begins the model. */
    public void selectInput(WeightSelector weights, LayerRange range) {
        if (range.begin() == 0) {
            weights.table(TABLE, width(), sizes.vocabularySize());
        }
    }

    /** Selects the last norm and the head where a range ends the model. */
    public void selectOutput(WeightSelector weights, LayerRange range) {
        if (isEndedBy(range)) {
            weights.vector(NORM, width());
            weights.head(width(), sizes.vocabularySize());
        }
    }

    /** What a range begins with: the tokens' embeddings, or the activation of the range before. */
    public Tensor input(ShardGraph graph, LayerRange range) {
        return range.begin() == 0 ? graph.embed(TABLE) : graph.boundary();
    }

    /**
     * Ends a range: offers its output to captures, and hands it to the range behind it or computes
     * the logits.
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

    /** The columns whose logits are wanted, behind the last norm. */
    public Tensor lastNorm(ShardGraph graph, Tensor hidden) {
        return graph.norm(graph.outputColumns(hidden), NORM, epsilon);
    }
}

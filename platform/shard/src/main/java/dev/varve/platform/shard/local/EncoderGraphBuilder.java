package dev.varve.platform.shard.local;

import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.RowReader;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.EncoderAttention;
import dev.varve.api.model.EncoderGraph;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.StateStep;
import dev.varve.api.model.TensorUse;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Implementation of the graph of a batch of texts. It serves encoders and, with causal attention,
 * the layers of models that generate text, as long as they have attention alone.
 */
final class EncoderGraphBuilder extends LayerOperators implements EncoderGraph {
    private final Graph graph;
    private final Ops ops;
    private final ShardWeights weights;
    private final TextBatch batch;
    private final EncoderInputs inputs;
    private final MatrixProducts products;
    private final EncoderAttentionBlock attention;
    private final MoeBlock experts;
    private final List<LayerState> states;
    private final List<Integer> cuts = new ArrayList<>();

    /** Keys and values of layers whose rows others may share. */
    private final Map<Integer, KeysAndValues> rows = new HashMap<>();

    private Optional<Tensor> lastNormed = Optional.empty();

    private record KeysAndValues(Tensor key, Tensor value) {}

    /**
     * @param states of the layers of a model that generates text; empty for an encoder
     * @param onHost whether the device is the processor, whose products always have F32 sums
     */
    EncoderGraphBuilder(
            GgmlContext context,
            Graph graph,
            ShardWeights weights,
            TextBatch batch,
            List<LayerState> states,
            boolean onHost) {
        this.graph = graph;
        this.weights = weights;
        this.batch = batch;
        this.states = states;
        ops = context.ops();
        inputs = new EncoderInputs(context, batch);
        products = new MatrixProducts(ops, weights, onHost);
        attention = new EncoderAttentionBlock(context, graph, batch, inputs);
        experts = new MoeBlock(ops, graph, weights, products, Optional.empty());
    }

    EncoderInputs inputs() {
        return inputs;
    }

    /** Returns the rows after the last norm; empty if the family offered none. */
    Optional<Tensor> normed() {
        return lastNormed;
    }

    /** Returns the graph's parts in order, between which the device may be released. */
    List<Graph> parts() {
        List<Graph> parts = new ArrayList<>();
        int begin = 0;
        for (int cut : cuts) {
            if (cut > begin && cut < graph.nodes()) {
                parts.add(graph.range(begin, cut));
                begin = cut;
            }
        }
        parts.add(graph.range(begin, graph.nodes()));
        return parts;
    }

    @Override
    ShardWeights weights() {
        return weights;
    }

    @Override
    MatrixProducts products() {
        return products;
    }

    @Override
    MoeBlock experts() {
        return experts;
    }

    @Override
    public Ops ops() {
        return ops;
    }

    @Override
    public int tokens() {
        return batch.tokens();
    }

    @Override
    public Tensor positions() {
        return inputs.positions();
    }

    @Override
    public Tensor nextPositions() {
        return inputs.nextPositions();
    }

    @Override
    public Tensor axisPositions() {
        return inputs.axisPositions();
    }

    @Override
    public Tensor positionFactor(int interval, float growth) {
        return inputs.positionFactor(interval, growth);
    }

    @Override
    public Tensor weight(String name, TensorUse use) {
        return weights.get(name, use);
    }

    @Override
    public Tensor embed(String table) {
        return lookedUp(table, false);
    }

    @Override
    public Tensor embedPositions(String table) {
        return lookedUp(table, true);
    }

    @Override
    public Tensor tableRow(String table, int row) {
        Optional<RowReader> onHost = weights.hostTable(table);
        String name = "row " + row;
        return onHost.isPresent()
                ? inputs.rows(onHost.get(), name, row)
                : ops.getRows(
                        weight(table, TensorUse.ROW_LOOKUP),
                        inputs.integers(name, () -> new int[] {row}));
    }

    private Tensor lookedUp(String table, boolean byPosition) {
        Optional<RowReader> onHost = weights.hostTable(table);
        return onHost.isPresent()
                ? inputs.rows(onHost.get(), byPosition)
                : ops.getRows(
                        weight(table, TensorUse.ROW_LOOKUP),
                        byPosition ? inputs.positions() : inputs.ids());
    }

    @Override
    public Tensor encoderAttention(
            Tensor query, Tensor key, Tensor value, EncoderAttention options) {
        return attend(
                query,
                new KeysAndValues(key, value),
                new EncoderAttentionBlock.Scores(
                        options.scale(), Visibility.of(options), Optional.empty()));
    }

    @Override
    public Tensor attention(
            int layer,
            Tensor query,
            Tensor key,
            Tensor value,
            float scale,
            Optional<Tensor> sinks) {
        KeysAndValues own = new KeysAndValues(key, value);
        rows.put(layer, own);
        return attend(
                query, own, new EncoderAttentionBlock.Scores(scale, visibility(layer), sinks));
    }

    @Override
    public Tensor latentAttention(int layer, Tensor query, Tensor key, float scale) {
        long length = ((LayerState.Attention) states.get(layer)).valueLength();
        Tensor value =
                ops.view(
                        key,
                        Extents.of(length, key.ne(1), key.ne(2)),
                        Strides.of(key.nb(1), key.nb(2)),
                        0);
        return attention(layer, query, key, value, scale, Optional.empty());
    }

    @Override
    public Tensor sharedAttention(int layer, Tensor query, float scale) {
        int source = ((LayerState.SharedAttention) states.get(layer)).source();
        return attend(
                query,
                rows.get(source),
                new EncoderAttentionBlock.Scores(scale, visibility(source), Optional.empty()));
    }

    private Visibility visibility(int layer) {
        return states.get(layer) instanceof LayerState.SlidingAttention sliding
                ? Visibility.causal(sliding.window())
                : Visibility.CAUSAL;
    }

    private Tensor attend(Tensor query, KeysAndValues own, EncoderAttentionBlock.Scores scores) {
        Tensor result =
                attention.attend(
                        new EncoderAttentionBlock.Heads(query, own.key(), own.value()), scores);
        cuts.add(graph.nodes());
        return result;
    }

    @Override
    public Tensor lastColumns(Tensor hidden) {
        return hidden;
    }

    @Override
    public Tensor outputColumns(Tensor hidden) {
        return hidden;
    }

    @Override
    public void capture(int layer, Tensor hidden) {
        // Nothing reads the layers' inputs.
    }

    @Override
    public void lastNormed(Tensor normed) {
        lastNormed = Optional.of(normed);
    }

    @Override
    public void logits(Tensor logits) {
        // They are not part of the graph, so that they are not computed.
    }

    @Override
    public Tensor boundary() {
        throw unavailable("a boundary");
    }

    @Override
    public void boundaryOutput(Tensor hidden) {
        throw unavailable("a boundary");
    }

    @Override
    public Tensor causalConvolution(int layer, Tensor input, Tensor kernel) {
        throw unavailable("a convolution");
    }

    @Override
    public Tensor gatedDelta(int layer, DeltaInputs inputs) {
        throw unavailable("a recurrent state");
    }

    @Override
    public Tensor advanceState(int layer, List<Tensor> columns, StateStep step) {
        throw unavailable("a recurrent state");
    }

    private static IllegalStateException unavailable(String what) {
        return new IllegalStateException("the graph of an encoder has no " + what);
    }
}

package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.lora.LoraTerms;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks the rules of {@link dev.varve.api.model.ShardGraph} while a family records a graph: each
 * layer's state is advanced once, in its layer and with tensors of its sizes; the input of the
 * range is the activation of the previous shard, and its output is passed on once and complete.
 * Otherwise a family that breaks a rule would produce wrong tokens, or ggml would abort the
 * process.
 */
final class GraphBuildValidator {
    private static final String SECOND_CALL = ": called a second time, expected one call";

    private final GraphErrorContext site;
    private final ModelShape shape;
    private final GraphKey key;
    private final int tokens;
    private final int outputs;
    private final Map<Integer, Set<LayerStateOperator>> called = new HashMap<>();
    private final Map<Integer, Boolean> captured = new HashMap<>();
    private boolean tookBoundary;
    private boolean narrowed;
    private boolean ended;

    GraphBuildValidator(GraphErrorContext site, ModelShape shape, GraphKey key) {
        this.site = site;
        this.shape = shape;
        this.key = key;
        tokens = key.tokens();
        outputs = key.outputs();
    }

    /** Checks that adapters do not change a weight with which the family computes itself. */
    void weight(String name, LoraTerms lora) {
        if (lora.change(name)) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    Setting.LORA
                            + ": "
                            + name
                            + ": an adapter for this weight is not supported with architecture "
                            + shape.architecture());
        }
    }

    /** Checks attention with the layer's own rows, which needs all columns of the batch. */
    void attention(int layer, TensorShape query, TensorShape keys, TensorShape values) {
        Call call = begin(layer, LayerStateOperator.ATTENTION);
        LayerState.Attention rows = (LayerState.Attention) shape.layers().get(layer);
        call.requireQuery(query, rows, tokens);
        call.require("key", keys, rows.keyLength(), rows.kvHeads(), tokens);
        call.require("value", values, rows.valueLength(), rows.kvHeads(), tokens);
    }

    /** Checks attention with rows whose values are in the keys. */
    void latentAttention(int layer, TensorShape query, TensorShape keys) {
        Call call = begin(layer, LayerStateOperator.LATENT_ATTENTION);
        LayerState.Attention rows = (LayerState.Attention) shape.layers().get(layer);
        call.requireQuery(query, rows, tokens);
        call.require("key", keys, rows.keyLength(), rows.kvHeads(), tokens);
    }

    /** Checks that there is a sink for each head. */
    void sinks(int layer, TensorShape sinks, TensorShape query) {
        new Call(layer, LayerStateOperator.ATTENTION)
                .requireContiguous("sinks", sinks, query.extents().get(1));
    }

    /** Checks that columns can be viewed as heads of equal length. */
    void heads(TensorShape columns, int heads) {
        long rows = columns.extents().getFirst();
        if (heads < 1 || rows % heads != 0) {
            throw site.fault(
                    "heads: expected rows that are a multiple of " + heads + ", found " + columns);
        }
    }

    /** Checks that a product can be divided into the products of a fused weight. */
    void projections(String fused, TensorShape product, List<ShardGraph.Projection> parts) {
        long rows = parts.stream().mapToLong(ShardGraph.Projection::rows).sum();
        if (product.extents().getFirst() != rows) {
            throw site.fault(
                    "projections: "
                            + fused
                            + ": expected "
                            + rows
                            + " rows, those of "
                            + parts.stream().map(ShardGraph.Projection::name).toList()
                            + ", found "
                            + product);
        }
    }

    /** Checks the operands of attention before their rotation. */
    void beforeRotation(int layer, TensorShape query, TensorShape keys) {
        if (!site.range().contains(layer)
                || !(shape.layers().get(layer) instanceof LayerState.Attention rows)) {
            throw new Call(layer, LayerStateOperator.ATTENTION)
                    .fault("the layer has no attention of its own in the range");
        }
        Call call = new Call(layer, LayerStateOperator.attention(rows));
        call.requireQuery(query, rows, tokens);
        call.require("key", keys, rows.keyLength(), rows.kvHeads(), tokens);
    }

    /**
     * Checks attention to the rows of another layer.
     *
     * @param columns computed columns, fewer than the tokens if some were dropped
     */
    void sharedAttention(int layer, TensorShape query, int columns) {
        Call call = begin(layer, LayerStateOperator.SHARED_ATTENTION);
        int source = ((LayerState.SharedAttention) shape.layers().get(layer)).source();
        LayerState.Attention rows = (LayerState.Attention) shape.layers().get(source);
        LayerStateOperator writer = LayerStateOperator.attention(rows);
        if (!called.getOrDefault(source, Set.of()).contains(writer)) {
            throw call.fault(
                    "expected after " + writer + " of layer " + source + ", whose rows it reads");
        }
        call.requireQuery(query, rows, columns);
    }

    /** Checks the inputs of a convolution, which are kept for the next step. */
    void convolution(int layer, TensorShape input, TensorShape kernel) {
        Call call = begin(layer, LayerStateOperator.CONVOLUTION);
        LayerState.Recurrent state = (LayerState.Recurrent) shape.layers().get(layer);
        call.requireContiguous("input", input, state.convChannels(), tokens);
        call.require("kernel", kernel, state.convKernel(), state.convChannels());
    }

    /** Checks the operands of a gated delta rule except its scalars. */
    void delta(int layer, TensorShape query, TensorShape keys, TensorShape values) {
        Call call = begin(layer, LayerStateOperator.DELTA);
        LayerState.Recurrent state = (LayerState.Recurrent) shape.layers().get(layer);
        long heads = keys.extents().get(1);
        if (heads < 1 || state.valueHeads() % heads != 0) {
            throw call.mismatch(
                    "key",
                    "F32 ["
                            + state.stateSize()
                            + ", keyHeads, "
                            + tokens
                            + "], keyHeads a divisor of "
                            + state.valueHeads(),
                    keys);
        }
        call.requireRows("key", keys, state.stateSize(), heads, tokens);
        call.requireRows("query", query, state.stateSize(), heads, tokens);
        call.requireRows("value", values, state.stateSize(), state.valueHeads(), tokens);
    }

    /** Checks the scalars of a gated delta rule. */
    void deltaScalars(int layer, TensorShape decay, TensorShape beta) {
        Call call = new Call(layer, LayerStateOperator.DELTA);
        int heads = ((LayerState.Recurrent) shape.layers().get(layer)).valueHeads();
        call.requireContiguous("decay", decay, heads, tokens);
        call.requireContiguous("beta", beta, heads, tokens);
    }

    /** Checks the inputs of a family's custom step. */
    void advanceState(int layer, List<TensorShape> columns) {
        Call call = begin(layer, LayerStateOperator.CUSTOM);
        for (TensorShape input : columns) {
            List<Long> extents = input.extents();
            boolean fits =
                    input.isFloats(extents.get(0), tokens)
                            || input.isFloats(extents.get(0), extents.get(1), tokens);
            if (!fits || !input.hasContiguousRows()) {
                throw call.mismatch(
                        "input " + columns.indexOf(input),
                        "F32 [.., " + tokens + "] of 2 or 3 dimensions, rows contiguous",
                        input);
            }
        }
    }

    /** Records that the family reads the activation of the previous shard. */
    void boundary() {
        if (site.range().begin() == 0) {
            throw site.fault("boundary: the range begins at layer 0, so no layer precedes it");
        }
        tookBoundary = true;
    }

    /**
     * Records a call that narrows columns to the requested ones.
     *
     * @param kept number of remaining columns
     */
    void outputColumns(long kept) {
        narrowed |= kept == outputs;
    }

    /**
     * Records an activation that is offered as a feature; {@link #complete} checks that it has all
     * columns.
     */
    void capture(int layer, TensorShape hidden) {
        boolean whole = hidden.isFloats(shape.embeddingLength(), tokens);
        captured.merge(layer, whole, Boolean::logicalAnd);
    }

    /**
     * Checks the output of a range that ends below the last layer.
     *
     * @param length elements per token that the next shard expects
     */
    void boundaryOutput(TensorShape hidden, int length) {
        end("boundaryOutput", !isLast(), "logits");
        requireOutput("boundaryOutput", hidden, length, tokens, "");
    }

    /** Checks the output of the last range. */
    void logits(TensorShape result) {
        end("logits", isLast(), "boundaryOutput");
        if (key.captures().contains(shape.layerCount())) {
            // Until the last output is captured, no columns are narrowed.
            requireCaptures();
        }
        if (outputs > 0) {
            requireOutput(
                    "logits",
                    result,
                    shape.vocabularySize(),
                    outputs,
                    narrowed
                            ? ""
                            : "; outputColumns, which keeps the wanted columns, was not called");
        }
    }

    /** Checks that everything was recorded. */
    void complete() {
        for (int layer = site.range().begin(); layer < site.range().end(); layer++) {
            Set<LayerStateOperator> missing =
                    EnumSet.copyOf(LayerStateOperator.of(shape.layers().get(layer)));
            missing.removeAll(called.getOrDefault(layer, Set.of()));
            if (!missing.isEmpty()) {
                throw new Call(layer, missing.iterator().next()).fault("was not called");
            }
        }
        if (site.range().begin() > 0 && !tookBoundary) {
            throw site.fault(
                    "boundary was not called, so the activations of the previous layers are lost");
        }
        if (!ended) {
            throw site.fault((isLast() ? "logits" : "boundaryOutput") + " was not called");
        }
        if (isLast() && outputs > 0 && outputs < tokens && !narrowed) {
            throw site.fault("outputColumns was not called");
        }
        requireCaptures();
    }

    private void requireCaptures() {
        List<Integer> missing =
                key.captures().stream()
                        .filter(site.range()::computesInputOf)
                        .filter(layer -> !captured.getOrDefault(layer, false))
                        .toList();
        if (!missing.isEmpty()) {
            throw site.fault(
                    "captures of the input of layers "
                            + missing
                            + ": expected F32 ["
                            + shape.embeddingLength()
                            + ", "
                            + tokens
                            + "] from the model family, found none");
        }
    }

    private boolean isLast() {
        return site.range().end() == shape.layerCount();
    }

    private void end(String call, boolean fits, String other) {
        if (!fits) {
            throw site.fault(
                    call
                            + ": layers "
                            + site.range()
                            + " of "
                            + shape.layerCount()
                            + " end with "
                            + other);
        }
        if (ended) {
            throw site.fault(call + SECOND_CALL);
        }
        ended = true;
    }

    private void requireOutput(
            String call, TensorShape found, long length, long columns, String hint) {
        if (!found.isFloats(length, columns) || !found.isContiguous()) {
            throw site.fault(
                    call
                            + ": expected F32 ["
                            + length
                            + ", "
                            + columns
                            + "], contiguous, found "
                            + found
                            + hint);
        }
    }

    private Call begin(int layer, LayerStateOperator operator) {
        Call call = new Call(layer, operator);
        if (!site.range().contains(layer)) {
            throw call.fault("the layer is outside the range");
        }
        Set<LayerStateOperator> own = LayerStateOperator.of(shape.layers().get(layer));
        if (!own.contains(operator)) {
            throw call.fault("expected " + own + ", since it keeps " + shape.layers().get(layer));
        }
        if (!called.computeIfAbsent(layer, at -> EnumSet.noneOf(LayerStateOperator.class))
                .add(operator)) {
            throw site.fault(call + SECOND_CALL);
        }
        return call;
    }

    /** One operator of one layer. */
    private final class Call {
        private final int layer;
        private final LayerStateOperator operator;

        Call(int layer, LayerStateOperator operator) {
            this.layer = layer;
            this.operator = operator;
        }

        GraphBuildException fault(String what) {
            return site.fault(this + ": " + what);
        }

        GraphBuildException mismatch(String operand, String expected, TensorShape found) {
            return fault(operand + ": expected " + expected + ", found " + found);
        }

        void require(String operand, TensorShape found, long... expected) {
            if (!found.isFloats(expected)) {
                throw mismatch(operand, floats(expected), found);
            }
        }

        void requireContiguous(String operand, TensorShape found, long... expected) {
            require(operand, found, expected);
            if (!found.isContiguous()) {
                throw mismatch(operand, floats(expected) + ", contiguous", found);
            }
        }

        /** Groups of columns are passed as views, which require rows without gaps. */
        void requireRows(String operand, TensorShape found, long... expected) {
            require(operand, found, expected);
            if (!found.hasContiguousRows()) {
                throw mismatch(operand, floats(expected) + ", rows contiguous", found);
            }
        }

        void requireQuery(TensorShape query, LayerState.Attention rows, int columns) {
            long heads = query.extents().get(1);
            if (!query.isFloats(rows.keyLength(), heads, columns)
                    || !query.hasContiguousRows()
                    || heads < rows.kvHeads()
                    || heads % rows.kvHeads() != 0) {
                throw mismatch(
                        "query",
                        "F32 ["
                                + rows.keyLength()
                                + ", heads, "
                                + columns
                                + "], rows contiguous, heads a multiple of "
                                + rows.kvHeads(),
                        query);
            }
        }

        private String floats(long... extents) {
            return "F32 " + Arrays.toString(extents);
        }

        @Override
        public String toString() {
            return "layer " + layer + ", " + operator;
        }
    }
}

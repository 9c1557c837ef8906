package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.RowReader;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.StateStep;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.shard.lora.LoraTerm;
import dev.varve.platform.shard.lora.LoraTerms;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Implementation of a graph for the family that records it. */
final class GraphBuilder extends LayerOperators {
    /**
     * Number of columns that the kernel for several columns computes at once; remaining columns use
     * another kernel.
     */
    static final int COLUMN_GROUP = 4;

    private final GraphKey key;
    private final LayerSplitAdapter model;
    private final LayerRange range;
    private final ModelShape shape;
    private final GgmlContext context;
    private final Ops ops;
    private final Graph graph;
    private final GraphInputs inputs;
    private final ShardWeights weights;
    private final LoraTerms lora;
    private final MatrixProducts products;
    private final AttentionBlock attention;
    private final DeltaNetBlock recurrent;
    private final CustomStateBlock custom;
    private final SegmentRecorder segments;
    private final MoeBlock experts;
    private final GraphErrorContext site;
    private final GraphBuildValidator rules;
    private final Optional<ScoringCapture> scoringCapture;

    /** The operator that was recorded last, for messages. */
    private String last = "";

    /** Number of columns at the front that are not computed further. */
    private int dropped;

    private final Map<Integer, Tensor> features = new TreeMap<>();
    private Optional<Tensor> logits = Optional.empty();
    private Optional<Tensor> boundaryOutput = Optional.empty();

    GraphBuilder(
            GraphKey key,
            LayerSplitAdapter model,
            LayerRange range,
            GgmlContext context,
            Graph graph,
            ShardGraphContext graphContext) {
        this.key = key;
        this.model = model;
        this.range = range;
        this.context = context;
        this.graph = graph;
        shape = model.shape();
        inputs =
                new GraphInputs(
                        context,
                        key,
                        model.boundaryLength(range.begin()),
                        shape.window().orElse(1));
        ops = context.ops();
        lora = graphContext.lora();
        weights = graphContext.weights();
        products = new MatrixProducts(ops, key, graphContext, inputs::adapterFactors);
        attention = new AttentionBlock(ops, graph, inputs, graphContext);
        recurrent = new DeltaNetBlock(ops, graph, key, inputs, graphContext);
        site = GraphErrorContext.of(model, range);
        custom = new CustomStateBlock(ops, graph, key, inputs, graphContext.caches(), site);
        segments = new SegmentRecorder(context, graph, key, graphContext, inputs::adapterFactors);
        experts = new MoeBlock(ops, graph, weights, products, Optional.of(segments));
        rules = new GraphBuildValidator(site, shape, key);
        scoringCapture = graphContext.scoringCapture();
    }

    /**
     * Calls the family to record the graph.
     *
     * @throws GraphBuildException if it breaks a rule or throws
     */
    UnallocatedGraph record() {
        try {
            model.build(this, range);
            rules.complete();
            requireImages();
        } catch (VarveException | VirtualMachineError e) {
            segments.close();
            throw e;
        } catch (RuntimeException | Error e) {
            segments.close();
            throw site.thrown(e, last);
        }
        return new UnallocatedGraph(
                context,
                graph,
                inputs,
                logits,
                Optional.empty(),
                Optional.empty(),
                boundaryOutput,
                features,
                attention.queries(),
                attention.blocks(),
                segments.recorded(),
                experts.breaks());
    }

    /** A response that ignores an image must not be served. */
    private void requireImages() {
        if (key.images() > 0 && range.begin() == 0 && !inputs.hasImages()) {
            throw new VarveException(
                    VarveException.Kind.UNSUPPORTED_MODEL,
                    "the plugin of architecture "
                            + shape.architecture()
                            + " puts no rows of images in place of tokens");
        }
    }

    /** Names a result, so that a message about a later operator names its source. */
    @Override
    Tensor named(String name, Tensor result) {
        last = name;
        return result.named(name);
    }

    private Tensor named(LayerStateOperator operator, int layer, Tensor result) {
        return named("layer " + layer + ", " + operator, result);
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
        return key.tokens() - dropped;
    }

    @Override
    public Tensor positions() {
        return remainingColumns(inputs.positions());
    }

    @Override
    public Tensor nextPositions() {
        return remainingColumns(inputs.nextPositions());
    }

    private Tensor remainingColumns(Tensor all) {
        return dropped == 0 ? all : ops.view1d(all, tokens(), (long) dropped * Integer.BYTES);
    }

    @Override
    public Tensor axisPositions() {
        return inputs.axisPositions();
    }

    @Override
    public Tensor positionFactor(int interval, float growth) {
        Tensor all = inputs.positionFactor(interval, growth);
        return dropped == 0
                ? all
                : ops.view(
                        all,
                        Extents.of(1, 1, tokens()),
                        Strides.of(all.nb(1), all.nb(2)),
                        dropped * all.nb(2));
    }

    @Override
    public Tensor boundary() {
        rules.boundary();
        return inputs.boundary();
    }

    @Override
    public Tensor weight(String name, TensorUse use) {
        rules.weight(name, lora);
        return weights.get(name, use);
    }

    @Override
    public Tensor embed(String table) {
        Tensor rows = rows(table);
        for (LoraTerm term : products.activeTerms(table)) {
            Tensor change = products.multiply(term.b(), rows(term.a()));
            rows = ops.add(rows, products.scaled(change, term));
        }
        return named(table, rows);
    }

    private Tensor rows(String table) {
        Optional<RowReader> onHost = weights.hostTable(table);
        return onHost.isPresent()
                ? inputs.rows(onHost.get())
                : ops.getRows(weights.get(table, TensorUse.ROW_LOOKUP), inputs.ids());
    }

    @Override
    public Tensor withImages(Tensor embedded) {
        if (key.images() == 0) {
            return embedded;
        }
        ImageInputs images = inputs.images(Math.toIntExact(embedded.ne(0)));
        return named("images", ops.setRows(embedded, images.rows(), images.columns()));
    }

    @Override
    void checkFused(String fused, Tensor product, List<Projection> parts) {
        rules.projections(fused, TensorShape.of(product), parts);
    }

    @Override
    public Tensor heads(Tensor columns, int heads) {
        rules.heads(TensorShape.of(columns), heads);
        return super.heads(columns, heads);
    }

    @Override
    public void beforeRotation(int layer, Tensor query, Tensor key) {
        rules.beforeRotation(layer, TensorShape.of(query), TensorShape.of(key));
        attention.beforeRotation(layer, query, key);
    }

    @Override
    public Tensor attention(
            int layer,
            Tensor query,
            Tensor keys,
            Tensor values,
            float scale,
            Optional<Tensor> sinks) {
        rules.attention(layer, TensorShape.of(query), TensorShape.of(keys), TensorShape.of(values));
        sinks.ifPresent(given -> rules.sinks(layer, TensorShape.of(given), TensorShape.of(query)));
        return named(
                LayerStateOperator.ATTENTION,
                layer,
                attention.attend(
                        layer,
                        query,
                        keys,
                        Optional.of(values),
                        new AttentionBlock.Scores(scale, sinks)));
    }

    @Override
    public Tensor latentAttention(int layer, Tensor query, Tensor key, float scale) {
        rules.latentAttention(layer, TensorShape.of(query), TensorShape.of(key));
        return named(
                LayerStateOperator.LATENT_ATTENTION,
                layer,
                attention.attend(
                        layer, query, key, Optional.empty(), AttentionBlock.Scores.scaled(scale)));
    }

    @Override
    public Tensor sharedAttention(int layer, Tensor query, float scale) {
        rules.sharedAttention(layer, TensorShape.of(query), tokens());
        return named(
                LayerStateOperator.SHARED_ATTENTION,
                layer,
                attention.attendShared(layer, query, dropped, AttentionBlock.Scores.scaled(scale)));
    }

    @Override
    public Tensor causalConvolution(int layer, Tensor input, Tensor kernel) {
        rules.convolution(layer, TensorShape.of(input), TensorShape.of(kernel));
        return named(
                LayerStateOperator.CONVOLUTION, layer, recurrent.convolve(layer, input, kernel));
    }

    @Override
    public Tensor gatedDelta(int layer, DeltaInputs inputs) {
        rules.delta(
                layer,
                TensorShape.of(inputs.query()),
                TensorShape.of(inputs.key()),
                TensorShape.of(inputs.value()));
        rules.deltaScalars(layer, TensorShape.of(inputs.decay()), TensorShape.of(inputs.beta()));
        return named(LayerStateOperator.DELTA, layer, recurrent.delta(layer, inputs));
    }

    @Override
    public Tensor advanceState(int layer, List<Tensor> columns, StateStep step) {
        rules.advanceState(layer, columns.stream().map(TensorShape::of).toList());
        return named(LayerStateOperator.CUSTOM, layer, custom.advance(layer, columns, step));
    }

    /**
     * Attention uses another kernel below a tile of rows, with other last bits; so at least a tile
     * is kept. Whole groups of columns are dropped, so that the columns at the end belong to the
     * same groups as without dropping.
     */
    @Override
    public Tensor lastColumns(Tensor hidden) {
        int wanted = Math.max(AttentionBlock.TILE, key.outputs());
        if (dropped == 0
                && key.parts().size() == 1
                && key.outputs() > 0
                && key.captures().isEmpty()) {
            dropped = Math.max(0, key.tokens() - wanted) / COLUMN_GROUP * COLUMN_GROUP;
        }
        if (dropped == 0) {
            return hidden;
        }
        return ops.view2d(
                hidden, hidden.ne(0), tokens(), hidden.nb(1), (long) dropped * hidden.nb(1));
    }

    @Override
    public Tensor outputColumns(Tensor hidden) {
        // Without requested columns nothing after this point is expanded, so ggml never computes
        // it.
        boolean whole = key.outputs() == 0 || key.outputs() == hidden.ne(1) || awaitsLastOutput();
        Tensor wanted = whole ? hidden : ops.getRows(hidden, inputs.outputs(dropped));
        rules.outputColumns(wanted.ne(1));
        return wanted;
    }

    private boolean awaitsLastOutput() {
        int last = shape.layerCount();
        return key.captures().contains(last) && !features.containsKey(last);
    }

    /**
     * The previous shard captures the input of the range: there it was not rounded for the
     * transfer.
     */
    @Override
    public void capture(int layer, Tensor hidden) {
        if (key.captures().contains(layer) && range.computesInputOf(layer)) {
            rules.capture(layer, TensorShape.of(hidden));
            // A copy: ggml may reuse the memory of an activation for a later one.
            Tensor kept = ops.cont(hidden).named("feature_" + layer).markOutput();
            graph.expand(kept);
            features.put(layer, kept);
        }
    }

    @Override
    public void boundaryOutput(Tensor hidden) {
        rules.boundaryOutput(TensorShape.of(hidden), model.boundaryLength(range.end()));
        if (scoringCapture.filter(rows -> rows.endsWith(range.end() - 1)).isPresent()) {
            // The output is not used, so its operators are not computed.
            return;
        }
        boundaryOutput = Optional.of(hidden.named("boundary_output").markOutput());
        graph.expand(hidden);
    }

    @Override
    public void logits(Tensor result) {
        rules.logits(TensorShape.of(result));
        if (key.outputs() > 0) {
            logits = Optional.of(result.named("logits").markOutput());
            graph.expand(result);
        }
    }
}

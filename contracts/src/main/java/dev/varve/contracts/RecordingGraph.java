package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.StateStep;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.contracts.RecordedBatch.Features;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Records a range without computing it and checks the calls of a family: weights that it selected,
 * operators of its own layers, each once, with shapes as {@link ShardGraph} describes them, and one
 * end. Tensors have shapes and no data.
 */
final class RecordingGraph implements ShardGraph {
    private static final int MAX_TENSORS = 20_000;

    private final LayerSplitAdapter adapter;
    private final LayerRange range;
    private final RecordedBatch batch;
    private final String where;
    private final GgmlContext context;
    private final Map<String, GgufTensor> selected = new HashMap<>();
    private final Map<String, Tensor> declared = new HashMap<>();
    private final Map<String, Integer> operators = new HashMap<>();
    private final List<String> ends = new ArrayList<>();
    private boolean awaitsLastOutput;

    private RecordingGraph(
            LayerSplitAdapter adapter,
            LayerRange range,
            RecordedBatch batch,
            String model,
            GgmlContext context) {
        this.adapter = adapter;
        this.range = range;
        this.batch = batch;
        this.context = context;
        awaitsLastOutput =
                batch.features() == Features.WANTED && range.end() == adapter.shape().layerCount();
        where = model + " " + range + " with " + batch + ": ";
        for (TensorSelection.Entry entry : adapter.tensors(range).entries()) {
            selected.put(entry.use() + " " + entry.tensor().name(), entry.tensor());
        }
    }

    /** Records a range for a batch; fails with a description of the error. */
    static void check(
            LayerSplitAdapter adapter, LayerRange range, RecordedBatch batch, String model) {
        try (GgmlContext context = GgmlContext.open(MAX_TENSORS, 0)) {
            RecordingGraph graph = new RecordingGraph(adapter, range, batch, model, context);
            adapter.build(graph, range);
            graph.requireComplete();
        }
    }

    private void requireComplete() {
        Map<String, Integer> expected = new HashMap<>();
        for (int layer = range.begin(); layer < range.end(); layer++) {
            for (String operator : operators(shape().layers().get(layer))) {
                expected.put(operator + " of layer " + layer, 1);
            }
        }
        assertEquals(expected, operators, where + "each layer's state once");
        assertEquals(
                List.of(range.end() == shape().layerCount() ? "logits" : "boundaryOutput"),
                ends,
                where + "how the range ends");
    }

    private static List<String> operators(LayerState state) {
        return switch (state) {
            case LayerState.Attention own -> List.of(inKeys(own) ? "latentAttention" : "attention");
            case LayerState.SharedAttention shared -> List.of("sharedAttention");
            case LayerState.Recurrent recurrent -> List.of("causalConvolution", "gatedDelta");
            case LayerState.Custom own ->
                    own.parts().isEmpty() ? List.of() : List.of("advanceState");
        };
    }

    private static boolean inKeys(LayerState.Attention state) {
        return state.valueRows() == LayerState.ValueRows.IN_KEYS;
    }

    private ModelShape shape() {
        return adapter.shape();
    }

    private void operator(String name, int layer) {
        operators.merge(name + " of layer " + layer, 1, Integer::sum);
    }

    private <S extends LayerState> S state(int layer, Class<S> type) {
        assertTrue(range.contains(layer), where + "an operator of layer " + layer);
        LayerState state = shape().layers().get(layer);
        assertTrue(type.isInstance(state), where + "layer " + layer + " keeps " + state);
        return type.cast(state);
    }

    private void requireShape(String what, Tensor tensor, long... expected) {
        long[] found = new long[4];
        Arrays.setAll(found, tensor::ne);
        assertEquals(
                Arrays.toString(expected),
                Arrays.toString(Arrays.copyOf(found, expected.length)),
                where + what);
        for (int i = expected.length; i < found.length; i++) {
            assertEquals(1, found[i], where + what + ": extent " + i);
        }
    }

    /** Checks the extents, and that rows have no gaps, because the platform reads them directly. */
    private void requireRows(String what, Tensor tensor, long... expected) {
        requireShape(what, tensor, expected);
        assertTrue(Float.BYTES == tensor.nb(0), where + what + ": rows with gaps");
    }

    private Tensor f32(long... extents) {
        return context.newTensor(GgmlType.F32, extents);
    }

    private Tensor once(String name, GgmlType type, long... extents) {
        return declared.computeIfAbsent(name, key -> context.newTensor(type, extents));
    }

    @Override
    public Ops ops() {
        return context.ops();
    }

    @Override
    public int tokens() {
        return batch.tokens();
    }

    @Override
    public Tensor positions() {
        return once("positions", GgmlType.I32, batch.tokens());
    }

    @Override
    public Tensor nextPositions() {
        return once("next positions", GgmlType.I32, batch.tokens());
    }

    @Override
    public Tensor axisPositions() {
        return once("axis positions", GgmlType.I32, 4L * batch.tokens());
    }

    @Override
    public Tensor positionFactor(int interval, float growth) {
        return once("factor " + interval + " " + growth, GgmlType.F32, 1, 1, batch.tokens());
    }

    @Override
    public Tensor boundary() {
        assertTrue(range.begin() > 0, where + "no boundary enters the first layer");
        return once(
                "boundary", GgmlType.F32, adapter.boundaryLength(range.begin()), batch.tokens());
    }

    @Override
    public Tensor weight(String name, TensorUse use) {
        GgufTensor tensor = selected.get(use + " " + name);
        assertTrue(tensor != null, where + name + " was not selected for " + use);
        return once(
                use + " " + name,
                tensor.type(),
                tensor.dimensions().stream().mapToLong(Long::longValue).toArray());
    }

    @Override
    public boolean hasWeight(String name, TensorUse use) {
        return selected.containsKey(use + " " + name);
    }

    @Override
    public Tensor embed(String table) {
        return f32(weight(table, TensorUse.ROW_LOOKUP).ne(0), batch.tokens());
    }

    @Override
    public Tensor matmul(String name, Tensor input) {
        return withCompanions(name, product(name + ".weight", input));
    }

    private Tensor withCompanions(String name, Tensor product) {
        Tensor result = product;
        Optional<Tensor> scale = optionalWeight(name + ".scale", TensorUse.ELEMENTWISE);
        if (scale.isPresent()) {
            result = ops().mul(result, scale.get());
        }
        Optional<Tensor> bias = optionalWeight(name + ".bias", TensorUse.ELEMENTWISE);
        return bias.isPresent() ? ops().add(result, bias.get()) : result;
    }

    @Override
    public Tensor product(String name, Tensor input) {
        return ops().mulMat(weight(name, TensorUse.MATMUL), input);
    }

    @Override
    public Tensor matmulPerHead(String name, Tensor input) {
        Tensor weight = weight(name + ".weight", TensorUse.MATMUL);
        assertEquals(weight.ne(2), input.ne(2), where + "heads of " + name);
        return ops().mulMat(weight, input);
    }

    @Override
    public List<Tensor> projections(Tensor input, String fused, List<Projection> parts) {
        List<Tensor> results = new ArrayList<>();
        if (!hasWeight(fused + ".weight", TensorUse.MATMUL)) {
            for (Projection part : parts) {
                Tensor result = matmul(part.name(), input);
                requireShape(part.name(), result, part.rows(), input.ne(1));
                results.add(result);
            }
            return results;
        }
        Tensor whole = matmul(fused, input);
        requireShape(fused, whole, parts.stream().mapToLong(Projection::rows).sum(), input.ne(1));
        long offset = 0;
        for (Projection part : parts) {
            results.add(ops().view2d(whole, part.rows(), input.ne(1), whole.nb(1), offset));
            offset += part.rows() * Float.BYTES;
        }
        return results;
    }

    @Override
    public Tensor heads(Tensor columns, int heads) {
        assertEquals(0, columns.ne(0) % heads, where + "rows of " + columns + " in heads");
        long length = columns.ne(0) / heads;
        return ops().view(
                        columns,
                        Extents.of(length, heads, columns.ne(1)),
                        Strides.of(length * Float.BYTES, columns.nb(1)),
                        0);
    }

    @Override
    public Tensor norm(Tensor input, String weight, float epsilon) {
        return ops().mul(ops().rmsNorm(input, epsilon), weight(weight, TensorUse.ELEMENTWISE));
    }

    @Override
    public Tensor gatedFeedForward(Tensor input, FeedForwardNames names, Activation activation) {
        Tensor gate = matmul(names.name("gate"), input);
        Tensor up = matmul(names.name("up"), input);
        requireShape(names.name("up"), up, gate.ne(0), gate.ne(1));
        return matmul(names.name("down"), ops().mul(ops().silu(gate), up));
    }

    @Override
    public Tensor plainFeedForward(Tensor input, FeedForwardNames names, Activation activation) {
        return matmul(names.name("down"), ops().silu(matmul(names.name("up"), input)));
    }

    @Override
    public ExpertChoice chooseExperts(
            Tensor probabilities, Optional<Tensor> bias, ExpertRouting routing) {
        requireShape(
                "expert probabilities", probabilities, probabilities.ne(0), probabilities.ne(1));
        assertTrue(
                routing.used() > 0 && routing.used() <= probabilities.ne(0),
                where + routing + " of " + probabilities.ne(0) + " experts");
        bias.ifPresent(added -> requireShape("expert bias", added, probabilities.ne(0)));
        return new ExpertChoice(
                context.newTensor(GgmlType.I32, routing.used(), probabilities.ne(1)),
                f32(1, routing.used(), probabilities.ne(1)));
    }

    @Override
    public Tensor expertFeedForward(
            Tensor input, ExpertChoice choice, String prefix, Activation activation) {
        requireShape("input of experts", input, input.ne(0), input.ne(1));
        assertEquals(input.ne(1), choice.ids().ne(1), where + "columns of the experts' choice");
        weight(prefix + "_down_exps.weight", TensorUse.EXPERT_MATMUL);
        if (!hasWeight(prefix + "_gate_up_exps.weight", TensorUse.EXPERT_MATMUL)) {
            weight(prefix + "_up_exps.weight", TensorUse.EXPERT_MATMUL);
        }
        return f32(input.ne(0), input.ne(1));
    }

    @Override
    public Tensor attention(
            int layer,
            Tensor query,
            Tensor key,
            Tensor value,
            float scale,
            Optional<Tensor> sinks) {
        sinks.ifPresent(given -> requireShape("sinks of layer " + layer, given, query.ne(1)));
        operator("attention", layer);
        LayerState.Attention state = state(layer, LayerState.Attention.class);
        requireRows(
                "query of layer " + layer, query, state.keyLength(), query.ne(1), batch.tokens());
        requireRows(
                "key of layer " + layer, key, state.keyLength(), state.kvHeads(), batch.tokens());
        requireRows(
                "value of layer " + layer,
                value,
                state.valueLength(),
                state.kvHeads(),
                batch.tokens());
        assertEquals(0, query.ne(1) % state.kvHeads(), where + "heads of layer " + layer);
        return f32(state.valueLength() * query.ne(1), batch.tokens());
    }

    @Override
    public Tensor latentAttention(int layer, Tensor query, Tensor key, float scale) {
        operator("latentAttention", layer);
        LayerState.Attention state = state(layer, LayerState.Attention.class);
        requireRows(
                "query of layer " + layer, query, state.keyLength(), query.ne(1), batch.tokens());
        requireRows(
                "key of layer " + layer, key, state.keyLength(), state.kvHeads(), batch.tokens());
        assertEquals(0, query.ne(1) % state.kvHeads(), where + "heads of layer " + layer);
        return f32(state.valueLength() * query.ne(1), batch.tokens());
    }

    @Override
    public Tensor sharedAttention(int layer, Tensor query, float scale) {
        operator("sharedAttention", layer);
        int source = state(layer, LayerState.SharedAttention.class).source();
        assertTrue(range.contains(source), where + "layer " + layer + " without " + source);
        LayerState.Attention state = (LayerState.Attention) shape().layers().get(source);
        requireRows(
                "query of layer " + layer, query, state.keyLength(), query.ne(1), batch.tokens());
        return f32(state.valueLength() * query.ne(1), batch.tokens());
    }

    @Override
    public Tensor causalConvolution(int layer, Tensor input, Tensor kernel) {
        operator("causalConvolution", layer);
        LayerState.Recurrent state = state(layer, LayerState.Recurrent.class);
        requireShape("convolved of layer " + layer, input, state.convChannels(), batch.tokens());
        requireShape("kernel of layer " + layer, kernel, state.convKernel(), state.convChannels());
        assertTrue(input.isContiguous(), where + "convolved of layer " + layer);
        return f32(state.convChannels(), batch.tokens());
    }

    @Override
    public Tensor gatedDelta(int layer, DeltaInputs inputs) {
        operator("gatedDelta", layer);
        LayerState.Recurrent state = state(layer, LayerState.Recurrent.class);
        String of = " of layer " + layer;
        int size = state.stateSize();
        int heads = state.valueHeads();
        long keyHeads = inputs.query().ne(1);
        requireRows("query" + of, inputs.query(), size, keyHeads, batch.tokens());
        requireRows("key" + of, inputs.key(), size, keyHeads, batch.tokens());
        requireRows("value" + of, inputs.value(), size, heads, batch.tokens());
        requireShape("decay" + of, inputs.decay(), heads, batch.tokens());
        requireShape("beta" + of, inputs.beta(), heads, batch.tokens());
        return f32(size, heads, batch.tokens());
    }

    /** Treats all columns as one sequence. */
    @Override
    public Tensor advanceState(int layer, List<Tensor> columns, StateStep step) {
        operator("advanceState", layer);
        Map<String, Tensor> before = new HashMap<>();
        for (LayerState.Custom.Part part : state(layer, LayerState.Custom.class).parts()) {
            before.put(
                    part.name(), f32(part.shape().stream().mapToLong(Long::longValue).toArray()));
        }
        List<Tensor> cut = new ArrayList<>();
        for (Tensor column : columns) {
            boolean flat = column.ne(2) == 1;
            assertEquals(
                    batch.tokens(), column.ne(flat ? 1 : 2), where + "columns of layer " + layer);
            cut.add(column);
        }
        StateStep.Result result =
                step.advance(
                        new StateStep.Group(
                                batch.tokens(), 1, cut, before, once("numbers", GgmlType.I32, 1)));
        assertEquals(before.keySet(), result.states().keySet(), where + "states of layer " + layer);
        before.forEach(
                (name, state) ->
                        assertEquals(
                                state.elements(),
                                result.states().get(name).elements(),
                                where + "state " + name + " of layer " + layer));
        long elements = result.output().elements();
        assertEquals(0, elements % batch.tokens(), where + "output of layer " + layer);
        return f32(elements / batch.tokens(), batch.tokens());
    }

    /** Keeps all columns, as in a batch whose features are captured. */
    @Override
    public Tensor lastColumns(Tensor hidden) {
        requireShape("columns to keep", hidden, hidden.ne(0), batch.tokens());
        return hidden;
    }

    @Override
    public Tensor outputColumns(Tensor hidden) {
        if (awaitsLastOutput || hidden.ne(1) == batch.outputs()) {
            return hidden;
        }
        requireShape("columns of outputs", hidden, hidden.ne(0), batch.tokens());
        return ops().view2d(
                        hidden,
                        hidden.ne(0),
                        batch.outputs(),
                        hidden.nb(1),
                        (batch.tokens() - batch.outputs()) * hidden.nb(1));
    }

    @Override
    public void capture(int layer, Tensor hidden) {
        assertTrue(
                layer >= range.begin() && layer <= range.end(),
                where + "offers what enters layer " + layer);
        // A family that drops columns early offers fewer of the last layer's output, unless that
        // output is captured.
        boolean last = layer == shape().layerCount();
        long columns = last && !awaitsLastOutput ? hidden.ne(1) : batch.tokens();
        requireShape("what enters layer " + layer, hidden, shape().embeddingLength(), columns);
        awaitsLastOutput &= !last;
    }

    @Override
    public void boundaryOutput(Tensor hidden) {
        ends.add("boundaryOutput");
        assertTrue(range.end() < shape().layerCount(), where + "a boundary behind the last layer");
        requireShape("boundary", hidden, adapter.boundaryLength(range.end()), batch.tokens());
    }

    @Override
    public void logits(Tensor logits) {
        ends.add("logits");
        requireShape("logits", logits, shape().vocabularySize(), batch.outputs());
    }
}

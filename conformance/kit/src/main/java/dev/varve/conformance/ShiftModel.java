package dev.varve.conformance;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.LayerState.Custom.Part;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.StateStep;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.WeightSelector;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;
import dev.varve.testkit.TestSeed;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A family whose layers keep states of its own: each adds a matrix product of its inputs now, one
 * and three tokens ago. The second layer keeps nothing and adds a product of its input.
 *
 * <p>{@link #logits} computes the same in plain loops.
 */
final class ShiftModel implements LayerSplitAdapter {
    static final int WIDTH = 32;
    static final int VOCABULARY = 48;
    private static final int LAYERS = 3;
    private static final int FAR = 3;
    private static final float EPSILON = 1e-5f;

    private final GgufFile file;

    ShiftModel(GgufFile file) {
        this.file = file;
    }

    /** Writes a random model. */
    static Path write(Path target) throws IOException {
        GgufWriter writer = new GgufWriter().put("general.architecture", GgufValue.of("shift"));
        matrix(writer, "token_embd.weight", VOCABULARY);
        for (int layer = 0; layer < LAYERS; layer++) {
            matrix(writer, block(layer, "mix.weight"), WIDTH);
        }
        writer.tensor(
                "output_norm.weight",
                TensorType.F32,
                List.of((long) WIDTH),
                TensorData.constant(1));
        matrix(writer, "output.weight", VOCABULARY);
        writer.write(target);
        return target;
    }

    private static void matrix(GgufWriter writer, String name, long rows) {
        writer.tensor(
                name,
                TensorType.F32,
                List.of((long) WIDTH, rows),
                new TensorData.Floats((row, values) -> fill(name, row, values)));
    }

    private static void fill(String name, long row, float[] values) {
        Random random = new Random(TestSeed.of(name.hashCode() * 31L + row));
        double scale = name.startsWith("token") ? 1 : 1 / Math.sqrt(WIDTH);
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (random.nextGaussian() * scale);
        }
    }

    @Override
    public ModelShape shape() {
        LayerState shift =
                new LayerState.Custom(
                        List.of(
                                new Part("far", List.of((long) WIDTH, (long) FAR)),
                                new Part("near", List.of((long) WIDTH))));
        return new ModelShape(
                "shift",
                new ModelShape.Sizes(WIDTH, VOCABULARY, 1024),
                List.of(shift, LayerState.Custom.nothing(), shift),
                0);
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        WeightSelector weights = new WeightSelector(file);
        if (range.begin() == 0) {
            weights.table("token_embd.weight", WIDTH, VOCABULARY);
        }
        for (int layer = range.begin(); layer < range.end(); layer++) {
            weights.add(block(layer, "mix.weight"), TensorUse.MATMUL, WIDTH, WIDTH);
        }
        if (range.end() == LAYERS) {
            weights.vector("output_norm.weight", WIDTH);
            weights.head(WIDTH, VOCABULARY);
        }
        return weights.build();
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        Ops ops = graph.ops();
        Tensor hidden = range.begin() == 0 ? graph.embed("token_embd.weight") : graph.boundary();
        for (int layer = range.begin(); layer < range.end(); layer++) {
            graph.capture(layer, hidden);
            Tensor seen =
                    layer == 1
                            ? hidden
                            : graph.advanceState(layer, List.of(hidden), group -> step(ops, group));
            hidden = ops.add(hidden, graph.product(block(layer, "mix.weight"), seen));
        }
        graph.capture(range.end(), hidden);
        if (range.end() < LAYERS) {
            graph.boundaryOutput(hidden);
            return;
        }
        Tensor last = graph.outputColumns(hidden);
        graph.logits(graph.matmul("output", graph.norm(last, "output_norm.weight", EPSILON)));
    }

    private static StateStep.Result step(Ops ops, StateStep.Group group) {
        Tensor columns = group.columns().getFirst();
        Tensor near = ops.reshape3d(group.states().get("near"), WIDTH, 1, group.sequences());
        Tensor far = ops.concat(group.states().get("far"), columns, 1);
        Tensor both = ops.concat(near, columns, 1);
        Tensor seen =
                ops.add(
                        ops.add(columns, columns(ops, both, 0, group.tokens())),
                        columns(ops, far, 0, group.tokens()));
        return new StateStep.Result(
                seen,
                Map.of(
                        "near", columns(ops, both, group.tokens(), 1),
                        "far", columns(ops, far, group.tokens(), FAR)));
    }

    private static Tensor columns(Ops ops, Tensor all, int first, int count) {
        return ops.view(
                all,
                Extents.of(all.ne(0), count, all.ne(2)),
                Strides.of(all.nb(1), all.nb(2)),
                first * all.nb(1));
    }

    @Override
    public ChatDialect chatDialect() {
        return ChatDialect.plain();
    }

    /** Logits of every token of a text. */
    static double[][] logits(int[] tokens) {
        double[][] hidden =
                IntStream.of(tokens)
                        .mapToObj(token -> row("token_embd.weight", token))
                        .toArray(double[][]::new);
        for (int layer = 0; layer < LAYERS; layer++) {
            double[][] next = new double[tokens.length][];
            for (int at = 0; at < tokens.length; at++) {
                double[] seen = hidden[at].clone();
                if (layer != 1) {
                    add(seen, hidden, at - 1);
                    add(seen, hidden, at - FAR);
                }
                next[at] = product(block(layer, "mix.weight"), WIDTH, seen);
                add(next[at], hidden, at);
            }
            hidden = next;
        }
        double[][] logits = new double[tokens.length][];
        for (int at = 0; at < tokens.length; at++) {
            double squares = 0;
            for (double value : hidden[at]) {
                squares += value * value;
            }
            double scale = 1 / Math.sqrt(squares / WIDTH + EPSILON);
            for (int i = 0; i < WIDTH; i++) {
                hidden[at][i] *= scale;
            }
            logits[at] = product("output.weight", VOCABULARY, hidden[at]);
        }
        return logits;
    }

    private static void add(double[] sum, double[][] hidden, int at) {
        for (int i = 0; i < sum.length && at >= 0; i++) {
            sum[i] += hidden[at][i];
        }
    }

    private static double[] product(String name, int rows, double[] x) {
        double[] result = new double[rows];
        for (int row = 0; row < rows; row++) {
            double[] weights = row(name, row);
            for (int i = 0; i < x.length; i++) {
                result[row] += weights[i] * x[i];
            }
        }
        return result;
    }

    private static double[] row(String name, int row) {
        float[] values = new float[WIDTH];
        fill(name, row, values);
        double[] doubles = new double[WIDTH];
        for (int i = 0; i < WIDTH; i++) {
            doubles[i] = values[i];
        }
        return doubles;
    }
}

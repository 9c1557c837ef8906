package dev.varve.conformance;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.MappedFile;
import dev.varve.api.ggml.RowReader;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.shard.scoring.HeadShape;
import dev.varve.platform.shard.scoring.PlainTokenScores;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Scores tokens in plain loops: the input of each layer is captured from a shard, the rest is
 * computed here, from the weights in the file, which are F32 and have no biases.
 */
final class PlainScan {
    private static final int TAIL = 8;

    private final GgufFile file;
    private final ModelShape shape;
    private final HeadShape heads;
    private final int tokens;
    private final Map<Integer, float[]> hidden = new TreeMap<>();

    PlainScan(Path path, int[] text) {
        OpenedModel model = Cpu.open(path, ModelOptions.defaults());
        file = model.file();
        shape = model.shape();
        tokens = text.length;
        LayerState.FullAttention state =
                shape.layers().stream()
                        .filter(LayerState.FullAttention.class::isInstance)
                        .map(LayerState.FullAttention.class::cast)
                        .findFirst()
                        .orElseThrow();
        int queryHeads =
                (int) file.metadata().integer(file.architecture() + ".attention.head_count");
        heads = new HeadShape(state.keyLength(), queryHeads, state.kvHeads());
        capture(model, text);
    }

    private void capture(OpenedModel model, int[] text) {
        List<Integer> layers = IntStream.range(0, shape.layerCount()).boxed().toList();
        int slots = KvSlotSpan.roundUp(tokens);
        try (LocalShard shard =
                LocalShard.load(
                        model.range(shape.allLayers()),
                        Cpu.device(),
                        ShardOptions.of(
                                        new CacheTypes(GgmlType.F32, GgmlType.F32),
                                        new CacheCapacities(slots, 2, KvSlotSpan.BLOCK))
                                .withCaptures(layers),
                        LoadProgressListener.silent())) {
            SequenceChunk chunk =
                    new SequenceChunk(
                            1,
                            text,
                            ChunkPlacement.start(new KvSlotSpan(0, slots), 1),
                            RequestedOutput.NONE);
            Batch batch = new Batch(List.of(chunk), Phase.PREFILL, layers);
            for (CapturedFeature feature :
                    shard.forward(batch, Optional.empty()).join().features()) {
                hidden.put(feature.layer(), feature.values());
            }
        }
    }

    /** The scores by some layers. */
    double[] scores(LayerRange range, boolean rotated) {
        int[] layers =
                IntStream.range(range.begin(), range.end())
                        .filter(
                                layer ->
                                        shape.layers().get(layer)
                                                instanceof LayerState.FullAttention)
                        .toArray();
        float[][] queries = new float[layers.length][];
        float[][] keys = new float[layers.length][];
        for (int i = 0; i < layers.length; i++) {
            double[][] input = input(layers[i]);
            double[][] last = Arrays.copyOfRange(input, tokens - TAIL, tokens);
            queries[i] = project(layers[i], "q", heads.queryHeads(), last, rotated);
            keys[i] = project(layers[i], "k", heads.keyHeads(), input, rotated);
        }
        return PlainTokenScores.scores(heads, queries, keys);
    }

    /** Returns the inputs of the projections, by token. */
    private double[][] input(int layer) {
        float[] entering = hidden.get(layer);
        int width = shape.embeddingLength();
        float[] weight = rows("blk." + layer + ".attn_norm.weight")[0];
        double[][] input = new double[tokens][width];
        for (int token = 0; token < tokens; token++) {
            for (int i = 0; i < width; i++) {
                input[token][i] = entering[token * width + i];
            }
            normalise(input[token], weight);
        }
        return input;
    }

    /** {@code [headLength, heads, inputs]}, normalised, and rotated by their positions if asked. */
    private float[] project(int layer, String name, int count, double[][] inputs, boolean rotated) {
        float[][] matrix = rows("blk." + layer + ".attn_" + name + ".weight");
        float[] norm = rows("blk." + layer + ".attn_" + name + "_norm.weight")[0];
        int length = heads.length();
        // A head of queries has its gate behind it, in some families.
        int stride = matrix.length / count;
        float[] result = new float[length * count * inputs.length];
        for (int token = 0; token < inputs.length; token++) {
            for (int head = 0; head < count; head++) {
                double[] row = new double[length];
                for (int i = 0; i < length; i++) {
                    row[i] = product(matrix[head * stride + i], inputs[token]);
                }
                normalise(row, norm);
                if (rotated) {
                    rotate(row, tokens - inputs.length + token);
                }
                for (int i = 0; i < length; i++) {
                    result[(token * count + head) * length + i] = (float) row[i];
                }
            }
        }
        return result;
    }

    private static double product(float[] row, double[] input) {
        double sum = 0;
        for (int i = 0; i < row.length; i++) {
            sum += row[i] * input[i];
        }
        return sum;
    }

    private void normalise(double[] values, float[] weight) {
        double squares = Arrays.stream(values).map(value -> value * value).sum();
        double epsilon = number("attention.layer_norm_rms_epsilon").orElseThrow();
        double factor = 1 / Math.sqrt(squares / values.length + epsilon);
        for (int i = 0; i < values.length; i++) {
            values[i] *= factor * weight[i];
        }
    }

    /** Pairs lie half of the rotated elements apart; text is at one position on all axes. */
    private void rotate(double[] row, int position) {
        int dimensions = (int) (double) number("rope.dimension_count").orElse(1.0 * row.length);
        double base = number("rope.freq_base").orElseThrow();
        for (int pair = 0; pair < dimensions / 2; pair++) {
            double angle = position * Math.pow(base, -2.0 * pair / dimensions);
            double first = row[pair];
            double second = row[pair + dimensions / 2];
            row[pair] = first * Math.cos(angle) - second * Math.sin(angle);
            row[pair + dimensions / 2] = first * Math.sin(angle) + second * Math.cos(angle);
        }
    }

    private Optional<Double> number(String key) {
        var found = file.metadata().findNumber(file.architecture() + "." + key);
        return found.isPresent() ? Optional.of(found.getAsDouble()) : Optional.empty();
    }

    private float[][] rows(String name) {
        GgufTensor tensor = file.requireTensor(name);
        int length = (int) tensor.ne(0);
        float[][] rows = new float[(int) tensor.ne(1)][length];
        try (MappedFile mapped = MappedFile.open(tensor.file());
                RowReader reader =
                        RowReader.open(
                                mapped, tensor.offset(), tensor.type(), length, rows.length)) {
            for (int row = 0; row < rows.length; row++) {
                reader.read(row, rows[row], 0);
            }
        }
        return rows;
    }
}

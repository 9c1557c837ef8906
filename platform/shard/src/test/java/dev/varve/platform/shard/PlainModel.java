package dev.varve.platform.shard;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * A tiny model with seeded weights, which {@link PlainShard} computes in plain loops: an embedding,
 * layers of one head each with a feed-forward behind it, and a head. A layer attends to all
 * positions or to a window, or keeps a convolution and a delta state. It can be written to a file
 * and read back.
 */
public final class PlainModel implements LayerSplitAdapter {
    /** {@code general.architecture} of its files. */
    public static final String ARCHITECTURE = "plain";

    static final int WIDTH = 8;
    static final int HEAD = 4;
    static final int TAPS = 3;

    private static final int HIDDEN = 12;
    private static final String HEADS = "plain.attention.head_count";
    private static final String EMBEDDING = "token_embd.weight";
    private static final String OUTPUT = "output.weight";

    private final ModelShape shape;
    private final Map<String, float[]> weights;

    /** Matrices by the last word of their names, and layers. */
    private final Map<String, float[][]> parts = new ConcurrentHashMap<>();

    private final Optional<GgufFile> file;

    private PlainModel(ModelShape shape, Map<String, float[]> weights, Optional<GgufFile> file) {
        this.shape = shape;
        this.weights = weights;
        this.file = file;
    }

    /** A layer that attends to all positions. */
    public static LayerState full() {
        return new LayerState.FullAttention(1, HEAD, HEAD);
    }

    /** A layer that attends to a token and the {@code window - 1} positions before it. */
    public static LayerState sliding(int window) {
        return new LayerState.SlidingAttention(window, 1, HEAD, HEAD);
    }

    /** A layer with a convolution over {@value #TAPS} tokens and a delta state. */
    public static LayerState recurrent() {
        return new LayerState.Recurrent(TAPS, WIDTH, HEAD, 1);
    }

    /** One layer of each kind and a second full one behind them. */
    public static PlainModel mixed(int contextTokens) {
        return seeded(List.of(full(), recurrent(), sliding(6), full()), contextTokens, 4711);
    }

    /** A recurrent layer between two full ones. */
    public static PlainModel recurrentInside(int contextTokens) {
        return seeded(List.of(full(), recurrent(), full()), contextTokens, 4713);
    }

    /** Layers whose rows can be cut back to any position. */
    public static PlainModel attentionOnly(int layers, int contextTokens) {
        return seeded(Collections.nCopies(layers, full()), contextTokens, 4712);
    }

    /**
     * A model with weights of a seed.
     *
     * @param layers of {@link #full}, {@link #sliding} and {@link #recurrent}
     */
    public static PlainModel seeded(List<LayerState> layers, int contextTokens, long seed) {
        ModelShape shape =
                new ModelShape(
                        ARCHITECTURE, new ModelShape.Sizes(WIDTH, 61, contextTokens), layers, 0);
        Map<String, float[]> weights = new LinkedHashMap<>();
        extents(shape)
                .forEach(
                        (name, extents) -> {
                            SplittableRandom random =
                                    new SplittableRandom(seed * 31 + name.hashCode());
                            float[] values = new float[extents.get(0) * extents.get(1)];
                            // A head of larger numbers, so that the best token is a clear one.
                            double deviation =
                                    (name.equals(OUTPUT) ? 3 : 1) / Math.sqrt(extents.get(0));
                            for (int i = 0; i < values.length; i++) {
                                values[i] = (float) (deviation * random.nextGaussian());
                            }
                            weights.put(name, values);
                        });
        return new PlainModel(shape, weights, Optional.empty());
    }

    /** All weights by name: inputs and outputs of each matrix. */
    private static Map<String, List<Integer>> extents(ModelShape shape) {
        Map<String, List<Integer>> extents = new LinkedHashMap<>();
        extents.put(EMBEDDING, List.of(WIDTH, shape.vocabularySize()));
        for (int layer = 0; layer < shape.layerCount(); layer++) {
            for (String part : List.of("attn_q", "attn_k", "attn_v")) {
                extents.put(name(layer, part), List.of(WIDTH, HEAD));
            }
            extents.put(name(layer, "attn_output"), List.of(HEAD, WIDTH));
            extents.put(name(layer, "ffn_up"), List.of(WIDTH, HIDDEN));
            extents.put(name(layer, "ffn_down"), List.of(HIDDEN, WIDTH));
            if (shape.layers().get(layer) instanceof LayerState.Recurrent) {
                extents.put(name(layer, "ssm_conv1d"), List.of(TAPS, WIDTH));
                extents.put(name(layer, "ssm_alpha"), List.of(WIDTH, 1));
                extents.put(name(layer, "ssm_beta"), List.of(WIDTH, 1));
            }
        }
        extents.put(OUTPUT, List.of(WIDTH, shape.vocabularySize()));
        return extents;
    }

    private static String name(int layer, String part) {
        return "blk." + layer + "." + part + ".weight";
    }

    /** Writes the model as {@code plain.gguf}. */
    public Path write(Path folder) throws IOException {
        List<Integer> windows = new ArrayList<>();
        for (LayerState state : shape.layers()) {
            windows.add(
                    switch (state) {
                        case LayerState.FullAttention ignored -> 0;
                        case LayerState.SlidingAttention sliding -> sliding.window();
                        default -> -1;
                    });
        }
        GgufWriter writer = new GgufWriter();
        writer.put("general.architecture", GgufValue.of(ARCHITECTURE));
        writer.put("plain.context_length", GgufValue.of(shape.contextLength()));
        writer.put(HEADS, GgufValue.of(1));
        writer.put("plain.windows", GgufValue.ints(windows));
        extents(shape)
                .forEach(
                        (name, extents) ->
                                writer.tensor(
                                        name,
                                        TensorType.F32,
                                        extents.stream().map(Integer::longValue).toList(),
                                        TensorData.bytes(bytes(weights.get(name)))));
        Path path = folder.resolve("plain.gguf");
        writer.write(path);
        return path;
    }

    private static byte[] bytes(float[] values) {
        ByteBuffer bytes =
                ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return bytes.array();
    }

    /** Reads what {@link #write} wrote. */
    public static PlainModel read(GgufFile file) {
        long heads = file.metadata().findInteger(HEADS).orElse(1);
        if (heads != 1) {
            throw new IllegalArgumentException("expected one head, found " + heads);
        }
        List<LayerState> layers = new ArrayList<>();
        for (long window : file.metadata().integers("plain.windows")) {
            layers.add(window == 0 ? full() : window < 0 ? recurrent() : sliding((int) window));
        }
        int vocabulary = (int) file.requireTensor(EMBEDDING).ne(1);
        ModelShape shape =
                new ModelShape(
                        ARCHITECTURE,
                        new ModelShape.Sizes(
                                WIDTH,
                                vocabulary,
                                file.metadata().positiveInt("plain.context_length")),
                        layers,
                        0);
        Map<String, float[]> weights = new LinkedHashMap<>();
        extents(shape).keySet().forEach(name -> weights.put(name, values(file, name)));
        return new PlainModel(shape, weights, Optional.of(file));
    }

    private static float[] values(GgufFile file, String name) {
        GgufTensor tensor = file.requireTensor(name);
        try (FileChannel channel = FileChannel.open(tensor.file())) {
            ByteBuffer bytes =
                    ByteBuffer.allocate((int) tensor.bytes()).order(ByteOrder.LITTLE_ENDIAN);
            while (bytes.hasRemaining()
                    && channel.read(bytes, tensor.offset() + bytes.position()) >= 0) {
                // Reads on until the tensor is whole.
            }
            float[] values = new float[bytes.flip().remaining() / Float.BYTES];
            bytes.asFloatBuffer().get(values);
            return values;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ModelShape shape() {
        return shape;
    }

    @Override
    public TensorSelection tensors(LayerRange range) {
        TensorSelection.Builder selection = new TensorSelection.Builder();
        extents(shape)
                .forEach(
                        (name, extents) -> {
                            boolean wanted =
                                    switch (name) {
                                        case EMBEDDING -> range.begin() == 0;
                                        case OUTPUT -> range.end() == shape.layerCount();
                                        default ->
                                                range.contains(
                                                        Integer.parseInt(name.split("\\.")[1]));
                                    };
                            if (wanted) {
                                selection.add(
                                        tensor(name, extents),
                                        name.equals(EMBEDDING)
                                                ? TensorUse.ROW_LOOKUP
                                                : TensorUse.MATMUL);
                            }
                        });
        return selection.build();
    }

    private GgufTensor tensor(String name, List<Integer> extents) {
        return file.map(from -> from.requireTensor(name))
                .orElseGet(
                        () ->
                                new GgufTensor(
                                        name,
                                        GgmlType.F32,
                                        extents.stream().map(Integer::longValue).toList(),
                                        new GgufTensor.Place(
                                                Path.of("plain.gguf"),
                                                0,
                                                (long) extents.get(0)
                                                        * extents.get(1)
                                                        * Float.BYTES)));
    }

    /** Bytes of the weights of a range. */
    long weightBytes(LayerRange range) {
        return tensors(range).entries().stream().mapToLong(entry -> entry.tensor().bytes()).sum();
    }

    @Override
    public void build(ShardGraph graph, LayerRange range) {
        throw new UnsupportedOperationException("a plain model is computed without a graph");
    }

    @Override
    public ChatDialect chatDialect() {
        return ChatDialect.plain();
    }

    /** The hidden state that a token begins with. */
    float[] embed(int token) {
        float[] hidden = new float[WIDTH];
        System.arraycopy(weights.get(EMBEDDING), token * WIDTH, hidden, 0, WIDTH);
        return hidden;
    }

    /** Scores of all tokens as successors. */
    void logits(float[] hidden, float[] target, int offset) {
        float[] scores = product(weights.get(OUTPUT), normalised(hidden));
        System.arraycopy(scores, 0, target, offset, scores.length);
    }

    /** One of a layer's products, {@code part} being {@code attn_q} and so on. */
    float[] product(int layer, String part, float[] input) {
        return product(matrix(layer, part), input);
    }

    private float[] matrix(int layer, String part) {
        float[][] layers = parts.get(part);
        if (layers == null) {
            layers =
                    IntStream.range(0, shape.layerCount())
                            .mapToObj(each -> weights.get(name(each, part)))
                            .toArray(float[][]::new);
            parts.put(part, layers);
        }
        return layers[layer];
    }

    private static float[] product(float[] matrix, float[] input) {
        float[] output = new float[matrix.length / input.length];
        for (int row = 0; row < output.length; row++) {
            float sum = 0;
            for (int i = 0; i < input.length; i++) {
                sum += matrix[row * input.length + i] * input[i];
            }
            output[row] = sum;
        }
        return output;
    }

    /** A channel's taps, the oldest input's first. */
    float tap(int layer, int channel, int tap) {
        return matrix(layer, "ssm_conv1d")[channel * TAPS + tap];
    }

    /** The hidden state behind a layer, from that before it and what the layer attended to. */
    float[] finish(int layer, float[] hidden, float[] attended) {
        float[] mixed = sum(hidden, product(layer, "attn_output", attended));
        float[] up = product(layer, "ffn_up", normalised(mixed));
        for (int i = 0; i < up.length; i++) {
            up[i] /= 1 + Math.abs(up[i]);
        }
        return sum(mixed, product(layer, "ffn_down", up));
    }

    private static float[] sum(float[] one, float[] other) {
        float[] sum = new float[one.length];
        for (int i = 0; i < sum.length; i++) {
            sum[i] = one[i] + other[i];
        }
        return sum;
    }

    /** Values of unit size on average. */
    static float[] normalised(float[] values) {
        float squares = 0;
        for (float value : values) {
            squares += value * value;
        }
        float scale = (float) (1 / StrictMath.sqrt(squares / values.length + 1e-6));
        float[] result = new float[values.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = values[i] * scale;
        }
        return result;
    }
}

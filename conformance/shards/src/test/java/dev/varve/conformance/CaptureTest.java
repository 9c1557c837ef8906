package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.MappedFile;
import dev.varve.api.ggml.RowReader;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.TensorSelection;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardResult;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Captures are complete and in F32 wherever a model is cut and its parts are, and a family that
 * does not offer them is refused when it is loaded.
 */
@Timeout(300)
class CaptureTest {
    private static final String HERE = "cpu:0";
    private static final String THERE = "cpu:0@process";
    private static final int TOKENS = 100;
    private static final ShardChain.Place PLACE = new ShardChain.Place(0, 1);

    @TempDir static Path models;
    @TempDir static Path installation;
    private static ListeningShard process;

    @BeforeAll
    static void startProcess() throws Exception {
        process = ListeningShard.start(ShardProgram.install(models, installation));
    }

    @AfterAll
    static void endProcess() {
        process.close();
    }

    private record Sample(RandomModel spec, SplitModel split, int[] tokens) {
        static Sample of(Family family, long seed, BoundaryType boundary) throws Exception {
            RandomModel spec = family.odd(seed);
            SplitModel split =
                    SplitModel.of(
                            spec.write(models),
                            Cpu.settings(512, 1, Cpu.F16),
                            boundary,
                            device -> process.link());
            return new Sample(spec, split, spec.tokens(TOKENS, seed));
        }

        int layers() {
            return split.adapter().shape().layerCount();
        }

        /** Of every layer, and of what is behind the last one. */
        List<Integer> all() {
            return IntStream.rangeClosed(0, layers()).boxed().toList();
        }

        ShardChain load(List<String> devices, int... cuts) {
            return ShardChain.load(split, Cpu.F16, all(), devices, cuts);
        }

        List<CapturedFeature> features(RequestedOutput outputs, List<String> devices, int... cuts) {
            try (ShardChain chain = load(devices, cuts)) {
                return features(chain, outputs);
            }
        }

        List<CapturedFeature> features(ShardChain chain, RequestedOutput outputs) {
            return chain.run(tokens, 0, TOKENS, PLACE, all(), outputs).features();
        }
    }

    /** All of one layer, chunk after chunk. */
    private static float[] of(List<CapturedFeature> features, int layer) {
        List<float[]> parts =
                features.stream()
                        .filter(feature -> feature.layer() == layer)
                        .map(CapturedFeature::values)
                        .toList();
        float[] values = new float[parts.stream().mapToInt(part -> part.length).sum()];
        int filled = 0;
        for (float[] part : parts) {
            System.arraycopy(part, 0, values, filled, part.length);
            filled += part.length;
        }
        return values;
    }

    private static void requireSame(
            List<CapturedFeature> expected, List<CapturedFeature> actual, int layer, String what) {
        float[] values = of(expected, layer);
        assertTrue(values.length > 0, () -> what + ": nothing of layer " + layer);
        assertArrayEquals(values, of(actual, layer), () -> what + ", layer " + layer);
    }

    @ParameterizedTest
    @CsvSource({"QWEN35, 8", "QWEN35MOE, 8", "GEMMA4, 60", "GEMMA4, 7", "LAGUNA, 1"})
    @ByDay({1, 3})
    void everySplitCapturesTheSameAsTheWholeModel(Family family, long seed) throws Exception {
        Sample sample = Sample.of(family, seed, BoundaryType.F32);
        for (RequestedOutput outputs :
                List.of(RequestedOutput.NONE, RequestedOutput.LAST, RequestedOutput.ALL)) {
            List<CapturedFeature> whole = sample.features(outputs, List.of(HERE));
            int width = sample.split().adapter().shape().embeddingLength();
            for (int layer : sample.all()) {
                assertEquals(TOKENS * width, of(whole, layer).length, "layer " + layer);
            }
            for (int cut : sample.split().cuts()) {
                if (!Thorough.tries(2, cut / 2, outputs.ordinal())) {
                    continue;
                }
                List<String> devices = cut % 2 == 0 ? List.of(HERE, THERE) : List.of(THERE, HERE);
                List<CapturedFeature> split = sample.features(outputs, devices, cut);

                String what = sample.spec() + ", " + outputs + ", " + devices + " cut at " + cut;
                for (int layer : sample.all()) {
                    requireSame(whole, split, layer, what);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"QWEN35, 8", "QWEN35MOE, 8", "GEMMA4, 60", "GEMMA4, 7", "LAGUNA, 1"})
    @ByDay(3)
    void narrowBoundaryTypeDoesNotRoundCaptures(Family family, long seed) throws Exception {
        List<BoundaryType> boundaries = List.of(BoundaryType.F16, BoundaryType.BF16);
        for (BoundaryType boundary : boundaries) {
            Sample sample = Sample.of(family, seed, boundary);
            List<CapturedFeature> whole = sample.features(RequestedOutput.NONE, List.of(HERE));
            for (int cut : sample.split().cuts()) {
                for (List<String> devices : List.of(List.of(HERE, THERE), List.of(THERE, HERE))) {
                    int here = devices.indexOf(HERE);
                    if (!Thorough.tries(2, cut, boundaries.indexOf(boundary), here)) {
                        continue;
                    }
                    List<CapturedFeature> split =
                            sample.features(RequestedOutput.NONE, devices, cut);

                    String what = sample.spec() + ", " + boundary + ", " + devices + " at " + cut;
                    for (int layer = 0; layer <= cut; layer++) {
                        requireSame(whole, split, layer, what);
                    }
                    // Without rounding behind the cut, the test could not detect a rounded capture.
                    assertFalse(
                            Arrays.equals(of(whole, cut + 1), of(split, cut + 1)),
                            () -> what + ": nothing was rounded on its way");
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"QWEN35, 8", "QWEN35MOE, 8", "GEMMA4, 60", "GEMMA4, 7", "LAGUNA, 1", "QWEN3, 8"})
    void captureIsTheInputOfItsLayer(Family family, long seed) throws Exception {
        Sample sample = Sample.of(family, seed, BoundaryType.F32);
        int width = sample.split().adapter().shape().embeddingLength();
        for (int cut : sample.split().cuts()) {
            try (ShardChain chain = sample.load(List.of(HERE, HERE), cut)) {
                SequenceChunk chunk =
                        new SequenceChunk(
                                1,
                                sample.tokens(),
                                ChunkPlacement.start(PLACE.span(), PLACE.stateRow()),
                                RequestedOutput.NONE);
                Shard first = chain.shards().getFirst();
                ShardResult result =
                        first.forward(
                                        new Batch(List.of(chunk), Phase.PREFILL, List.of(cut)),
                                        Optional.empty())
                                .join();

                // The hidden state comes first in each column of what the next shard gets.
                float[] handed = result.boundary().orElseThrow().values();
                int length = handed.length / TOKENS;
                float[] expected = new float[TOKENS * width];
                for (int token = 0; token < TOKENS; token++) {
                    System.arraycopy(handed, token * length, expected, token * width, width);
                }
                assertArrayEquals(expected, of(result.features(), cut), "cut at " + cut);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"QWEN35, 8", "QWEN35MOE, 8", "GEMMA4, 60", "GEMMA4, 7", "LAGUNA, 1", "QWEN3, 8"})
    void lastCaptureIsTheInputOfTheHead(Family family, long seed) throws Exception {
        Sample sample = Sample.of(family, seed, BoundaryType.F32);
        try (ShardChain chain = sample.load(List.of(HERE))) {
            ShardChain.Run run = chain.run(sample.tokens(), 0, TOKENS, PLACE, sample.all());

            float[] hidden = of(run.features(), sample.layers());
            Head head = Head.of(sample.split().file());
            float[] before = of(run.features(), sample.layers() - 1);
            double distance = head.distance(hidden, run.rows());
            assertTrue(
                    distance <= 1, () -> distance + " of what rounding may do: " + sample.spec());
            // The model does not compute the logits from the input of the last layer.
            assertTrue(head.distance(before, run.rows()) > 1, sample.spec().toString());
        }
    }

    /** Final norm and output head as plain loops. */
    private record Head(float[] norm, float[][] rows, int block, double epsilon, double cap) {
        /**
         * Largest rounding error of an element in units of the largest one of its block: half a
         * step of 127, and the step is kept in half precision. Other roundings are smaller.
         */
        private static final double ROUNDING = 1.0 / 254 + 1.0 / 2048;

        static Head of(GgufFile file) {
            String prefix = file.architecture() + ".";
            float[] norm = read(file, file.requireTensor("output_norm.weight"))[0];
            GgufTensor head =
                    file.tensor("output.weight")
                            .orElseGet(() -> file.requireTensor("token_embd.weight"));
            // Gemma 4 caps its logits at 30 where a file does not say.
            double unsaid = file.architecture().equals("gemma4") ? 30 : 0;
            double cap =
                    file.metadata().findNumber(prefix + "final_logit_softcapping").orElse(unsaid);
            return new Head(
                    norm,
                    read(file, head),
                    head.type().blockSize(),
                    file.metadata().number(prefix + "attention.layer_norm_rms_epsilon"),
                    cap);
        }

        private static float[][] read(GgufFile file, GgufTensor tensor) {
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

        /** The largest difference of a logit from the computed one, in units of its bound. */
        double distance(float[] hidden, float[][] logits) {
            double worst = 0;
            for (int token = 0; token < logits.length; token++) {
                double[] input = normed(hidden, token * norm.length);
                double[] bounds = bounds(input);
                for (int row = 0; row < rows.length; row++) {
                    double sum = 0;
                    // A row of zeros has sums that are exact.
                    double bound = Float.MIN_NORMAL;
                    for (int i = 0; i < input.length; i++) {
                        sum += input[i] * rows[row][i];
                        bound += bounds[i] * Math.abs(rows[row][i]);
                    }
                    double expected = cap == 0 ? sum : cap * Math.tanh(sum / cap);
                    worst = Math.max(worst, Math.abs(logits[token][row] - expected) / bound);
                }
            }
            return worst;
        }

        private double[] normed(float[] hidden, int begin) {
            double squares = 0;
            for (int i = 0; i < norm.length; i++) {
                squares += (double) hidden[begin + i] * hidden[begin + i];
            }
            double factor = 1 / Math.sqrt(squares / norm.length + epsilon);
            double[] normed = new double[norm.length];
            for (int i = 0; i < norm.length; i++) {
                normed[i] = hidden[begin + i] * factor * norm[i];
            }
            return normed;
        }

        /** How far the product with rows of this type may round each element of its input. */
        private double[] bounds(double[] input) {
            double[] bounds = new double[input.length];
            // Rows of single values are multiplied in half precision at worst, without blocks.
            for (int begin = 0; begin < input.length; begin += block) {
                double largest = 0;
                for (int i = begin; i < begin + block; i++) {
                    largest = Math.max(largest, Math.abs(input[i]));
                }
                Arrays.fill(bounds, begin, begin + block, largest * ROUNDING);
            }
            return bounds;
        }
    }

    @ParameterizedTest
    @EnumSource
    void unsupportedCaptureIsRefusedAtLoad(Family family) throws Exception {
        Sample sample = Sample.of(family, family.quantisableSeed(), BoundaryType.F32);
        SplitModel split = sample.split();
        for (int layer : List.of(0, sample.layers() - 1, sample.layers())) {
            SplitModel silent =
                    new SplitModel(
                            split.file(),
                            new SilentFamily(split.adapter(), layer),
                            split.boundary(),
                            split.links());
            ShardChain.load(silent, Cpu.F16, List.of(HERE)).close();
            List<Integer> others = new ArrayList<>(sample.all());
            others.remove((Integer) layer);
            ShardChain.load(silent, Cpu.F16, others, List.of(HERE)).close();

            VarveException refusal =
                    assertThrows(
                            VarveException.class,
                            () -> ShardChain.load(silent, Cpu.F16, sample.all(), List.of(HERE)));

            assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, refusal.kind());
            assertTrue(
                    refusal.getMessage().contains("the input of layers [" + layer + "]"),
                    refusal.getMessage());
        }
    }

    /** A family that never offers the input of one layer. */
    private record SilentFamily(LayerSplitAdapter family, int layer) implements LayerSplitAdapter {
        @Override
        public ModelShape shape() {
            return family.shape();
        }

        @Override
        public List<LayerRange> align(List<LayerRange> ranges) {
            return family.align(ranges);
        }

        @Override
        public int boundaryLength(int at) {
            return family.boundaryLength(at);
        }

        @Override
        public TensorSelection tensors(LayerRange range) {
            return family.tensors(range);
        }

        @Override
        public void build(ShardGraph graph, LayerRange range) {
            ShardGraph silent =
                    (ShardGraph)
                            Proxy.newProxyInstance(
                                    ShardGraph.class.getClassLoader(),
                                    new Class<?>[] {ShardGraph.class},
                                    (proxy, method, arguments) -> {
                                        if (method.getName().equals("capture")
                                                && arguments[0].equals(layer)) {
                                            return null;
                                        }
                                        try {
                                            return method.invoke(graph, arguments);
                                        } catch (InvocationTargetException e) {
                                            throw e.getCause();
                                        }
                                    });
            family.build(silent, range);
        }

        @Override
        public ChatDialect chatDialect() {
            return family.chatDialect();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {HERE, THERE})
    void captureOfAMissingLayerIsRefusedAtLoad(String device) throws Exception {
        Sample sample = Sample.of(Family.LAGUNA, 1, BoundaryType.F32);
        int beyond = sample.layers() + 1;

        VarveException refusal =
                assertThrows(
                        VarveException.class,
                        () ->
                                ShardChain.load(
                                        sample.split(),
                                        Cpu.F16,
                                        List.of(0, beyond),
                                        List.of(device)));

        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
        assertTrue(
                refusal.getMessage().contains("0 to " + sample.layers() + ", found " + beyond),
                refusal.getMessage());
    }
}

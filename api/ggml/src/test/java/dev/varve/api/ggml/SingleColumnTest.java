package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.testkit.Effort;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Which products of several columns have the bits of as many products of one column. The platform
 * relies on it where answers must not depend on load; another release of ggml may break it.
 */
class SingleColumnTest {
    private static final int WIDTH = 1024;
    private static final int ROWS = 72;
    private static final int EXPERTS = 3;
    private static final int USED = 2;
    private static final int MOST = 17;

    /** Types that only an importance matrix can make. */
    private static final Set<GgmlType> NOT_MADE =
            Set.of(GgmlType.IQ2_XXS, GgmlType.IQ2_XS, GgmlType.IQ1_S);

    /** Types that most files have. The others are tried at night, and with a new ggml. */
    private static final Set<GgmlType> COMMON =
            Set.of(
                    GgmlType.F16,
                    GgmlType.BF16,
                    GgmlType.Q4_0,
                    GgmlType.Q5_K,
                    GgmlType.Q8_0,
                    GgmlType.Q4_K,
                    GgmlType.Q6_K,
                    GgmlType.MXFP4,
                    GgmlType.IQ4_XS);

    /** Numbers of columns; by day those around the kernels' tiles. */
    private static final int[] COUNTS =
            Effort.isFull()
                    ? IntStream.rangeClosed(1, MOST).toArray()
                    : new int[] {1, 2, 3, 4, 5, 7, 8, 16, 17};

    static Stream<GgmlType> types() {
        return made(Arrays.stream(GgmlType.values()).filter(GgmlType::isWeightType));
    }

    /** Types that are unpacked before several columns are multiplied. */
    static Stream<GgmlType> unpackedTypes() {
        return made(
                Stream.of(
                        GgmlType.IQ1_M,
                        GgmlType.IQ2_S,
                        GgmlType.IQ3_XXS,
                        GgmlType.IQ3_S,
                        GgmlType.IQ4_XS));
    }

    private static Stream<GgmlType> made(Stream<GgmlType> types) {
        return types.filter(type -> !NOT_MADE.contains(type))
                .filter(type -> Effort.isFull() || COMMON.contains(type));
    }

    /** How a tensor of several columns is shown. */
    private enum Form {
        COLUMNS,
        PLANES
    }

    /** For every type, in every buffer type that takes it, with every number of threads. */
    @ParameterizedTest
    @MethodSource("types")
    void planesOfOneColumnMatchSingleColumnProductsBitwise(GgmlType type) {
        for (BufferType home : homes(type, false)) {
            try (Weight weight = new Weight(type, home, WIDTH, ROWS)) {
                assertEquals(Set.of(), weight.counts(Form.PLANES), type + " in " + home.name());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q3_K", "Q5_K", "Q6_K", "MXFP4"})
    void columnsOfTheseTypesMatchSingleColumnProductsBitwise(GgmlType type) {
        assertColumnsAreExact(type, homes(type, false));
    }

    @ParameterizedTest
    @EnumSource(names = {"Q2_K", "Q4_K"})
    void columnsOfTheseTypesAreExactInFileLayout(GgmlType type) {
        assertColumnsAreExact(type, List.of(Cpu.device().bufferType()));
    }

    @ParameterizedTest
    @EnumSource(names = {"Q4_0", "IQ4_NL"})
    void columnsOfTheseTypesAreExactWhenRepacked(GgmlType type) {
        List<BufferType> homes = homes(type, false);
        assertColumnsAreExact(type, homes.subList(0, homes.size() - 1));
    }

    private static void assertColumnsAreExact(GgmlType type, List<BufferType> homes) {
        for (BufferType home : homes) {
            try (Weight weight = new Weight(type, home, WIDTH, ROWS)) {
                assertEquals(Set.of(), weight.counts(Form.COLUMNS), type + " in " + home.name());
            }
        }
    }

    /** Up to three columns, wherever the weight lies. */
    @ParameterizedTest
    @EnumSource(names = {"Q2_K", "Q4_K"})
    void threeColumnsOfTheseTypesAreExact(GgmlType type) {
        assertLeastDifferent(type, 4);
    }

    @ParameterizedTest
    @MethodSource("unpackedTypes")
    void sevenColumnsOfTheseTypesAreExact(GgmlType type) {
        assertLeastDifferent(type, 8);
    }

    private static void assertLeastDifferent(GgmlType type, int least) {
        for (BufferType home : homes(type, false)) {
            try (Weight weight = new Weight(type, home, WIDTH, ROWS)) {
                Set<Integer> different = weight.counts(Form.COLUMNS);
                assertEquals(
                        Set.of(),
                        new TreeSet<>(different).headSet(least),
                        type + " in " + home.name() + " differs at " + different + " columns");
            }
        }
    }

    /** All tokens may choose the same expert, so that up to seven tokens are exact in all types. */
    @ParameterizedTest
    @MethodSource("types")
    void sevenTokensOfExpertsMatchSingleTokensBitwise(GgmlType type) {
        for (BufferType home : homes(type, true)) {
            try (Weight weight = new Weight(type, home, WIDTH, ROWS, EXPERTS)) {
                Set<Integer> different = weight.expertCounts();
                boolean unpacked = type.name().startsWith("IQ") && type != GgmlType.IQ4_NL;
                assertEquals(
                        Set.of(),
                        unpacked ? new TreeSet<>(different).headSet(8) : different,
                        type + " in " + home.name() + " differs at " + different + " tokens");
            }
        }
    }

    private static List<BufferType> homes(GgmlType type, boolean experts) {
        GgmlDevice device = Cpu.device();
        List<BufferType> homes = new ArrayList<>();
        try (GgmlContext scratch = GgmlContext.open(8, 0)) {
            Ops ops = scratch.ops();
            Tensor weight =
                    experts
                            ? scratch.newTensor(type, WIDTH, ROWS, EXPERTS)
                            : scratch.newTensor(type, WIDTH, ROWS);
            Tensor probe =
                    experts
                            ? ops.mulMatId(
                                    weight,
                                    scratch.newTensor(GgmlType.F32, WIDTH, 1, 512),
                                    scratch.newTensor(GgmlType.I32, USED, 512))
                            : ops.mulMat(weight, scratch.newTensor(GgmlType.F32, WIDTH, 512));
            for (BufferType home : device.extraBufferTypes()) {
                if (home.name().equals("CPU_REPACK")
                        && device.supportsWeight(home, weight, probe)) {
                    homes.add(home);
                }
            }
        }
        homes.add(device.bufferType());
        return homes;
    }

    /** A random weight and the columns that it is multiplied with. */
    private static final class Weight implements AutoCloseable {
        private final GgmlContext context = GgmlContext.open(1, 0);
        private final Tensor tensor;
        private final DeviceBuffer buffer;
        private final Backend backend = Cpu.device().open();
        private final float[] input = Cpu.noise(5, WIDTH * MOST);

        Weight(GgmlType type, BufferType home, long... shape) {
            tensor = context.newTensor(type, shape);
            buffer = context.allocate(home).orElseThrow();
            buffer.markWeights();
            float[] values = Cpu.noise(3, (int) tensor.elements());
            if (type == GgmlType.F32) {
                tensor.write(values, 0, values.length, 0);
            } else {
                byte[] bytes = Quantizer.quantize(type, values, WIDTH);
                tensor.writeBytes(bytes, 0, bytes.length, 0);
            }
        }

        /** Numbers of columns at which a column differs from its product alone. */
        Set<Integer> counts(Form form) {
            backend.setThreads(1);
            float[][] alone =
                    IntStream.range(0, MOST)
                            .mapToObj(column -> product(column, 1, Form.COLUMNS))
                            .toArray(float[][]::new);
            Set<Integer> different = new TreeSet<>();
            for (int threads = 1; threads <= Effort.of(2, 3); threads++) {
                backend.setThreads(threads);
                for (int count : COUNTS) {
                    if (!equal(alone, product(0, count, form), count)) {
                        different.add(count);
                    }
                }
            }
            return different;
        }

        /** Likewise for numbers of tokens, each of which chooses experts. */
        Set<Integer> expertCounts() {
            backend.setThreads(1);
            float[][] alone =
                    IntStream.range(0, MOST)
                            .mapToObj(token -> expertProduct(token, 1))
                            .toArray(float[][]::new);
            Set<Integer> different = new TreeSet<>();
            for (int threads = 1; threads <= Effort.of(2, 3); threads++) {
                backend.setThreads(threads);
                for (int count : COUNTS) {
                    if (!equal(alone, expertProduct(0, count), count)) {
                        different.add(count);
                    }
                }
            }
            return different;
        }

        private static boolean equal(float[][] alone, float[] together, int count) {
            int length = alone[0].length;
            for (int i = 0; i < count; i++) {
                if (!Arrays.equals(
                        alone[i], Arrays.copyOfRange(together, i * length, (i + 1) * length))) {
                    return false;
                }
            }
            return true;
        }

        private float[] product(int first, int count, Form form) {
            try (GgmlContext nodes = GgmlContext.open(4, 4)) {
                Tensor columns =
                        form == Form.PLANES
                                ? nodes.newTensor(GgmlType.F32, WIDTH, 1, count)
                                : nodes.newTensor(GgmlType.F32, WIDTH, count);
                Tensor result = nodes.ops().mulMat(tensor, columns.markInput()).markOutput();
                return compute(
                        nodes, result, () -> columns.write(input, first * WIDTH, count * WIDTH, 0));
            }
        }

        private float[] expertProduct(int first, int count) {
            int[] ids = new int[USED * count];
            for (int i = 0; i < count; i++) {
                // The first expert is chosen by all of them.
                ids[USED * i + 1] = 1 + (first + i) % (EXPERTS - 1);
            }
            try (GgmlContext nodes = GgmlContext.open(4, 4)) {
                Tensor tokens = nodes.newTensor(GgmlType.F32, WIDTH, 1, count).markInput();
                Tensor chosen = nodes.newTensor(GgmlType.I32, USED, count).markInput();
                Tensor result = nodes.ops().mulMatId(tensor, tokens, chosen).markOutput();
                return compute(
                        nodes,
                        result,
                        () -> {
                            tokens.write(input, first * WIDTH, count * WIDTH, 0);
                            chosen.write(ids, 0, ids.length, 0);
                        });
            }
        }

        private float[] compute(GgmlContext nodes, Tensor result, Runnable fill) {
            try (GraphAllocator allocator = new GraphAllocator(Cpu.device().bufferType())) {
                Graph graph = nodes.newGraph(4);
                graph.expand(result);
                allocator.reserve(graph);
                allocator.allocate(graph);
                fill.run();
                backend.compute(graph);
                backend.synchronize();
                float[] values = new float[(int) result.elements()];
                result.read(values, 0, values.length, 0);
                return values;
            }
        }

        @Override
        public void close() {
            backend.close();
            buffer.close();
            context.close();
        }
    }
}

package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * Operators over random operands, most of which do not fit. Whatever happens, the process must
 * survive: an operand is refused with an exception, or the graph is computed. A failed assertion in
 * ggml ends the test run.
 */
class OpsFuzzTest {
    private static final GgmlDevice CPU = Cpu.device();
    private static final List<GgmlType> TYPES =
            List.of(
                    GgmlType.F32,
                    GgmlType.F32,
                    GgmlType.F32,
                    GgmlType.F32,
                    GgmlType.F32,
                    GgmlType.F16,
                    GgmlType.BF16,
                    GgmlType.Q4_0,
                    GgmlType.Q8_0,
                    GgmlType.I32,
                    GgmlType.I64,
                    GgmlType.Q8_1,
                    GgmlType.I8,
                    GgmlType.IQ3_XXS);

    @Test
    void nonContiguousOperandsAreRefusedOrComputedCorrectly() {
        fuzz(0, 600);
    }

    @Test
    @Tag("nightly")
    void manyMoreNonContiguousOperandsAreRefusedOrComputedCorrectly() {
        fuzz(600, 60_000);
    }

    private static void fuzz(int firstSeed, int graphs) {
        Map<String, int[]> outcomes = new TreeMap<>();

        for (int seed = firstSeed; seed < firstSeed + graphs; seed++) {
            fuzz(seed, outcomes);
        }

        outcomes.forEach((name, counts) -> assertTrue(counts[1] > 0, name + " was never computed"));
        outcomes.forEach(
                (name, counts) ->
                        assertTrue(
                                counts[0] > 0 || name.equals("cont"), name + " took everything"));
    }

    private static void fuzz(int seed, Map<String, int[]> outcomes) {
        Random random = new Random(seed);
        String name = OPERATORS[seed % OPERATORS.length];
        int[] counts = outcomes.computeIfAbsent(name, unused -> new int[2]);
        GgmlLibrary.context("fuzzing " + name + " with seed " + seed);
        try (GgmlContext context = GgmlContext.open(256, 256)) {
            List<Tensor> pool = operands(name, random, context);
            for (int attempt = 0; attempt < 40; attempt++) {
                long choices = random.nextLong();
                try {
                    Tensor result = apply(name, context.ops(), new Random(choices), pool);
                    if (CPU.supports(result)) {
                        Optional<Tensor> reference =
                                referenceOf(name, context.ops(), choices, pool);
                        compute(
                                context,
                                random,
                                result,
                                reference,
                                name + ", seed " + seed + ", operands " + pool);
                        counts[1]++;
                        return;
                    }
                } catch (IllegalArgumentException e) {
                    counts[0]++;
                }
            }
        }
    }

    /**
     * The operator on contiguous copies; empty where strides are the point, or where the order of
     * writes matters.
     */
    private static Optional<Tensor> referenceOf(
            String name, Ops ops, long choices, List<Tensor> pool) {
        if (name.equals("view") || name.equals("setRows")) {
            return Optional.empty();
        }
        List<Tensor> copies =
                pool.stream()
                        .map(tensor -> tensor.isContiguous() ? tensor : ops.cont(tensor))
                        .toList();
        Tensor reference = apply(name, ops, new Random(choices), copies);
        return Optional.of(reference.isContiguous() ? reference : ops.cont(reference));
    }

    private static void compute(
            GgmlContext context,
            Random random,
            Tensor result,
            Optional<Tensor> reference,
            String message) {
        Tensor actual = result.isContiguous() ? result : context.ops().cont(result);
        Graph graph = context.newGraph(256);
        // First, since an operator that works in place changes what the copies are made of.
        reference.ifPresent(tensor -> graph.expand(tensor.markOutput()));
        graph.expand(actual.markOutput());
        try (Backend backend = CPU.open();
                GraphAllocator allocator = new GraphAllocator(CPU.bufferType())) {
            backend.setThreads(1 + random.nextInt(2));
            allocator.reserve(graph);
            allocator.allocate(graph);
            fill(random, context);
            backend.compute(graph);
            reference.ifPresent(tensor -> assertSame(tensor, actual, message));
        }
    }

    /** Whole numbers stay 0: a valid row number and position anywhere. */
    private static void fill(Random random, GgmlContext context) {
        for (Tensor tensor : context.declared()) {
            if (!tensor.isPlaced()) {
                continue;
            }
            if (!tensor.type().isWeightType() || tensor.type() == GgmlType.IQ3_XXS) {
                tensor.zero();
                continue;
            }
            float[] values = new float[Math.toIntExact(tensor.elements())];
            for (int i = 0; i < values.length; i++) {
                values[i] = random.nextFloat(-1, 1);
            }
            byte[] bytes = Quantizer.quantize(tensor.type(), values, Math.toIntExact(tensor.ne(0)));
            tensor.writeBytes(bytes, 0, bytes.length, 0);
        }
    }

    private static void assertSame(Tensor expected, Tensor actual, String message) {
        if (actual.type() != GgmlType.F32) {
            assertArrayEquals(bytes(expected), bytes(actual), message);
            return;
        }
        float[] expectedValues = floats(expected);
        float[] actualValues = floats(actual);
        assertEquals(expectedValues.length, actualValues.length, message);
        for (int i = 0; i < expectedValues.length; i++) {
            // Other strides may take another path with other rounding; a wrong element is far off.
            float tolerance = 0.02f * (1 + Math.abs(expectedValues[i]));
            boolean same =
                    Float.compare(expectedValues[i], actualValues[i]) == 0
                            || Math.abs(expectedValues[i] - actualValues[i]) <= tolerance;
            assertTrue(
                    same,
                    message
                            + ": element "
                            + i
                            + ": "
                            + expectedValues[i]
                            + ", found "
                            + actualValues[i]);
        }
    }

    private static byte[] bytes(Tensor tensor) {
        byte[] bytes = new byte[Math.toIntExact(tensor.bytes())];
        tensor.readBytes(bytes, 0, bytes.length, 0);
        return bytes;
    }

    private static float[] floats(Tensor tensor) {
        float[] values = new float[Math.toIntExact(tensor.elements())];
        tensor.read(values, 0, values.length, 0);
        return values;
    }

    private static List<Tensor> operands(String name, Random random, GgmlContext context) {
        List<Wanted> wanted = wanted(name, random);
        List<Tensor> pool = new ArrayList<>();
        while (pool.size() < 7) {
            try {
                pool.add(
                        pool.size() < wanted.size() && random.nextInt(20) > 0
                                ? shaped(random, context, wanted.get(pool.size()))
                                : any(random, context));
            } catch (IllegalArgumentException e) {
                // A shape that the type or the view does not allow; draw again.
            }
        }
        return pool;
    }

    private record Wanted(GgmlType type, long... shape) {}

    /** Operands that fit where chance would rarely find them. */
    private static List<Wanted> wanted(String name, Random random) {
        long s = 1 + random.nextInt(8);
        long t = 1 + random.nextInt(5);
        long n = 1 + random.nextInt(3);
        long k = 1 + random.nextInt(3);
        long h = k * (1 + random.nextInt(3));
        GgmlType f = GgmlType.F32;
        GgmlType weight =
                List.of(f, GgmlType.F16, GgmlType.BF16, GgmlType.Q8_0, GgmlType.Q4_0)
                        .get(random.nextInt(5));
        long blocks = weight.blockSize() * s;
        return switch (name) {
            case "mulMat", "accumulateF32" ->
                    List.of(new Wanted(weight, blocks, t, k), new Wanted(f, blocks, 4, h, n));
            case "mulMatHadamard" -> List.of(new Wanted(f, 64, 64), new Wanted(f, 64, t, n));
            case "mulMatId" ->
                    List.of(
                            new Wanted(weight, blocks, t, h),
                            new Wanted(f, blocks, 1, n),
                            new Wanted(GgmlType.I32, k, n));
            case "getRows" ->
                    List.of(new Wanted(weight, blocks, t, n), new Wanted(GgmlType.I32, k, n));
            case "setRows" ->
                    List.of(
                            new Wanted(weight, blocks, t, n),
                            new Wanted(f, blocks, k, n),
                            new Wanted(GgmlType.I64, k, n));
            case "ssmConv" -> List.of(new Wanted(f, 3 + t, h, n), new Wanted(f, 4, h));
            case "gatedDeltaNet" ->
                    List.of(
                            new Wanted(f, 16, k, t, n),
                            new Wanted(f, 16, k, t, n),
                            new Wanted(f, 16, h, t, n),
                            new Wanted(f, random.nextBoolean() ? 1 : 16, h, t, n),
                            new Wanted(f, 1, h, t, n),
                            new Wanted(f, 16, 16, h, n));
            case "ssmScan" ->
                    List.of(
                            new Wanted(f, 16, h, t, n),
                            new Wanted(f, h, t, n),
                            new Wanted(f, 1, h),
                            new Wanted(f, 32, k, t, n),
                            new Wanted(f, 32, k, t, n),
                            new Wanted(f, 32, 16, h, n + 1),
                            new Wanted(GgmlType.I32, n));
            case "swigluLimited" -> List.of(new Wanted(f, s, t, k), new Wanted(f, s, t, k));
            case "addId" ->
                    List.of(
                            new Wanted(f, s, k, n),
                            new Wanted(f, s, h),
                            new Wanted(GgmlType.I32, k, n));
            case "ropeExt" ->
                    List.of(
                            new Wanted(f, 64, h, t),
                            new Wanted(GgmlType.I32, t),
                            new Wanted(f, 32));
            case "ropeMulti" -> List.of(new Wanted(f, 64, h, t), new Wanted(GgmlType.I32, 4 * t));
            case "flashAttention" ->
                    List.of(
                            new Wanted(f, 64, t, h, n),
                            new Wanted(weight, 64, s, k, n),
                            new Wanted(weight, 64, s, k, n),
                            new Wanted(GgmlType.F16, s, t));
            default -> List.of();
        };
    }

    /** A tensor of the shape, in one of several layouts. */
    private static Tensor shaped(Random random, GgmlContext context, Wanted wanted) {
        long[] ne = Arrays.copyOf(wanted.shape(), 4);
        for (int i = wanted.shape().length; i < 4; i++) {
            ne[i] = 1;
        }
        return switch (random.nextInt(4)) {
            case 0 ->
                    context.ops()
                            .permute(
                                    context.newTensor(wanted.type(), ne[0], ne[2], ne[1], ne[3]),
                                    0,
                                    2,
                                    1,
                                    3);
            case 1 -> {
                Tensor wide = context.newTensor(wanted.type(), 2 * ne[0], ne[1] + 1, ne[2], ne[3]);
                yield context.ops()
                        .view(
                                wide,
                                Extents.of(ne[0], ne[1], ne[2], ne[3]),
                                Strides.of(wide.nb(1), wide.nb(2), wide.nb(3)),
                                wide.nb(1) / 2);
            }
            default -> context.newTensor(wanted.type(), ne);
        };
    }

    private static Tensor any(Random random, GgmlContext context) {
        long[] sizes = {1, 2, 3, 4, 32, 64};
        GgmlType type = TYPES.get(random.nextInt(TYPES.size()));
        long[] shape = new long[1 + random.nextInt(4)];
        for (int i = 0; i < shape.length; i++) {
            shape[i] =
                    random.nextInt(3) == 0 ? sizes[random.nextInt(4)] : sizes[i == 0 ? 5 : i % 4];
        }
        Tensor tensor = context.newTensor(type, shape);
        return random.nextInt(3) > 0 ? tensor : strided(context.ops(), random, tensor);
    }

    private static Tensor strided(Ops ops, Random random, Tensor a) {
        return switch (random.nextInt(3)) {
            case 0 -> ops.transpose(a);
            case 1 -> ops.permute(a, 0, 2, 1, 3);
            default ->
                    ops.view(
                            a,
                            Extents.of(
                                    Math.max(1, a.ne(0) / 2),
                                    Math.max(1, a.ne(1) / 2),
                                    a.ne(2),
                                    a.ne(3)),
                            Strides.of(a.nb(1), a.nb(2), a.nb(3)),
                            0);
        };
    }

    private static final String[] OPERATORS = {
        "mulMat",
        "mulMatHadamard",
        "mulMatId",
        "getRows",
        "setRows",
        "copy",
        "cont",
        "cont2d",
        "concat",
        "add",
        "sub",
        "mul",
        "div",
        "scale",
        "rmsNorm",
        "sigmoid",
        "silu",
        "gelu",
        "softplus",
        "exp",
        "tanh",
        "neg",
        "swiglu",
        "geglu",
        "softMax",
        "softMaxExt",
        "sumRows",
        "clamp",
        "argsortTopK",
        "topK",
        "view",
        "reshape",
        "permute",
        "transpose",
        "ssmConv",
        "gatedDeltaNet",
        "ssmScan",
        "swigluLimited",
        "addId",
        "relu",
        "sqr",
        "fill",
        "ropeExt",
        "ropeMulti",
        "flashAttention",
        "argmax",
        "pad",
        "repeat",
        "accumulateF32",
    };

    private static Tensor apply(String name, Ops ops, Random random, List<Tensor> pool) {
        Tensor a = pick(random, pool, 0);
        Tensor b = pick(random, pool, 1);
        Tensor c = pick(random, pool, 2);
        Tensor d = pick(random, pool, 3);
        Tensor e = pick(random, pool, 4);
        Tensor f = pick(random, pool, 5);
        long n = b.ne(0);
        return switch (name) {
            case "mulMat" -> ops.mulMat(a, b);
            case "mulMatHadamard" -> ops.mulMatHadamard(a, b);
            case "mulMatId" -> ops.mulMatId(a, b, c);
            case "getRows" -> ops.getRows(a, b);
            case "setRows" -> ops.setRows(a, b, c);
            case "copy" -> ops.copy(a, b);
            case "cont" -> ops.cont(a);
            case "cont2d" -> ops.cont2d(a, n, a.elements() / n);
            case "concat" -> ops.concat(a, b, random.nextInt(5));
            case "add" -> ops.add(a, b);
            case "sub" -> ops.sub(a, b);
            case "mul" -> ops.mul(a, b);
            case "div" -> ops.div(a, b);
            case "scale" -> ops.scale(a, 2);
            case "rmsNorm" -> ops.rmsNorm(a, 1e-6f);
            case "sigmoid" -> ops.sigmoid(a);
            case "silu" -> ops.silu(a);
            case "gelu" -> ops.gelu(a);
            case "softplus" -> ops.softplus(a);
            case "exp" -> ops.exp(a);
            case "tanh" -> ops.tanh(a);
            case "neg" -> ops.neg(a);
            case "swiglu" -> ops.swigluSplit(a, b);
            case "geglu" -> ops.gegluSplit(a, b);
            case "softMax" -> ops.softMax(a);
            case "softMaxExt" ->
                    ops.softMaxExt(a, random.nextBoolean() ? Optional.of(b) : Optional.empty(), 1);
            case "sumRows" -> ops.sumRows(a);
            case "clamp" -> ops.clamp(a, -1, 1);
            case "argsortTopK" -> ops.argsortTopK(a, (int) n);
            case "topK" -> ops.topK(a, (int) n);
            case "view" ->
                    ops.view(
                            a,
                            Extents.of(n, 1 + random.nextInt(3), 1 + random.nextInt(3)),
                            Strides.of(4L * random.nextInt(40), 4L * random.nextInt(99)),
                            random.nextInt(99));
            case "reshape" -> ops.reshape3d(a, n, b.ne(1), a.elements() / n / b.ne(1));
            case "permute" -> ops.permute(a, random.nextInt(5), 1, 3, random.nextInt(5));
            case "transpose" -> ops.transpose(a);
            case "ssmConv" -> ops.ssmConv(a, b);
            case "gatedDeltaNet" ->
                    ops.gatedDeltaNet(new DeltaInputs(a, b, c, d, e), f, random.nextInt(2));
            case "ssmScan" -> ops.ssmScan(new ScanInputs(a, b, c, d, e), f, pick(random, pool, 6));
            case "swigluLimited" -> ops.swigluLimited(a, b, 1.702f, 7);
            case "addId" -> ops.addId(a, b, c);
            case "relu" -> ops.relu(a);
            case "sqr" -> ops.sqr(a);
            case "fill" -> ops.fill(a, Float.NEGATIVE_INFINITY);
            case "ropeExt" ->
                    ops.ropeExt(
                            a,
                            b,
                            random.nextBoolean() ? Optional.of(c) : Optional.empty(),
                            rope(random, n));
            case "ropeMulti" ->
                    ops.ropeMulti(
                            a,
                            b,
                            new int[] {random.nextInt(3), random.nextInt(3), 1, 0},
                            rope(random, n));
            case "flashAttention" ->
                    ops.flashAttention(
                            a,
                            b,
                            c,
                            random.nextBoolean() ? Optional.of(d) : Optional.empty(),
                            new AttentionOptions(1, random.nextInt(2), 0));
            case "argmax" -> ops.argmax(a);
            case "pad" -> ops.pad(a, random.nextInt(3) - 1, 1, 0, 2);
            case "repeat" -> ops.repeat4d(a, n, b.ne(1), b.ne(2), b.ne(3));
            case "accumulateF32" -> ops.accumulateF32(random.nextBoolean() ? a : ops.mulMat(a, b));
            default -> throw new AssertionError(name);
        };
    }

    private static Tensor pick(Random random, List<Tensor> pool, int place) {
        return pool.get(random.nextInt(4) > 0 ? place : random.nextInt(pool.size()));
    }

    private static RopeOptions rope(Random random, long dims) {
        RopeOptions.Mode[] modes = RopeOptions.Mode.values();
        return new RopeOptions(
                random.nextBoolean() ? 32 : (int) dims,
                modes[random.nextInt(modes.length)],
                10000,
                1,
                new RopeOptions.Yarn(4096, random.nextInt(2), 1, 32, 1));
    }
}

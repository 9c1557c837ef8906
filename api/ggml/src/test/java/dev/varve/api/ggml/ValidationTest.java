package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.Optional;

/** The API throws an exception where ggml would end the process. */
class ValidationTest {
    private GgmlDevice device;
    private GgmlContext context;
    private Ops ops;

    @BeforeEach
    void open() {
        device = Cpu.device();
        context = GgmlContext.open(64, 64);
        ops = context.ops();
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void productsNeedMatchingInnerExtents() {
        refused("mul_mat: operands do not fit", () -> ops.mulMat(f32(8, 4), f32(7, 2)));
        refused("mul_mat: operands do not fit", () -> ops.mulMat(f32(8, 4, 3), f32(8, 2, 4)));
        refused("mul_mat: expected F32", () -> ops.mulMat(f32(8, 4), tensor(GgmlType.F16, 8, 2)));
        Tensor experts = f32(8, 4, 3);
        refused(
                "mul_mat_id",
                () -> ops.mulMatId(experts, f32(7, 1, 2), tensor(GgmlType.I32, 2, 2)));
        refused("mul_mat_id: expected I32", () -> ops.mulMatId(experts, f32(8, 1, 2), f32(2, 2)));
    }

    @Test
    void productsNeedContiguousRows() {
        refused("(strided)", () -> ops.mulMat(ops.transpose(f32(4, 8)), f32(8, 2)));
        refused("(strided)", () -> ops.mulMat(f32(8, 4), ops.transpose(f32(2, 8))));
    }

    @Test
    void viewsStayInsideTheirSource() {
        Tensor a = f32(8, 4);
        ops.view1d(a, 32, 0);
        ops.view2d(a, 4, 4, 32, 16);
        refused("spans 132 of 128 bytes", () -> ops.view1d(a, 33, 0));
        refused("at byte 4", () -> ops.view1d(a, 32, 4));
        refused("at byte -4", () -> ops.view1d(a, 1, -4));
        refused("view", () -> ops.view1d(a, 0, 0));
        refused("-4 elements", () -> ops.view1d(a, -4, 0));
        refused("view", () -> ops.view2d(a, 8, 5, 32, 0));
        refused("view", () -> ops.view2d(a, 8, 2, -32, 32));
        refused("view", () -> ops.view(a, Extents.of(8, 2, 2), Strides.of(32, 128), 0));
        refused("view", () -> ops.view(a, Extents.of(1, 1, 1, 2), Strides.of(4, 4, 128), 0));
    }

    @Test
    void viewsWhoseSizeOverflowsAreRefused() {
        Tensor a = f32(8, 4);
        refused("view", () -> ops.view1d(a, 1, Long.MAX_VALUE));
        refused("view", () -> ops.view2d(a, 1, 1L << 62, 8, 0));
        refused(
                "view",
                () ->
                        ops.view(
                                a,
                                Extents.of(1, 2, 2),
                                Strides.of(Long.MAX_VALUE, Long.MAX_VALUE),
                                0));
    }

    @Test
    void viewsOfOverlappingRowsNeedAsMuchRoomAsContiguousViews() {
        Tensor a = f32(8);
        refused("spans 64 of 32 bytes", () -> ops.view2d(a, 4, 4, 4, 0));
        ops.view2d(a, 2, 4, 4, 0);
        refused("spans 64", () -> ops.view2d(ops.view1d(f32(32), 8, 64 + 32), 4, 4, 4, 0));
    }

    @Test
    void onlyContiguousTensorsAreReshaped() {
        Tensor a = f32(8, 4);
        refused("reshape", () -> ops.reshape2d(ops.transpose(a), 8, 4));
        refused("reshape", () -> ops.reshape2d(ops.view2d(a, 4, 4, 32, 0), 8, 2));
        refused("reshape", () -> ops.reshape2d(a, 8, 5));
        refused("reshape", () -> ops.reshape2d(a, -8, -4));
        refused("reshape", () -> ops.reshape2d(tensor(GgmlType.Q8_0, 64, 2), 16, 8));
        refused("cont_2d", () -> ops.cont2d(a, 8, 5));
    }

    @Test
    void permutationsNameEachAxisOnce() {
        Tensor a = f32(8, 4);
        refused("permute", () -> ops.permute(a, 0, 0, 1, 2));
        refused("permute", () -> ops.permute(a, 32, 1, 2, 3));
        refused("permute", () -> ops.permute(a, -32, 1, 2, 3));
        assertEquals(8, ops.permute(a, 1, 0, 2, 3).ne(1));
    }

    @Test
    void rowIndicesHaveTheRightType() {
        refused(
                "get_rows: expected I32, found",
                () -> ops.getRows(f32(8, 4), tensor(GgmlType.I64, 2)));
        refused("get_rows", () -> ops.getRows(f32(8, 4), tensor(GgmlType.I32, 2, 2)));
        refused("set_rows: expected I64, found", () -> ops.setRows(f32(8, 4), f32(8, 2), f32(2)));
        refused("set_rows", () -> ops.setRows(f32(8, 4), f32(8, 2), tensor(GgmlType.I64, 3)));
        refused("set_rows", () -> ops.setRows(f32(8, 4), f32(8, 2), tensor(GgmlType.I64, 2, 2)));
    }

    @Test
    void elementwiseOperatorsNeedFittingShapesAndTypes() {
        refused("add: operands do not fit", () -> ops.add(f32(8, 4), f32(8, 3)));
        refused("mul: expected F32", () -> ops.mul(f32(8), tensor(GgmlType.F16, 8)));
        refused("silu", () -> ops.silu(ops.transpose(f32(8, 4))));
        refused("swiglu", () -> ops.swigluSplit(f32(8), f32(4)));
        refused("scale", () -> ops.scale(ops.transpose(f32(8, 4)), 2));
        refused("sum_rows", () -> ops.sumRows(ops.transpose(f32(8, 4))));
        refused("clamp", () -> ops.clamp(ops.transpose(f32(8, 4)), 0, 1));
        refused("rms_norm", () -> ops.rmsNorm(f32(8), -1));
        refused("concat", () -> ops.concat(f32(8), f32(8), 4));
        refused("concat", () -> ops.concat(f32(8, 2), f32(7, 2), 1));
        refused("argsort_top_k", () -> ops.argsortTopK(f32(8), 9));
        refused("top_k", () -> ops.topK(f32(8), 9));
        refused("top_k", () -> ops.topK(ops.transpose(f32(8, 4)), 2));
        refused("cpy", () -> ops.copy(f32(8), f32(7)));
    }

    @Test
    void masksFitTheScores() {
        refused("soft_max_ext", () -> ops.softMaxExt(f32(8, 4), Optional.of(f32(8, 3)), 1));
        refused("soft_max_ext", () -> ops.softMaxExt(f32(8, 4, 3), Optional.of(f32(8, 4, 2)), 1));
        refused(
                "flash_attn_ext",
                () ->
                        ops.flashAttention(
                                f32(8, 2, 4),
                                f32(8, 5, 3),
                                f32(8, 5, 3),
                                Optional.empty(),
                                AttentionOptions.scaled(1)));
        refused(
                "flash_attn_ext",
                () ->
                        ops.flashAttention(
                                f32(8, 2, 4),
                                f32(8, 5, 2),
                                f32(8, 5, 2),
                                Optional.of(f32(5, 2)),
                                AttentionOptions.scaled(1)));
    }

    @Test
    void rotationsFitThePositionsAndTheMode() {
        var neox = RopeOptions.plain(8, RopeOptions.Mode.NEOX, 1e4f, 0);
        var multi = RopeOptions.plain(8, RopeOptions.Mode.INTERLEAVED_MULTI_AXIS, 1e4f, 0);
        var wide = RopeOptions.plain(16, RopeOptions.Mode.NEOX, 1e4f, 0);
        int[] sections = {2, 1, 1, 0};
        Tensor a = f32(8, 1, 2);
        Tensor two = tensor(GgmlType.I32, 2);
        Tensor eight = tensor(GgmlType.I32, 8);
        refused("rope_ext", () -> ops.ropeExt(a, eight, Optional.empty(), neox));
        refused("rope_ext", () -> ops.ropeExt(a, two, Optional.empty(), wide));
        refused("rope_ext", () -> ops.ropeExt(a, two, Optional.empty(), multi));
        refused("rope_ext", () -> ops.ropeExt(a, two, Optional.of(f32(3)), neox));
        refused("rope_multi", () -> ops.ropeMulti(a, two, sections, multi));
        refused("rope_multi", () -> ops.ropeMulti(a, eight, sections, neox));
        refused("rope_multi", () -> ops.ropeMulti(a, eight, new int[4], multi));
        refused("rope_multi", () -> ops.ropeMulti(a, eight, new int[3], multi));
        var vision = RopeOptions.plain(8, RopeOptions.Mode.VISION, 1e4f, 0);
        refused("rope_multi", () -> ops.ropeMulti(a, eight, sections, vision));
    }

    @Test
    void recurrentOperatorsNeedFittingShapes() {
        refused("ssm_conv", () -> ops.ssmConv(f32(5, 8, 1), f32(4, 7)));
        refused("ssm_conv", () -> ops.ssmConv(f32(3, 8, 1), f32(4, 8)));
        Tensor q = f32(16, 2, 3);
        Tensor v = f32(16, 4, 3);
        Tensor g = f32(1, 4, 3);
        Tensor state = f32(16, 16, 4);
        refused(
                "gated_delta_net",
                () -> ops.gatedDeltaNet(new DeltaInputs(q, q, v, g, g), f32(16, 16, 3), 1));
        refused(
                "gated_delta_net",
                () -> ops.gatedDeltaNet(new DeltaInputs(q, q, v, g, f32(1, 3, 3)), state, 1));
        refused(
                "gated_delta_net",
                () -> ops.gatedDeltaNet(new DeltaInputs(q, q, v, g, g), state, 0));
        refused(
                "gated_delta_net",
                () ->
                        ops.gatedDeltaNet(
                                new DeltaInputs(f32(16, 3, 3), f32(16, 3, 3), v, g, g), state, 1));
    }

    @Test
    void shapesAreChecked() {
        refused("1 to 4 dimensions, got 0", () -> context.newTensor(GgmlType.F32));
        refused("1 to 4 dimensions, got 5", () -> f32(1, 1, 1, 1, 1));
        refused("extent 1 must be positive, got 0", () -> f32(1, 0));
        refused("33 elements are not whole blocks of 32 (q8_0)", () -> tensor(GgmlType.Q8_0, 33));
        refused("is too large", () -> f32(1L << 40, 1L << 40));
    }

    @Test
    void fullContextIsReported() {
        try (GgmlContext small = GgmlContext.open(2, 0)) {
            Tensor a = small.newTensor(GgmlType.F32, 8);
            small.ops().neg(a);
            ended("the context is full: 2 tensors", () -> small.ops().neg(a));
            ended("the context is full: 2 tensors", () -> small.newTensor(GgmlType.F32, 8));
        }
    }

    @Test
    void graphFitsItsContext() {
        ended("holds only one graph of 64 nodes", () -> context.newGraph(65));
        ended("holds only one graph of 64 nodes", () -> context.newGraph(0));
        context.newGraph(64);
        ended("holds only one graph", () -> context.newGraph(64));
        assertThrows(IllegalArgumentException.class, () -> GgmlContext.open(0, 0));
    }

    @Test
    void graphThatCouldOverflowTheContextIsRefusedUnchanged() {
        Tensor a = f32(8);
        Graph graph = context.newGraph(4);
        Tensor sum = a;
        for (int i = 0; i < 8; i++) {
            sum = ops.neg(sum);
        }
        Tensor last = sum;
        ended(
                "a graph of 4 nodes cannot hold the 8 operators and 1 other tensors",
                () -> graph.expand(last));
    }

    @Test
    void closedObjectsCannotBeUsed() {
        GgmlContext closed = GgmlContext.open(4, 4);
        closed.close();
        closed.close();
        ended("the context is closed", () -> closed.newTensor(GgmlType.F32, 8));
        ended("the context is closed", () -> closed.newGraph(4));
        ended("the context is closed", () -> closed.allocate(device.bufferType()));

        DeviceBuffer buffer = device.bufferType().allocate(64);
        buffer.close();
        buffer.close();
        ended("the buffer is closed", buffer::clear);
        ended("the buffer is closed", () -> buffer.place(f32(8), 0));
        ended("the buffer is closed", buffer::markWeights);

        Graph graph = context.newGraph(64);
        GraphAllocator allocator = new GraphAllocator(device.bufferType());
        allocator.close();
        allocator.close();
        ended("the graph allocator is closed", () -> allocator.allocate(graph));
        ended("the graph allocator is closed", () -> allocator.reserve(graph));
        ended("the graph allocator is closed", allocator::bufferBytes);

        Backend backend = device.open();
        backend.close();
        backend.close();
        ended("the backend is closed", () -> backend.compute(graph));
        ended("the backend is closed", () -> backend.setThreads(1));

        ThreadPool pool = ThreadPool.open(device, 1, 0);
        pool.close();
        pool.close();
        try (Backend open = device.open()) {
            ended("the thread pool is closed", () -> open.setThreadPool(Optional.of(pool)));
        }
    }

    @Test
    void tensorsArePlacedInsideTheBufferAndAligned() {
        try (DeviceBuffer buffer = device.bufferType().allocate(128)) {
            Tensor a = f32(16).named("a");
            refused("exceeds the buffer of 128", () -> buffer.place(a, 96));
            refused("exceeds the buffer of 128", () -> buffer.place(a, -32));
            refused("exceeds the buffer of 128", () -> buffer.place(a, Long.MAX_VALUE - 31));
            refused("exceeds the buffer of 128", () -> buffer.place(f32(33), 0));
            refused("a F32 [16, 1, 1, 1] at byte 4 is not aligned to 32", () -> buffer.place(a, 4));
            buffer.place(a, 64);
            ended("is already placed", () -> buffer.place(a, 0));
        }
    }

    @Test
    void mismatchedGgmlVersionIsNamed() {
        VarveException error =
                assertThrows(VarveException.class, () -> GgmlLibrary.requireVersion("0.9.4"));
        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals(
                "ggml 0.9.4 was found, but this build of Varve needs ggml "
                        + GgmlLibrary.EXPECTED_VERSION,
                error.getMessage());
        GgmlLibrary.requireVersion(GgmlLibrary.version());
    }

    @Test
    void secondLibraryFolderIsRefused() {
        VarveException error =
                assertThrows(VarveException.class, () -> GgmlLibrary.load(Path.of("elsewhere")));
        assertTrue(error.getMessage().contains("loaded from"), error.getMessage());
        assertTrue(GgmlLibrary.isLoaded());
    }

    @Test
    void missingBackendIsReported() {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> GgmlLibrary.loadBackend(Path.of("libggml-absent.so")));
        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertTrue(error.getMessage().contains("libggml-absent.so"), error.getMessage());
    }

    @Test
    void floatsAreQuantizedOnlyToSupportedTypes() {
        float[] row = new float[256];
        for (GgmlType type : GgmlType.values()) {
            switch (type) {
                case IQ2_XXS, IQ2_XS, IQ1_S ->
                        refused(
                                "needs an importance matrix",
                                () -> Quantizer.quantize(type, row, 256));
                case Q8_1, Q8_K, I8, I16, I32, I64, F64 ->
                        refused("cannot be converted to", () -> Quantizer.quantize(type, row, 256));
                case IQ1_M, IQ2_S, IQ3_XXS, IQ3_S -> {
                    // They prepare search tables for seconds; the nightly test converts them.
                }
                default ->
                        assertEquals(
                                type.rowBytes(256),
                                Quantizer.quantize(type, row, 256).length,
                                type.ggufName());
            }
        }
        refused(
                "256 values are not whole rows of 100",
                () -> Quantizer.quantize(GgmlType.F16, row, 100));
        refused("not whole blocks", () -> Quantizer.quantize(GgmlType.Q8_0, row, 16));
        assertArrayEquals(new byte[0], Quantizer.quantize(GgmlType.Q8_0, new float[0], 32));
    }

    @ParameterizedTest
    @EnumSource(names = {"IQ1_M", "IQ2_S", "IQ3_XXS", "IQ3_S"})
    @Tag("nightly")
    void slowTypesAreQuantizedToo(GgmlType type) {
        assertEquals(type.rowBytes(256), Quantizer.quantize(type, new float[256], 256).length);
    }

    private Tensor f32(long... shape) {
        return tensor(GgmlType.F32, shape);
    }

    private Tensor tensor(GgmlType type, long... shape) {
        return context.newTensor(type, shape);
    }

    private static void refused(String part, Executable action) {
        String message = assertThrows(IllegalArgumentException.class, action).getMessage();
        assertTrue(message.contains(part), () -> part + " in: " + message);
    }

    private static void ended(String part, Executable action) {
        String message = assertThrows(IllegalStateException.class, action).getMessage();
        assertTrue(message.contains(part), () -> part + " in: " + message);
    }
}

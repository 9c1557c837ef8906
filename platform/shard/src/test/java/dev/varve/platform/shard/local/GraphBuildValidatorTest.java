package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ShardGraph;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.local.TensorShape.Contiguity;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Each rule alone, on a model with a layer of every kind. */
class GraphBuildValidatorTest {
    private static final int WIDTH = 16;
    private static final int VOCABULARY = 50;
    private static final int TOKENS = 6;

    private static final List<LayerState> LAYERS =
            List.of(
                    new LayerState.FullAttention(2, 8, 4),
                    new LayerState.Recurrent(4, 24, 8, 4),
                    new LayerState.SharedAttention(0),
                    new LayerState.Custom(List.of(new LayerState.Custom.Part("s", List.of(3L)))),
                    LayerState.Custom.nothing());

    private static GraphBuildValidator rules(
            LayerRange range, int outputs, List<Integer> captures) {
        return rules(LAYERS, range, outputs, captures);
    }

    private static GraphBuildValidator rules(
            List<LayerState> layers, LayerRange range, int outputs, List<Integer> captures) {
        GraphKey key =
                new GraphKey(
                        Phase.PREFILL,
                        List.of(
                                new GraphKey.ChunkShape(
                                        new GraphKey.Columns(
                                                TOKENS, outputs, ChunkComputeMode.CHUNK),
                                        new GraphKey.Attended(0, 256, false),
                                        new GraphKey.Attended(0, 0, false),
                                        new GraphKey.StateUse(
                                                0, 1, ChunkPlacement.NO_ROLLBACK_BUFFER))),
                        captures);
        return new GraphBuildValidator(
                new GraphErrorContext("acme.tiny", "acme", range),
                Shapes.of(WIDTH, VOCABULARY, layers),
                key);
    }

    private static GraphBuildValidator whole() {
        return rules(new LayerRange(0, 5), 1, List.of());
    }

    private static TensorShape floats(long... extents) {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(i < extents.length ? extents[i] : 1);
        }
        return new TensorShape(GgmlType.F32, all, Contiguity.CONTIGUOUS);
    }

    private static TensorShape strided(TensorShape shape) {
        return new TensorShape(shape.type(), shape.extents(), Contiguity.ROWS);
    }

    private static TensorShape scattered(TensorShape shape) {
        return new TensorShape(shape.type(), shape.extents(), Contiguity.SCATTERED);
    }

    private static void attention(GraphBuildValidator rules) {
        rules.attention(0, floats(8, 4, TOKENS), floats(8, 2, TOKENS), floats(4, 2, TOKENS));
    }

    private static void convolution(GraphBuildValidator rules) {
        rules.convolution(1, floats(24, TOKENS), floats(4, 24));
    }

    private static void delta(GraphBuildValidator rules) {
        rules.delta(1, floats(8, 2, TOKENS), floats(8, 2, TOKENS), floats(8, 4, TOKENS));
        rules.deltaScalars(1, floats(4, TOKENS), floats(4, TOKENS));
    }

    private static void shared(GraphBuildValidator rules) {
        rules.sharedAttention(2, floats(8, 6, 4), 4);
    }

    private static void custom(GraphBuildValidator rules) {
        rules.advanceState(3, List.of(floats(7, TOKENS), floats(2, 3, TOKENS)));
    }

    private static void end(GraphBuildValidator rules) {
        rules.outputColumns(1);
        rules.logits(floats(VOCABULARY, 1));
    }

    private static final List<Consumer<GraphBuildValidator>> STEPS =
            List.of(
                    GraphBuildValidatorTest::attention,
                    GraphBuildValidatorTest::convolution,
                    GraphBuildValidatorTest::delta,
                    GraphBuildValidatorTest::shared,
                    GraphBuildValidatorTest::custom,
                    GraphBuildValidatorTest::end);

    private static String fault(Runnable recording) {
        GraphBuildException fault = assertThrows(GraphBuildException.class, recording::run);
        assertTrue(
                fault.getMessage().startsWith("plugin acme.tiny: acme, layers ["),
                fault.getMessage());
        return fault.getMessage().substring(fault.getMessage().indexOf("): ") + 3);
    }

    @Test
    void graphWithEveryOperatorOnceIsComplete() {
        GraphBuildValidator rules = whole();
        STEPS.forEach(step -> step.accept(rules));

        assertDoesNotThrow(rules::complete);
    }

    @Test
    void graphWithoutOneOfItsOperatorsIsIncomplete() {
        List<String> expected =
                List.of(
                        "layer 2, sharedAttention: expected after attention of layer 0, whose"
                                + " rows it reads",
                        "layer 1, causalConvolution: was not called",
                        "layer 1, gatedDelta: was not called",
                        "layer 2, sharedAttention: was not called",
                        "layer 3, advanceState: was not called",
                        "logits was not called");
        for (int left = 0; left < STEPS.size(); left++) {
            int out = left;
            assertEquals(
                    expected.get(left),
                    fault(
                            () -> {
                                GraphBuildValidator rules = whole();
                                for (int i = 0; i < STEPS.size(); i++) {
                                    if (i != out) {
                                        STEPS.get(i).accept(rules);
                                    }
                                }
                                rules.complete();
                            }));
        }
    }

    @Test
    void repeatedOperatorIsRefused() {
        for (Consumer<GraphBuildValidator> step : STEPS) {
            GraphBuildValidator rules = whole();
            STEPS.forEach(each -> each.accept(rules));

            assertTrue(
                    fault(() -> step.accept(rules))
                            .endsWith(": called a second time, expected one call"));
        }
    }

    @Test
    void operatorInALayerOfAnotherKindIsRefused() {
        assertTrue(
                fault(
                                () ->
                                        whole().attention(
                                                        1,
                                                        floats(8, 4, TOKENS),
                                                        floats(8, 2, TOKENS),
                                                        floats(4, 2, TOKENS)))
                        .startsWith(
                                "layer 1, attention: expected [causalConvolution, gatedDelta],"
                                        + " since it keeps Recurrent["));
        assertTrue(
                fault(() -> whole().sharedAttention(0, floats(8, 4, TOKENS), TOKENS))
                        .startsWith("layer 0, sharedAttention: expected [attention]"));
        assertTrue(
                fault(() -> whole().advanceState(4, List.of()))
                        .startsWith("layer 4, advanceState: expected [], since it keeps Custom"));
    }

    @Test
    void layerWithValuesInItsKeysAttendsWithoutValues() {
        List<LayerState> layers =
                List.of(
                        new LayerState.FullAttention(1, 8, 4, LayerState.ValueRows.IN_KEYS),
                        new LayerState.SharedAttention(0));
        Supplier<GraphBuildValidator> latent =
                () -> rules(layers, new LayerRange(0, 2), 1, List.of());
        GraphBuildValidator rules = latent.get();

        rules.beforeRotation(0, floats(8, 4, TOKENS), floats(8, 1, TOKENS));
        rules.latentAttention(0, floats(8, 4, TOKENS), floats(8, 1, TOKENS));
        rules.sharedAttention(1, floats(8, 4, TOKENS), TOKENS);

        assertEquals(
                "layer 0, latentAttention: key: expected F32 [8, 1, 6], found F32 [4, 1, 6]",
                fault(
                        () ->
                                latent.get()
                                        .latentAttention(
                                                0, floats(8, 4, TOKENS), floats(4, 1, TOKENS))));
        assertTrue(
                fault(() -> attention(latent.get()))
                        .startsWith("layer 0, attention: expected [latentAttention], since it"));
        assertTrue(
                fault(() -> whole().latentAttention(0, floats(8, 4, TOKENS), floats(8, 2, TOKENS)))
                        .startsWith("layer 0, latentAttention: expected [attention], since it"));
    }

    @Test
    void operatorOutsideOfTheRangeIsRefused() {
        for (int layer : new int[] {-1, 1, 99}) {
            GraphBuildValidator rules = rules(new LayerRange(0, 1), 1, List.of());

            assertEquals(
                    "layer " + layer + ", causalConvolution: the layer is outside the range",
                    fault(() -> rules.convolution(layer, floats(24, TOKENS), floats(4, 24))));
        }
    }

    @Test
    void operandsOfOtherShapesAreNamedWithTheExpectedOne() {
        assertEquals(
                "layer 0, attention: query: expected F32 [8, heads, 6], rows contiguous, heads a"
                        + " multiple of 2, found F32 [8, 3, 6]",
                fault(
                        () ->
                                whole().attention(
                                                0,
                                                floats(8, 3, TOKENS),
                                                floats(8, 2, TOKENS),
                                                floats(4, 2, TOKENS))));
        assertEquals(
                "layer 0, attention: value: expected F32 [4, 2, 6], found F32 [8, 2, 6]",
                fault(
                        () ->
                                whole().attention(
                                                0,
                                                floats(8, 2, TOKENS),
                                                floats(8, 2, TOKENS),
                                                floats(8, 2, TOKENS))));
        assertEquals(
                "layer 1, causalConvolution: input: expected F32 [24, 6], contiguous, found F32"
                        + " [24, 6], not contiguous",
                fault(() -> whole().convolution(1, strided(floats(24, TOKENS)), floats(4, 24))));
        assertEquals(
                "layer 1, causalConvolution: kernel: expected F32 [4, 24], found F32 [24, 4]",
                fault(() -> whole().convolution(1, floats(24, TOKENS), floats(24, 4))));
        assertEquals(
                "layer 1, gatedDelta: key: expected F32 [8, keyHeads, 6], keyHeads a divisor of 4,"
                        + " found F32 [8, 3, 6]",
                fault(
                        () ->
                                whole().delta(
                                                1,
                                                floats(8, 3, TOKENS),
                                                floats(8, 3, TOKENS),
                                                floats(8, 4, TOKENS))));
        assertEquals(
                "layer 1, gatedDelta: beta: expected F32 [4, 6], found F32 [6, 4]",
                fault(() -> whole().deltaScalars(1, floats(4, TOKENS), floats(TOKENS, 4))));
        assertEquals(
                "layer 3, advanceState: input 1: expected F32 [.., 6] of 2 or 3 dimensions, rows"
                        + " contiguous, found F32 [6, 7]",
                fault(() -> whole().advanceState(3, List.of(floats(7, TOKENS), floats(6, 7)))));
    }

    @Test
    void operandViewsHaveContiguousRows() {
        TensorShape query = scattered(floats(8, 4, TOKENS));

        assertEquals(
                "layer 0, attention: query: expected F32 [8, heads, 6], rows contiguous, heads a"
                        + " multiple of 2, found F32 [8, 4, 6], rows not contiguous",
                fault(
                        () ->
                                whole().attention(
                                                0,
                                                query,
                                                floats(8, 2, TOKENS),
                                                floats(4, 2, TOKENS))));
        assertEquals(
                "layer 1, gatedDelta: value: expected F32 [8, 4, 6], rows contiguous, found F32"
                        + " [8, 4, 6], rows not contiguous",
                fault(() -> whole().delta(1, floats(8, 2, TOKENS), floats(8, 2, TOKENS), query)));
        assertEquals(
                "layer 3, advanceState: input 0: expected F32 [.., 6] of 2 or 3 dimensions, rows"
                        + " contiguous, found F32 [8, 4, 6], rows not contiguous",
                fault(() -> whole().advanceState(3, List.of(query))));
    }

    @Test
    void viewsWithContiguousRowsAreAccepted() {
        TensorShape query = strided(floats(8, 4, TOKENS));

        assertDoesNotThrow(
                () ->
                        whole().attention(
                                        0,
                                        query,
                                        scattered(floats(8, 2, TOKENS)),
                                        scattered(floats(4, 2, TOKENS))));
        assertDoesNotThrow(() -> whole().advanceState(3, List.of(query)));
    }

    @Test
    void integerOperandsAreRefused() {
        TensorShape halves =
                new TensorShape(GgmlType.F16, List.of(24L, 6L, 1L, 1L), Contiguity.CONTIGUOUS);

        assertTrue(
                fault(() -> whole().convolution(1, halves, floats(4, 24)))
                        .endsWith("found F16 [24, 6]"));
    }

    @Test
    void logitsOfAllColumnsAreRefusedWithTheMissingOperator() {
        assertEquals(
                "logits: expected F32 [50, 1], contiguous, found F32 [50, 6]; outputColumns, which"
                        + " keeps the wanted columns, was not called",
                fault(() -> whole().logits(floats(VOCABULARY, TOKENS))));
    }

    @Test
    void columnsSelectedByTheFamilyAreRefused() {
        GraphBuildValidator rules = whole();
        STEPS.subList(0, 5).forEach(step -> step.accept(rules));
        rules.logits(floats(VOCABULARY, 1));

        assertEquals("outputColumns was not called", fault(rules::complete));
    }

    @Test
    void withoutRequestedOutputsTheShapeOfLogitsIsFree() {
        GraphBuildValidator rules = rules(new LayerRange(4, 5), 0, List.of());
        rules.boundary();
        rules.logits(floats(VOCABULARY, TOKENS));

        assertDoesNotThrow(rules::complete);
    }

    @Test
    void rangeBelowTheLastLayerEndsWithABoundary() {
        LayerRange range = new LayerRange(0, 1);
        GraphBuildValidator rules = rules(range, 1, List.of());
        attention(rules);

        assertEquals("boundaryOutput was not called", fault(rules::complete));
        assertEquals(
                "logits: layers [0, 1) of 5 end with boundaryOutput",
                fault(() -> rules.logits(floats(VOCABULARY, 1))));
        assertEquals(
                "boundaryOutput: expected F32 [20, 6], contiguous, found F32 [16, 6]",
                fault(() -> rules(range, 1, List.of()).boundaryOutput(floats(WIDTH, TOKENS), 20)));
        rules.boundaryOutput(floats(20, TOKENS), 20);
        assertDoesNotThrow(rules::complete);
    }

    @Test
    void lastRangeEndsWithLogits() {
        assertEquals(
                "boundaryOutput: layers [0, 5) of 5 end with logits",
                fault(() -> whole().boundaryOutput(floats(WIDTH, TOKENS), WIDTH)));
    }

    @Test
    void inputBoundaryMustBeUsed() {
        GraphBuildValidator rules = rules(new LayerRange(4, 5), 1, List.of());
        end(rules);

        assertTrue(fault(rules::complete).startsWith("boundary was not called"));
        rules.boundary();
        assertDoesNotThrow(rules::complete);
        assertTrue(
                fault(() -> whole().boundary())
                        .startsWith("boundary: the range begins at layer 0"));
    }

    @Test
    void requiredCapturesMustBeComplete() {
        List<Integer> captures = List.of(0, 4, 5);
        GraphBuildValidator rules = rules(new LayerRange(4, 5), 1, captures);
        rules.boundary();
        String missing =
                "captures of the input of layers [5]: expected F32 [16, 6] from the model family,"
                        + " found none";

        // 4 is what the shard before computes, 0 what the first one does.
        assertEquals(missing, fault(() -> rules.logits(floats(VOCABULARY, TOKENS))));
        GraphBuildValidator narrow = rules(new LayerRange(4, 5), 1, captures);
        narrow.capture(5, floats(WIDTH, 1));
        assertEquals(missing, fault(() -> narrow.logits(floats(VOCABULARY, 1))));

        GraphBuildValidator full = rules(new LayerRange(4, 5), 1, captures);
        full.boundary();
        full.capture(5, floats(WIDTH, TOKENS));
        end(full);
        assertDoesNotThrow(full::complete);
    }

    @Test
    void familyExceptionIsReportedWithItsLocation() {
        GraphErrorContext site = new GraphErrorContext("acme.tiny", "acme", new LayerRange(0, 2));
        RuntimeException cause = new ArrayIndexOutOfBoundsException("Index 4");

        GraphBuildException index = site.thrown(cause, "layer 1, attention");
        GraphBuildException argument =
                site.thrown(new IllegalArgumentException("no such weight"), "");

        assertEquals(
                "plugin acme.tiny: acme, layers [0, 2): build failed after layer 1, attention:"
                        + " java.lang.ArrayIndexOutOfBoundsException: Index 4",
                index.getMessage());
        assertEquals(cause, index.getCause());
        assertEquals(
                "plugin acme.tiny: acme, layers [0, 2): build failed: no such weight",
                argument.getMessage());
    }

    @Test
    void shapeShowsItsExtentsUpToTheLastThatIsNotOne() {
        assertEquals("F32 [1]", floats(1).toString());
        assertEquals("F32 [5, 1, 3]", floats(5, 1, 3).toString());
        assertEquals("F32 [5, 1, 3], not contiguous", strided(floats(5, 1, 3)).toString());
    }

    @Test
    void rowsAreAMultipleOfTheirHeads() {
        GraphBuildValidator rules = rules(new LayerRange(0, 5), 1, List.of());

        assertDoesNotThrow(() -> rules.heads(floats(24, TOKENS), 3));
        for (int heads : List.of(0, 5, 7, 48)) {
            String fault = fault(() -> rules.heads(floats(24, TOKENS), heads));

            assertTrue(fault.contains("a multiple of " + heads + ", found"), fault);
            assertTrue(fault.contains("24"), fault);
        }
    }

    @Test
    void fusedProductHasExactlyTheRowsOfItsParts() {
        GraphBuildValidator rules = rules(new LayerRange(0, 5), 1, List.of());
        List<ShardGraph.Projection> parts =
                List.of(new ShardGraph.Projection("q", 16), new ShardGraph.Projection("k", 8));

        assertDoesNotThrow(() -> rules.projections("qk", floats(24, TOKENS), parts));
        for (int rows : List.of(23, 25, 32)) {
            String fault = fault(() -> rules.projections("qk", floats(rows, TOKENS), parts));

            assertTrue(fault.contains("qk: expected 24 rows, those of [q, k], found"), fault);
        }
    }
}

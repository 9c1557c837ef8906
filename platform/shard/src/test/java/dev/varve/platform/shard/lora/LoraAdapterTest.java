package dev.varve.platform.shard.lora;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.PlainModel;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/** Files of LoRA adapters, and how they fit a model. */
class LoraAdapterTest {
    private static final String QUERY = "blk.0.attn_q.weight";
    private static final long IN = 8;
    private static final long OUT = 4;

    @TempDir Path folder;

    private GgufFile model;
    private LayerSplitAdapter plain;

    @BeforeEach
    void writeModel() throws IOException {
        model = GgufFile.open(PlainModel.attentionOnly(2, 64).write(folder));
        plain = PlainModel.read(model);
    }

    private static GgufWriter header() {
        return new GgufWriter()
                .put("general.type", GgufValue.of("adapter"))
                .put("general.architecture", GgufValue.of(PlainModel.ARCHITECTURE))
                .put("adapter.type", GgufValue.of("lora"));
    }

    private static GgufWriter pair(GgufWriter writer, String weight, long in, long out, long rank) {
        return matrix(
                matrix(writer, weight + ".lora_a", List.of(in, rank)),
                weight + ".lora_b",
                List.of(rank, out));
    }

    private static GgufWriter matrix(GgufWriter writer, String name, List<Long> shape) {
        return writer.tensor(name, TensorType.F32, shape, TensorData.constant(1));
    }

    private LoraAdapter open(GgufWriter writer, float scale) throws IOException {
        Path file = folder.resolve("lora.gguf");
        writer.write(file);
        return LoraAdapter.of(GgufFile.open(file), scale);
    }

    private String refusal(UnaryOperator<GgufWriter> content) {
        return assertThrows(
                        VarveException.class,
                        () ->
                                AdaptedModel.of(
                                        model, plain, List.of(open(content.apply(header()), 1))))
                .getMessage();
    }

    @ParameterizedTest
    @CsvSource({"0, 0.5, 0.5", "8, 0.5, 2", "1, -1, -0.5"})
    void scaleIsThatOfTheOperatorTimesAlphaByRank(float alpha, float scale, float expected)
            throws IOException {
        GgufWriter writer = header().put("adapter.lora.alpha", GgufValue.of(alpha));
        LoraAdapter adapter = open(pair(writer, QUERY, IN, OUT, 2), scale);

        LoraTerms terms = LoraTerms.of(AdaptedModel.of(model, plain, List.of(adapter)));

        assertEquals(expected, terms.of(QUERY).getFirst().factor().of(LoraScales.AS_LOADED));
        assertEquals(1, terms.count());
    }

    @ParameterizedTest
    @CsvSource({"0, 0.25, 0.25", "8, 0.25, 1", "8, 0, 0"})
    void scaleOfATokenReplacesThatOfTheOperator(float alpha, float scale, float expected)
            throws IOException {
        GgufWriter writer = header().put("adapter.lora.alpha", GgufValue.of(alpha));
        LoraAdapter adapter = open(pair(writer, QUERY, IN, OUT, 2), 7);

        LoraTerms terms = LoraTerms.of(AdaptedModel.of(model, plain, List.of(adapter)));

        assertEquals(
                expected, terms.of(QUERY).getFirst().factor().of(new LoraScales(List.of(scale))));
    }

    @Test
    void rangesLoadTheMatricesOfTheirWeights() throws IOException {
        LoraAdapter adapter = open(pair(header(), "blk.1.attn_q.weight", IN, OUT, 2), 1);
        LayerSplitAdapter adapted = AdaptedModel.of(model, plain, List.of(adapter, adapter));

        assertEquals(List.of(), added(adapted, new LayerRange(0, 1)));
        assertEquals(
                List.of(
                        "blk.1.attn_q.weight.lora_a.0",
                        "blk.1.attn_q.weight.lora_b.0",
                        "blk.1.attn_q.weight.lora_a.1",
                        "blk.1.attn_q.weight.lora_b.1"),
                added(adapted, new LayerRange(1, 2)));
        assertEquals(
                "blk.1.attn_q.weight",
                LoraTerm.weightOf(added(adapted, new LayerRange(1, 2)).getFirst()).orElseThrow());
    }

    private static List<String> added(LayerSplitAdapter model, LayerRange range) {
        return model.tensors(range).entries().stream()
                .map(entry -> entry.tensor().name())
                .filter(name -> LoraTerm.weightOf(name).isPresent())
                .toList();
    }

    @Test
    void aModelWithoutAdaptersIsItself() {
        assertSame(plain, AdaptedModel.of(model, plain, List.of()));
        assertSame(LoraTerms.NONE, LoraTerms.of(plain));
    }

    @Test
    void normsAreIgnoredByName() throws IOException {
        LoraAdapter adapter =
                open(
                        matrix(
                                pair(header(), QUERY, IN, OUT, 2),
                                "blk.0.attn_norm.weight",
                                List.of(IN)),
                        1);

        assertEquals(List.of("blk.0.attn_norm.weight"), adapter.ignored());
    }

    @Test
    void filesThatAreNoAdapterOfThisKindAreRefused() {
        VarveException error = assertThrows(VarveException.class, () -> LoraAdapter.of(model, 1));
        assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, error.kind());
        assertContains("expected a LoRA adapter", error.getMessage());
        assertContains(
                "adapter of type lora, found dora",
                refusal(
                        writer ->
                                pair(
                                        writer.put("adapter.type", GgufValue.of("dora")),
                                        QUERY,
                                        IN,
                                        OUT,
                                        2)));
        assertContains(
                "activated LoRA",
                refusal(
                        writer ->
                                pair(
                                        writer.put(
                                                "adapter.alora.invocation_tokens", GgufValue.of(1)),
                                        QUERY,
                                        IN,
                                        OUT,
                                        2)));
    }

    @Test
    void missingAndForeignTensorsAreRefused() {
        assertContains("matrices of a LoRA adapter, found none", refusal(writer -> writer));
        assertContains(
                QUERY + ".lora_b",
                refusal(writer -> matrix(writer, QUERY + ".lora_a", List.of(IN, 2L))));
        assertContains(
                QUERY + ".lora_a",
                refusal(writer -> matrix(writer, QUERY + ".lora_b", List.of(2L, OUT))));
        assertContains(
                "ends in .lora_a or .lora_b",
                refusal(writer -> matrix(writer, "blk.0.attn_q.weight", List.of(IN, OUT))));
        assertContains(
                "has no blk.9.attn_q.weight",
                refusal(writer -> pair(writer, "blk.9.attn_q.weight", IN, OUT, 2)));
    }

    @Test
    void matricesOfOtherShapesAreRefused() {
        assertContains("lora_a", refusal(writer -> pair(writer, QUERY, IN + 1, OUT, 2)));
        assertContains("lora_b", refusal(writer -> pair(writer, QUERY, IN, OUT + 1, 2)));
        assertContains(
                "lora_a",
                refusal(
                        writer ->
                                matrix(
                                        matrix(writer, QUERY + ".lora_a", List.of(IN, 3L)),
                                        QUERY + ".lora_b",
                                        List.of(2L, OUT))));
    }

    @Test
    void anAdapterForAnotherArchitectureIsRefused() {
        assertContains(
                "this adapter is for architecture llama, and plain.gguf is of architecture plain",
                refusal(
                        writer ->
                                pair(
                                        writer.put("general.architecture", GgufValue.of("llama")),
                                        QUERY,
                                        IN,
                                        OUT,
                                        2)));
    }

    private static void assertContains(String expected, String text) {
        assertTrue(text.contains(expected), text);
    }
}

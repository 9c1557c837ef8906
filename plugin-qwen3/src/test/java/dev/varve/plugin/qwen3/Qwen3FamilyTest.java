package dev.varve.plugin.qwen3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.ToolSyntax;
import dev.varve.contracts.FamilyFileTest;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen3Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** The family reads model files of its architecture and refuses invalid ones. */
class Qwen3FamilyTest extends FamilyFileTest {
    @Override
    protected ModelFamilyProvider family() {
        return new Qwen3Family();
    }

    @Override
    protected GgufWriter tiny() {
        return Qwen3Model.tiny().writer();
    }

    @Override
    protected GgufWriter odd(long seed) {
        return Qwen3Model.odd(seed).withType(TensorType.F32).writer();
    }

    @Override
    protected boolean isOptional(String tensor) {
        return false;
    }

    @Override
    protected List<String> ownKeys() {
        return List.of();
    }

    @Override
    protected List<SenselessNumber> ownSenselessNumbers() {
        return List.of(
                new SenselessNumber("feed_forward_length", 0, "feed_forward_length"),
                new SenselessNumber("rope.dimension_count", 16, "64 (the head length), found 16"));
    }

    @Test
    void familySupportsItsArchitectures() {
        assertEquals(Set.of("qwen3"), new Qwen3Family().architectures());
        assertTrue(new Qwen3Family().preTokenizers().isEmpty());
    }

    @Test
    void everyLayerHasFullAttention() throws IOException {
        List<LayerState> layers = open(tiny()).shape().layers();

        assertEquals(Collections.nCopies(4, new LayerState.FullAttention(2, 64, 64)), layers);
    }

    @Test
    void defaultHeadLengthIsItsShareOfTheWidth() throws IOException {
        GgufWriter writer =
                Qwen3Model.tiny()
                        .withAttention(new Qwen3Model.Attention(4, 4, 32, false, false))
                        .writer()
                        .leaveOut("qwen3.attention.key_length")
                        .leaveOut("qwen3.attention.value_length")
                        .leaveOut("qwen3.attention.head_count_kv");

        List<LayerState> layers = open(writer).shape().layers();

        assertEquals(new LayerState.FullAttention(4, 32, 32), layers.getFirst());
    }

    @Test
    void separateHeadIsLoadedAndATiedOneInBothUses() throws IOException {
        LayerSplitAdapter tied = open(Qwen3Model.tiny().withTiedHead(true).writer());
        LayerSplitAdapter own = open(Qwen3Model.tiny().withTiedHead(false).writer());
        LayerRange last = new LayerRange(3, 4);

        assertEquals(
                2,
                tied.tensors(tied.shape().allLayers()).entries().stream()
                        .map(TensorSelection.Entry::tensor)
                        .filter(tensor -> tensor.name().equals("token_embd.weight"))
                        .count());
        assertTrue(names(tied, last).contains("MATMUL token_embd.weight"), "tied");
        assertTrue(names(own, last).contains("MATMUL output.weight"), "own");
        assertTrue(!names(own, last).contains("MATMUL token_embd.weight"), "own");
    }

    @Test
    void projectionOfAnotherShapeIsRefusedWithBothShapes() {
        GgufWriter writer = tiny().lengthen("blk.2.attn_k.weight");

        String message = refusal(writer);

        assertTrue(
                message.contains("blk.2.attn_k.weight: expected [128, 128], found F32 [128, 129]"),
                message);
    }

    @Test
    void unknownRopeScalingIsRefused() {
        GgufWriter writer = tiny().put("qwen3.rope.scaling.type", GgufValue.of("longrope"));

        String message = refusal(writer);

        assertTrue(message.contains("expected none, linear or yarn, found longrope"), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"qwen3.rope.scaling.factor", "qwen3.rope.scale_linear"})
    void scalingFactorWithoutATypeIsLinear(String key, @TempDir Path folder) throws IOException {
        GgufWriter typed = Qwen3Model.tiny().withScaling(new Qwen3Model.Scaling.Linear(4)).writer();

        RopeOptions rope = rope(tiny().put(key, GgufValue.of(4f)), folder);

        assertEquals(0.25f, rope.freqScale());
        assertEquals(rope(typed, folder), rope);
    }

    private static RopeOptions rope(GgufWriter writer, Path folder) throws IOException {
        Path file = folder.resolve("rope.gguf");
        writer.write(file);
        return Qwen3Sizes.read(GgufFile.open(file), ModelOptions.defaults()).rope();
    }

    /** Models that embed texts may see later tokens, too. */
    @Test
    void nonCausalModelIsRefused() throws IOException {
        open(tiny().put("qwen3.attention.causal", GgufValue.of(true)));
        GgufWriter writer = tiny().put("qwen3.attention.causal", GgufValue.of(false));

        String message = refusal(writer);

        assertTrue(message.contains("qwen3.attention.causal: expected true"), message);
    }

    @Test
    void shardsMayStartAnywhereAndPassTheHiddenState() throws IOException {
        LayerSplitAdapter model = open(tiny());
        List<LayerRange> ranges =
                List.of(new LayerRange(0, 1), new LayerRange(1, 3), new LayerRange(3, 4));

        assertEquals(ranges, model.align(ranges));
        assertEquals(128, model.boundaryLength(3));
    }

    @Test
    void reasoningAndCallsUseTheModelSyntax() throws IOException {
        LayerSplitAdapter model = open(tiny());

        assertEquals(ReasoningMarks.think(), model.chatDialect().reasoning().orElseThrow());
        assertEquals(
                new ToolSyntax.Json("<tool_call>", "</tool_call>"),
                model.chatDialect().tools().orElseThrow());
    }

    /** In the middle of the last tensor's data, of the first one's, and in front of all data. */
    @ParameterizedTest
    @ValueSource(doubles = {0.999, 0.5, 0.02, 0.004})
    void truncatedFileIsReported(double share, @TempDir Path folder) throws IOException {
        byte[] whole = Files.readAllBytes(Qwen3Model.tiny().write(folder));
        Path cut = folder.resolve("cut.gguf");
        Files.write(cut, Arrays.copyOf(whole, (int) (share * whole.length)));

        ModelFormatException refusal =
                assertThrows(ModelFormatException.class, () -> GgufFile.open(cut));

        assertTrue(
                refusal.getMessage().startsWith("cut.gguf: ")
                        && refusal.getMessage().contains("truncated or corrupt"),
                refusal.getMessage());
    }
}

package dev.varve.plugin.laguna;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.ToolSyntax;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.LagunaModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What the family makes of a file, and which files it refuses. */
class LagunaFamilyTest {
    @TempDir Path folder;

    @Test
    void theFamilyServesItsArchitectures() {
        assertEquals(Set.of("laguna"), new LagunaFamily().architectures());
        assertTrue(new LagunaFamily().preTokenizers().isEmpty());
    }

    @Test
    void theFirstOfEveryFourLayersIsFullAndTheOthersSlide() throws IOException {
        LayerState full = new LayerState.FullAttention(2, 32, 32);
        LayerState sliding = new LayerState.SlidingAttention(24, 2, 32, 32);

        List<LayerState> layers = open(LagunaModel.tiny().writer()).shape().layers();

        assertEquals(List.of(full, sliding, sliding, sliding, full), layers);
    }

    @Test
    void withoutAWindowNoLayerSlides() throws IOException {
        LayerSplitAdapter model =
                open(LagunaModel.tiny().withWindow(LagunaModel.Window.NONE).writer());

        assertTrue(model.shape().window().isEmpty());
    }

    @Test
    void leadingLayersAreDense() throws IOException {
        LayerSplitAdapter model = open(LagunaModel.tiny().withLeadingDense(2).writer());

        for (int layer = 0; layer < 5; layer++) {
            Set<String> names = names(model, new LayerRange(layer, layer + 1));
            boolean dense = names.contains("MATMUL blk." + layer + ".ffn_down.weight");
            assertEquals(layer < 2, dense, "layer " + layer + ": " + names);
            assertEquals(
                    !dense,
                    names.contains("EXPERT_MATMUL blk." + layer + ".ffn_down_exps.weight"),
                    "layer " + layer + ": " + names);
        }
    }

    @Test
    void queryHeadsMayDifferFromLayerToLayer() throws IOException {
        LayerSplitAdapter model = open(LagunaModel.tiny().writer());

        List<Long> rows = new ArrayList<>();
        for (TensorSelection.Entry entry : model.tensors(model.shape().allLayers()).entries()) {
            if (entry.tensor().name().endsWith("attn_q.weight")) {
                rows.add(entry.tensor().ne(1));
            }
        }

        assertEquals(List.of(128L, 192L, 192L, 192L, 128L), rows);
    }

    @Test
    void aSplitLoadsEveryTensorThatTheWholeModelLoads() throws IOException {
        for (long seed = 0; seed < 12; seed++) {
            LagunaModel spec = LagunaModel.odd(seed).withType(TensorType.F32);
            LayerSplitAdapter model = open(spec.writer());
            int layers = model.shape().layerCount();
            Set<String> whole = names(model, new LayerRange(0, layers));
            for (int cut = 1; cut < layers; cut++) {
                Set<String> first = names(model, new LayerRange(0, cut));
                Set<String> second = names(model, new LayerRange(cut, layers));
                Set<String> both = new TreeSet<>(first);
                both.addAll(second);
                assertEquals(whole, both, spec + ", cut at " + cut);
                first.retainAll(second);
                assertTrue(
                        first.stream().allMatch(name -> !name.contains("blk.")),
                        spec + ", cut at " + cut + ": twice " + first);
            }
        }
    }

    @Test
    void aShardLoadsTensorsOfItsOwnLayersOnly() throws IOException {
        LayerSplitAdapter model = open(LagunaModel.tiny().writer());
        for (int layer = 0; layer < model.shape().layerCount(); layer++) {
            String own = "blk." + layer + ".";
            Set<String> others =
                    names(model, new LayerRange(layer, layer + 1)).stream()
                            .filter(name -> name.contains("blk.") && !name.contains(own))
                            .collect(Collectors.toSet());
            assertEquals(Set.of(), others, "layer " + layer);
        }
    }

    /** Also of those layers that a shard of this process would not load. */
    @Test
    void aFileThatLacksATensorIsRefusedByItsName() throws IOException {
        for (String name : LagunaModel.tiny().writer().tensorNames()) {
            if (!name.contains("exp_probs_b")) {
                requireNamed(LagunaModel.tiny().writer().leaveOut(name), name);
            }
        }
    }

    @Test
    void aTensorOfAnotherShapeIsRefusedByItsName() throws IOException {
        for (String name : LagunaModel.tiny().writer().tensorNames()) {
            if (!false) {
                requireNamed(LagunaModel.tiny().writer().lengthen(name), name);
            }
        }
    }

    private void requireNamed(GgufWriter writer, String name) throws IOException {
        ModelFormatException refusal =
                assertThrows(ModelFormatException.class, () -> open(writer), name);
        assertTrue(
                refusal.getMessage().contains(name) && refusal.getMessage().contains(".gguf"),
                name + ": " + refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "block_count",
        "context_length",
        "embedding_length",
        "attention.head_count",
        "attention.layer_norm_rms_epsilon",
        "feed_forward_length",
        "expert_count",
        "expert_used_count",
        "expert_feed_forward_length"
    })
    void aFileThatLacksAKeyIsRefusedByIt(String key) throws IOException {
        GgufWriter writer = LagunaModel.tiny().writer().leaveOut("laguna." + key);

        VarveException refusal = assertThrows(VarveException.class, () -> open(writer));

        assertTrue(refusal.getMessage().contains("laguna." + key), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "block_count, 0, block_count",
        "block_count, 1e9, at most 4096",
        "embedding_length, 0, embedding_length",
        "context_length, 0, context_length",
        "attention.head_count_kv, 3, a multiple of the KV heads",
        "attention.layer_norm_rms_epsilon, 1.5, from 0 to below 1",
        "attention.value_length, 7, key length",
        "rope.dimension_count, 7, even",
        "rope.dimension_count_swa, 4096, at most the head length",
        "rope.freq_base, -1.5, positive",
        "rope.freq_base_swa, -1.5, positive",
        "leading_dense_block_count, 6, from 0 to 5",
        "expert_count, 0, expert_count",
        "expert_used_count, 11, at most 10",
        "expert_gating_func, 3, softmax",
        "rope.scaling.factor, -2.5, positive"
    })
    void aSenselessNumberIsRefusedWithWhatWasExpected(String key, double value, String expected)
            throws IOException {
        GgufValue number =
                value == Math.rint(value) && Math.abs(value) < 1e15
                        ? GgufValue.of((long) value)
                        : GgufValue.of((float) value);
        GgufWriter writer = LagunaModel.tiny().writer().put("laguna." + key, number);

        VarveException refusal =
                assertThrows(VarveException.class, () -> open(writer), key + " = " + value);

        assertTrue(
                refusal.getMessage().contains(": laguna.")
                        && refusal.getMessage().contains(expected),
                refusal.getMessage());
    }

    @Test
    void anUnknownScalingOfPositionsIsRefused() throws IOException {
        GgufWriter writer =
                LagunaModel.tiny()
                        .writer()
                        .put("laguna.rope.scaling.type", GgufValue.of("longrope"));

        VarveException refusal = assertThrows(VarveException.class, () -> open(writer));

        assertTrue(
                refusal.getMessage().contains("expected none, linear or yarn, found longrope"),
                refusal.getMessage());
    }

    @Test
    void shardsMayBeginAnywhereAndHandOverTheHiddenState() throws IOException {
        LayerSplitAdapter model = open(LagunaModel.tiny().writer());
        List<LayerRange> ranges =
                IntStream.range(0, 5).mapToObj(at -> new LayerRange(at, at + 1)).toList();

        assertEquals(ranges, model.align(ranges));
        assertEquals(128, model.boundaryLength(4));
    }

    @Test
    void thoughtsAndCallsAreMarkedAsTheModelWritesThem() throws IOException {
        LayerSplitAdapter model = open(LagunaModel.tiny().writer());

        ToolSyntax tools = model.chatDialect().tools().orElseThrow();
        ReasoningMarks marks = model.chatDialect().reasoning().orElseThrow();

        assertEquals("</think>\n", marks.forcedClose());
        assertEquals("<tool_call>", tools.open());
        assertEquals("", tools.beforeName());
        assertEquals("\n", tools.afterName());
    }

    private LayerSplitAdapter open(GgufWriter writer) throws IOException {
        Path file = folder.resolve("model.gguf");
        writer.write(file);
        return new LagunaFamily().open(GgufFile.open(file), ModelOptions.defaults());
    }

    private static Set<String> names(LayerSplitAdapter model, LayerRange range) {
        return model.tensors(range).entries().stream()
                .map(entry -> entry.use() + " " + entry.tensor().name())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}

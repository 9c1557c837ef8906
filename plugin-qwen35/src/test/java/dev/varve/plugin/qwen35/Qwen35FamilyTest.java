package dev.varve.plugin.qwen35;

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
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen35MoeModel;
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
class Qwen35FamilyTest {
    @TempDir Path folder;

    @Test
    void theFamilyServesItsArchitectures() {
        assertEquals(Set.of("qwen35", "qwen35moe"), new Qwen35Family().architectures());
        assertTrue(new Qwen35Family().preTokenizers().isEmpty());
    }

    @Test
    void everyFourthLayerAttendsAndTheOthersKeepAState() throws IOException {
        List<LayerState> layers = open(Qwen35Model.tiny().writer()).shape().layers();

        assertEquals(
                List.of(
                        new LayerState.Recurrent(4, 128, 16, 4),
                        new LayerState.Recurrent(4, 128, 16, 4),
                        new LayerState.Recurrent(4, 128, 16, 4),
                        new LayerState.FullAttention(2, 64, 64)),
                layers);
    }

    @Test
    void theFileMayNameTheLayersThatKeepAState() throws IOException {
        Qwen35Model named =
                Qwen35Model.tiny()
                        .withPlan(
                                new Qwen35Model.LayerPlan(4, List.of(false, true, true, false), 0));

        List<LayerState> layers = open(named.writer()).shape().layers();

        assertEquals(
                List.of(1, 2),
                IntStream.range(0, 4)
                        .filter(layer -> layers.get(layer) instanceof LayerState.Recurrent)
                        .boxed()
                        .toList());
    }

    @Test
    void blocksBehindTheTrunkAreCountedAndNotRun() throws IOException {
        Qwen35Model model = Qwen35Model.tiny().withPlan(new Qwen35Model.LayerPlan(4, List.of(), 1));

        LayerSplitAdapter adapter = open(model.writer());

        assertEquals(4, adapter.shape().layerCount());
        assertEquals(1, adapter.shape().skippedBlocks());
        assertEquals(
                Set.of(),
                names(adapter, adapter.shape().allLayers()).stream()
                        .filter(name -> name.contains("blk.4."))
                        .collect(Collectors.toSet()));
    }

    @Test
    void expertsTakeThePlaceOfTheFeedForward() throws IOException {
        LayerSplitAdapter model = open(Qwen35MoeModel.tiny().writer());

        Set<String> names = names(model, new LayerRange(0, 1));

        assertEquals("qwen35moe", model.shape().architecture());
        assertTrue(names.contains("EXPERT_MATMUL blk.0.ffn_down_exps.weight"), names.toString());
        assertTrue(names.contains("MATMUL blk.0.ffn_down_shexp.weight"), names.toString());
        assertTrue(!names.contains("MATMUL blk.0.ffn_down.weight"), names.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "expert_count, 0, expert_count",
        "expert_used_count, 1000, at most",
        "expert_used_count, 0, expert_used_count",
        "expert_feed_forward_length, 0, expert_feed_forward_length"
    })
    void senselessExpertsAreRefused(String key, long value, String expected) throws IOException {
        GgufWriter writer =
                Qwen35MoeModel.tiny().writer().put("qwen35moe." + key, GgufValue.of(value));

        VarveException refusal = assertThrows(VarveException.class, () -> open(writer));

        assertTrue(refusal.getMessage().contains(expected), refusal.getMessage());
    }

    @Test
    void aSplitLoadsEveryTensorThatTheWholeModelLoads() throws IOException {
        for (long seed = 0; seed < 12; seed++) {
            Qwen35Model spec = Qwen35Model.odd(seed).withType(TensorType.F32);
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
        LayerSplitAdapter model = open(Qwen35Model.tiny().writer());
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
        for (String name : Qwen35Model.tiny().writer().tensorNames()) {
            if (!false) {
                requireNamed(Qwen35Model.tiny().writer().leaveOut(name), name);
            }
        }
    }

    @Test
    void aTensorOfAnotherShapeIsRefusedByItsName() throws IOException {
        for (String name : Qwen35Model.tiny().writer().tensorNames()) {
            if (!false) {
                requireNamed(Qwen35Model.tiny().writer().lengthen(name), name);
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
        "rope.dimension_sections",
        "ssm.conv_kernel",
        "ssm.state_size",
        "ssm.group_count",
        "ssm.time_step_rank",
        "ssm.inner_size"
    })
    void aFileThatLacksAKeyIsRefusedByIt(String key) throws IOException {
        GgufWriter writer = Qwen35Model.tiny().writer().leaveOut("qwen35." + key);

        VarveException refusal = assertThrows(VarveException.class, () -> open(writer));

        assertTrue(refusal.getMessage().contains("qwen35." + key), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "block_count, 0, block_count",
        "block_count, 1e9, at most 4096",
        "embedding_length, 0, embedding_length",
        "context_length, 0, context_length",
        "attention.head_count, 0, attention.head_count",
        "attention.head_count_kv, 3, a multiple of the KV heads",
        "attention.layer_norm_rms_epsilon, 1.5, from 0 to below 1",
        "attention.value_length, 7, key length",
        "rope.dimension_count, 7, even",
        "rope.dimension_count, 4096, at most the head length",
        "rope.freq_base, -1.5, positive",
        "nextn_predict_layers, 4, from 0 to below 4",
        "ssm.inner_size, 63, value heads",
        "ssm.time_step_rank, 3, 3 value heads x 16",
        "ssm.conv_kernel, 1, from 2 to 64",
        "ssm.conv_kernel, 65, from 2 to 64",
        "ssm.state_size, 2048, 4 value heads x 2048",
        "full_attention_interval, 0, full_attention_interval",
        "rope.dimension_sections, 5, 3 or 4 entries"
    })
    void aSenselessNumberIsRefusedWithWhatWasExpected(String key, double value, String expected)
            throws IOException {
        GgufValue number =
                value == Math.rint(value) && Math.abs(value) < 1e15
                        ? GgufValue.of((long) value)
                        : GgufValue.of((float) value);
        GgufWriter writer = Qwen35Model.tiny().writer().put("qwen35." + key, number);

        VarveException refusal =
                assertThrows(VarveException.class, () -> open(writer), key + " = " + value);

        assertTrue(
                refusal.getMessage().contains(": qwen35.")
                        && refusal.getMessage().contains(expected),
                refusal.getMessage());
    }

    @Test
    void aTiedHeadIsLoadedInBothUses() throws IOException {
        LayerSplitAdapter model = open(Qwen35Model.tiny().withTiedHead(true).writer());

        List<TensorSelection.Entry> entries = new ArrayList<>();
        for (TensorSelection.Entry entry : model.tensors(model.shape().allLayers()).entries()) {
            if (entry.tensor().name().equals("token_embd.weight")) {
                entries.add(entry);
            }
        }

        assertEquals(2, entries.size());
    }

    @Test
    void shardsMayBeginAnywhereAndHandOverTheHiddenState() throws IOException {
        LayerSplitAdapter model = open(Qwen35Model.tiny().writer());
        List<LayerRange> ranges =
                List.of(new LayerRange(0, 1), new LayerRange(1, 3), new LayerRange(3, 4));

        assertEquals(ranges, model.align(ranges));
        assertEquals(128, model.boundaryLength(1));
    }

    @Test
    void thoughtsAndCallsAreMarkedAsTheModelWritesThem() throws IOException {
        LayerSplitAdapter model = open(Qwen35Model.tiny().writer());

        ToolSyntax tools = model.chatDialect().tools().orElseThrow();

        assertEquals(ReasoningMarks.think(), model.chatDialect().reasoning().orElseThrow());
        assertEquals("<tool_call>", tools.open());
        assertEquals("\n<function=", tools.beforeName());
        assertEquals(">\n", tools.afterName());
    }

    private LayerSplitAdapter open(GgufWriter writer) throws IOException {
        Path file = folder.resolve("model.gguf");
        writer.write(file);
        return new Qwen35Family().open(GgufFile.open(file), ModelOptions.defaults());
    }

    private static Set<String> names(LayerSplitAdapter model, LayerRange range) {
        return model.tensors(range).entries().stream()
                .map(entry -> entry.use() + " " + entry.tensor().name())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}

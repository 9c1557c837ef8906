package dev.varve.plugin.qwen35;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.ToolSyntax;
import dev.varve.contracts.FamilyFileTest;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen35MoeModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The family reads model files of its architecture and refuses invalid ones. */
class Qwen35FamilyTest extends FamilyFileTest {
    @Override
    protected ModelFamilyProvider family() {
        return new Qwen35Family();
    }

    @Override
    protected GgufWriter tiny() {
        return Qwen35Model.tiny().writer();
    }

    @Override
    protected GgufWriter odd(long seed) {
        return Qwen35Model.odd(seed).withType(TensorType.F32).writer();
    }

    @Override
    protected boolean isOptional(String tensor) {
        return false;
    }

    @Override
    protected List<String> ownKeys() {
        return List.of(
                "rope.dimension_sections",
                "ssm.conv_kernel",
                "ssm.state_size",
                "ssm.group_count",
                "ssm.time_step_rank",
                "ssm.inner_size");
    }

    @Override
    protected List<SenselessNumber> ownSenselessNumbers() {
        return List.of(
                new SenselessNumber("nextn_predict_layers", 4, "from 0 to below 4"),
                new SenselessNumber("ssm.inner_size", 63, "value heads"),
                new SenselessNumber("ssm.time_step_rank", 3, "3 value heads x 16"),
                new SenselessNumber("ssm.conv_kernel", 1, "from 2 to 64"),
                new SenselessNumber("ssm.conv_kernel", 65, "from 2 to 64"),
                new SenselessNumber("ssm.state_size", 2048, "4 value heads x 2048"),
                new SenselessNumber("full_attention_interval", 0, "full_attention_interval"),
                new SenselessNumber("rope.dimension_sections", 5, "3 or 4 entries"));
    }

    @Test
    void familySupportsItsArchitectures() {
        assertEquals(
                Set.of("qwen35", "qwen35moe", "qwen3next"), new Qwen35Family().architectures());
        assertTrue(new Qwen35Family().preTokenizers().isEmpty());
    }

    @Test
    void everyFourthLayerIsAttentionAndTheOthersAreRecurrent() throws IOException {
        List<LayerState> layers = open(tiny()).shape().layers();

        assertEquals(
                List.of(
                        new LayerState.Recurrent(4, 128, 16, 4),
                        new LayerState.Recurrent(4, 128, 16, 4),
                        new LayerState.Recurrent(4, 128, 16, 4),
                        new LayerState.FullAttention(2, 64, 64)),
                layers);
    }

    @Test
    void fileMayNameTheRecurrentLayers() throws IOException {
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
    void extraBlocksAreCountedAndNotComputed() throws IOException {
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
    void expertsReplaceTheFeedForward() throws IOException {
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
    void invalidExpertsAreRefused(String key, long value, String expected) throws IOException {
        GgufWriter writer =
                Qwen35MoeModel.tiny().writer().put("qwen35moe." + key, GgufValue.of(value));

        String message = refusal(writer);

        assertTrue(message.contains(expected), message);
    }

    @Test
    void tiedHeadIsLoadedInBothUses() throws IOException {
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
    void shardsMayStartAnywhereAndPassTheHiddenState() throws IOException {
        LayerSplitAdapter model = open(tiny());
        List<LayerRange> ranges =
                List.of(new LayerRange(0, 1), new LayerRange(1, 3), new LayerRange(3, 4));

        assertEquals(ranges, model.align(ranges));
        assertEquals(128, model.boundaryLength(1));
    }

    @Test
    void reasoningAndCallsUseTheModelSyntax() throws IOException {
        LayerSplitAdapter model = open(tiny());

        ToolSyntax tools = model.chatDialect().tools().orElseThrow();

        assertEquals(ReasoningMarks.think(), model.chatDialect().reasoning().orElseThrow());
        assertEquals("<tool_call>", tools.open());
        assertEquals("\n<function=", tools.beforeName());
        assertEquals(">\n", tools.afterName());
    }
}

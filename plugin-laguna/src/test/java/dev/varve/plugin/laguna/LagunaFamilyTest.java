package dev.varve.plugin.laguna;

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
import dev.varve.testkit.LagunaModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** The family reads model files of its architecture and refuses invalid ones. */
class LagunaFamilyTest extends FamilyFileTest {
    @Override
    protected ModelFamilyProvider family() {
        return new LagunaFamily();
    }

    @Override
    protected GgufWriter tiny() {
        return LagunaModel.tiny().writer();
    }

    @Override
    protected GgufWriter odd(long seed) {
        return LagunaModel.odd(seed).withType(TensorType.F32).writer();
    }

    @Override
    protected boolean isOptional(String tensor) {
        return tensor.contains("exp_probs_b");
    }

    @Override
    protected List<String> ownKeys() {
        return List.of("expert_count", "expert_used_count", "expert_feed_forward_length");
    }

    @Override
    protected List<SenselessNumber> ownSenselessNumbers() {
        return List.of(
                new SenselessNumber("rope.dimension_count_swa", 4096, "at most the head length"),
                new SenselessNumber("rope.freq_base_swa", -1.5f, "positive"),
                new SenselessNumber("leading_dense_block_count", 6, "from 0 to 5"),
                new SenselessNumber("expert_count", 0, "expert_count"),
                new SenselessNumber("expert_used_count", 11, "at most 10"),
                new SenselessNumber("expert_gating_func", 3, "softmax"),
                new SenselessNumber("rope.scaling.factor", -2.5f, "positive"));
    }

    @Test
    void familySupportsItsArchitectures() {
        assertEquals(Set.of("laguna"), new LagunaFamily().architectures());
        assertTrue(new LagunaFamily().preTokenizers().isEmpty());
    }

    @Test
    void firstOfEveryFourLayersIsFullAndTheOthersSlide() throws IOException {
        LayerState full = new LayerState.FullAttention(2, 32, 32);
        LayerState sliding = new LayerState.SlidingAttention(24, 2, 32, 32);

        List<LayerState> layers = open(tiny()).shape().layers();

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
    void queryHeadsMayDifferPerLayer() throws IOException {
        LayerSplitAdapter model = open(tiny());

        List<Long> rows = new ArrayList<>();
        for (TensorSelection.Entry entry : model.tensors(model.shape().allLayers()).entries()) {
            if (entry.tensor().name().endsWith("attn_q.weight")) {
                rows.add(entry.tensor().ne(1));
            }
        }

        assertEquals(List.of(128L, 192L, 192L, 192L, 128L), rows);
    }

    @Test
    void unknownRopeScalingIsRefused() throws IOException {
        GgufWriter writer =
                LagunaModel.tiny()
                        .writer()
                        .put("laguna.rope.scaling.type", GgufValue.of("longrope"));

        String message = refusal(writer);

        assertTrue(message.contains("expected none, linear or yarn, found longrope"), message);
    }

    @Test
    void shardsMayStartAnywhereAndPassTheHiddenState() throws IOException {
        LayerSplitAdapter model = open(tiny());
        List<LayerRange> ranges =
                IntStream.range(0, 5).mapToObj(at -> new LayerRange(at, at + 1)).toList();

        assertEquals(ranges, model.align(ranges));
        assertEquals(128, model.boundaryLength(4));
    }

    @Test
    void reasoningAndCallsUseTheModelSyntax() throws IOException {
        LayerSplitAdapter model = open(tiny());

        ToolSyntax tools = model.chatDialect().tools().orElseThrow();
        ReasoningMarks marks = model.chatDialect().reasoning().orElseThrow();

        assertEquals("</think>\n", marks.forcedClose());
        assertEquals("<tool_call>", tools.open());
        assertEquals("", tools.beforeName());
        assertEquals("\n", tools.afterName());
    }
}

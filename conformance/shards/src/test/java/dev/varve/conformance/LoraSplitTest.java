package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.lora.LoraScales;
import dev.varve.testkit.Comparison;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Models with LoRA adapters in other processes, which load the parts of their layers. */
class LoraSplitTest {
    private static final String HERE = LoraModel.HERE;
    private static final String THERE = LoraModel.THERE;
    private static final ModelSettings SETTINGS = Cpu.settings(512, 1, Cpu.F16);

    @TempDir static Path folder;
    @TempDir static Path installation;
    private static LoraModel tested;
    private static Path adapter;

    @BeforeAll
    static void startProcess() throws Exception {
        tested = LoraModel.start(folder, installation);
        adapter = tested.writeAdapter("lora.gguf", 1);
    }

    @AfterAll
    static void endProcess() {
        tested.close();
    }

    private static SplitModel split(Map<Path, Float> adapters) {
        return tested.split(SETTINGS, adapters);
    }

    @Test
    void splitsOverProcessesMatchTheWholeModel() throws Exception {
        int[] prompt = tested.prompt();
        float[][] whole;
        int[] greedy;
        try (LoadedModel model = split(Map.of(adapter, 0.5f)).load(SETTINGS, List.of(HERE))) {
            whole = Cpu.logits(model, prompt);
            greedy = Answer.ask(model.engine(), prompt, 16).tokens();
        }
        try (LoadedModel plain = split(Map.of()).load(SETTINGS, List.of(HERE))) {
            assertTrue(
                    Comparison.worstRelativeL2(whole, Cpu.logits(plain, prompt)) > 1e-3,
                    "the adapter changes the logits");
        }
        for (List<String> devices : List.of(List.of(HERE, THERE), List.of(THERE, THERE))) {
            try (LoadedModel model = split(Map.of(adapter, 0.5f)).load(SETTINGS, devices, 1)) {
                assertEquals(
                        0,
                        Comparison.worstRelativeL2(whole, Cpu.logits(model, prompt)),
                        devices.toString());
                assertArrayEquals(greedy, Answer.ask(model.engine(), prompt, 16).tokens());
            }
        }
    }

    @Test
    void requestsHaveTheirOwnScalesInProcesses() throws Exception {
        ModelSettings settings = Cpu.settings(512, 3, Cpu.F16);
        int[] prompt = tested.prompt();
        List<int[]> alone = new ArrayList<>();
        List<Float> scales = List.of(0f, 1f, -0.5f);
        for (float scale : scales) {
            Map<Path, Float> adapters = scale == 0 ? Map.of() : Map.of(adapter, scale);
            try (LoadedModel model = split(adapters).load(SETTINGS, List.of(HERE))) {
                alone.add(Answer.ask(model.engine(), prompt, 16).tokens());
            }
        }

        try (LoadedModel model =
                tested.split(settings, Map.of(adapter, 0.25f))
                        .load(settings, List.of(HERE, THERE), 1)) {
            List<Answer> together =
                    scales.stream()
                            .map(
                                    scale ->
                                            Answer.adapted(
                                                    prompt,
                                                    16,
                                                    CacheScope.none(),
                                                    new LoraScales(List.of(scale))))
                            .toList();
            Answer.submit(model.engine(), together);
            for (int i = 0; i < scales.size(); i++) {
                assertArrayEquals(alone.get(i), together.get(i).tokens(), "scale " + scales.get(i));
            }
        }
    }

    @Test
    void anAdapterThatTheProcessDoesNotFindIsRefusedByName() throws Exception {
        Path elsewhere = Files.createDirectories(folder.resolve("elsewhere")).resolve("own.gguf");
        Files.copy(adapter, elsewhere);

        VarveException refused =
                assertThrows(
                        VarveException.class,
                        () ->
                                split(Map.of(elsewhere, 1f))
                                        .load(SETTINGS, List.of(HERE, THERE), 1)
                                        .close());

        assertTrue(refused.getMessage().contains("own.gguf"), refused.getMessage());
    }

    /** The header is the same; the bytes of the matrices are compared. */
    @Test
    void anAdapterWithOtherValuesInTheProcessIsRefused() throws Exception {
        Path other = Files.createDirectories(folder.resolve("other"));
        Files.move(tested.writeAdapter("moved.gguf", 2), other.resolve(adapter.getFileName()));

        VarveException refused =
                assertThrows(
                        VarveException.class,
                        () ->
                                split(Map.of(other.resolve(adapter.getFileName()), 0.5f))
                                        .load(SETTINGS, List.of(HERE, THERE), 1)
                                        .close());

        assertTrue(refused.getMessage().contains(".lora_"), refused.getMessage());
    }
}

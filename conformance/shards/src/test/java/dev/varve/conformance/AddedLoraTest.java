package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.lora.AdapterChange;
import dev.varve.platform.shard.lora.LoraAdapter;
import dev.varve.platform.shard.lora.LoraScales;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

/** LoRA adapters that are added to models in memory, and removed from them. */
@Timeout(300)
class AddedLoraTest {
    private static final String HERE = LoraModel.HERE;
    private static final String THERE = LoraModel.THERE;
    private static final ModelSettings SETTINGS = Cpu.settings(512, 2, Cpu.F16);
    private static final String QUERY = "blk.0.attn_q.weight";
    private static final LoraScales SECOND = new LoraScales(List.of(0f, 0.5f), List.of("", "x"));

    @TempDir static Path folder;
    @TempDir static Path installation;
    private static LoraModel tested;
    private static Path first;
    private static Path second;
    private static int[] prompt;

    @BeforeAll
    static void startProcess() throws Exception {
        tested = LoraModel.start(folder, installation);
        first = tested.writeAdapter("first.gguf", 1);
        second = tested.writeAdapter("second.gguf", 2);
        prompt = tested.prompt();
    }

    @AfterAll
    static void endProcess() {
        tested.close();
    }

    private static SplitModel split(Map<Path, Float> adapters) {
        return tested.split(SETTINGS, adapters);
    }

    private static AdapterChange.Add add(int number, Path adapter, float scale) {
        return new AdapterChange.Add(number, LoraAdapter.of(GgufFile.open(adapter), scale));
    }

    /** A model and its shards, to which adapters are added without an engine. */
    private record Opened(LoadedModel model, List<Shard> shards) implements AutoCloseable {
        static Opened of(SplitModel split, List<String> devices, int... cuts) {
            List<Shard> shards = new ArrayList<>();
            Placement placement =
                    Placement.of(
                            devices.stream().map(DeviceReference::parse).toList(),
                            split.ranges(cuts));
            LoadedModel model =
                    LoadedModel.load(
                            new OpenedModel(split.file(), split.adapter()),
                            SplitMemoryPlan.of(
                                    split.adapter(),
                                    placement,
                                    device -> Cpu.oneThread().info(),
                                    SETTINGS),
                            (part, options, progress) -> {
                                shards.add(split.open(part, options, progress));
                                return shards.getLast();
                            },
                            SETTINGS,
                            LoadProgressListener.silent());
            return new Opened(model, shards);
        }

        void adapt(AdapterChange change) {
            shards.forEach(shard -> shard.adapt(change).join());
        }

        float[][] logits() {
            return Cpu.logits(model, prompt);
        }

        @Override
        public void close() {
            model.close();
        }
    }

    private static float[][] loadedWith(Map<Path, Float> adapters) {
        try (LoadedModel model = split(adapters).load(SETTINGS, List.of(HERE))) {
            return Cpu.logits(model, prompt);
        }
    }

    private static void requireAddingMatchesLoading(Opened opened, String split) {
        float[][] plain = loadedWith(Map.of());
        float[][] adapted = loadedWith(Map.of(second, 0.5f));
        assertFalse(Arrays.deepEquals(plain, adapted), "the adapter changes the logits");

        opened.adapt(add(1, second, 0.5f));
        assertTrue(Arrays.deepEquals(adapted, opened.logits()), split + ": added");

        opened.adapt(new AdapterChange.Remove(1));
        assertTrue(Arrays.deepEquals(plain, opened.logits()), split + ": removed");

        opened.adapt(add(1, first, 1));
        opened.adapt(add(1, second, 0.5f));
        assertTrue(Arrays.deepEquals(adapted, opened.logits()), split + ": replaced");
    }

    @Test
    void addedAdaptersHaveTheLogitsOfLoadedOnes() {
        try (Opened whole = Opened.of(split(Map.of()), List.of(HERE))) {
            requireAddingMatchesLoading(whole, "whole");
        }
        try (Opened local = Opened.of(split(Map.of()), List.of(HERE, HERE), 1)) {
            requireAddingMatchesLoading(local, "two shards here");
        }
    }

    @Test
    void addedAdaptersHaveTheLogitsOfLoadedOnesInProcesses() {
        try (Opened listening = Opened.of(split(Map.of()), List.of(HERE, THERE), 1)) {
            requireAddingMatchesLoading(listening, "a listening process");
        }
        SplitModel started =
                tested.split(SETTINGS, Map.of(), device -> tested.program().child("child"));
        try (Opened child = Opened.of(started, List.of(THERE, HERE), 1)) {
            requireAddingMatchesLoading(child, "a process of the server");
        }
    }

    @Test
    void adaptersThatWereLoadedWithTheModelCanBeRemoved() {
        try (Opened opened = Opened.of(split(Map.of(second, 0.5f)), List.of(HERE, THERE), 1)) {
            opened.adapt(new AdapterChange.Remove(0));

            assertTrue(Arrays.deepEquals(loadedWith(Map.of()), opened.logits()));
        }
    }

    private static int[] tokens(Engine engine, LoraScales scales) throws Exception {
        Answer answer = Answer.adapted(prompt, 16, CacheScope.common(), scales);
        answer.submit(engine);
        return answer.tokens();
    }

    @Test
    void aProcessThatReturnsHasTheAddedAdapters() throws Exception {
        int[] expected;
        try (LoadedModel model = split(Map.of(second, 0.5f)).load(SETTINGS, List.of(HERE))) {
            expected = tokens(model.engine(), LoraScales.AS_LOADED);
        }
        FragileLink link = new FragileLink(tested.program().child("fragile"));
        try (LoadedModel model =
                tested.split(SETTINGS, Map.of(), device -> link)
                        .load(SETTINGS, List.of(HERE, THERE), 1)) {
            Engine engine = model.engine();
            engine.adapt(add(0, first, 0)).join();
            engine.adapt(add(1, second, 0)).join();
            engine.adapt(new AdapterChange.Remove(0)).join();
            Answer answer = Answer.adapted(prompt, 16, CacheScope.none(), SECOND);
            answer.atToken(3, link::kill);

            answer.submit(engine);

            assertArrayEquals(expected, answer.tokens());
            assertEquals(2, link.opened());
        }
    }

    @Test
    void anAdapterThatOneShardRefusesIsKeptByNone() throws Exception {
        Path hidden = Files.createDirectories(folder.resolve("hidden")).resolve("own.gguf");
        Files.copy(second, hidden);
        try (LoadedModel model = split(Map.of()).load(SETTINGS, List.of(HERE, THERE), 1)) {
            Engine engine = model.engine();
            long before = model.shards().getFirst().memory().mappedWeights();

            String refused = refusal(engine, add(1, hidden, 0));

            assertTrue(refused.contains("shard " + THERE + " (layers 1 to"), refused);
            assertTrue(refused.contains("own.gguf"), refused);
            assertEquals(before, model.shards().getFirst().memory().mappedWeights());
            engine.adapt(add(1, second, 0)).join();
            assertTrue(tokens(engine, SECOND).length > 0);
        }
    }

    @Test
    void anAdapterOfAnotherModelIsRefusedWithTensorAndShapes() throws Exception {
        Path wrong = folder.resolve("wrong.gguf");
        new GgufWriter()
                .put("general.type", GgufValue.of("adapter"))
                .put(
                        "general.architecture",
                        GgufValue.of(GgufFile.open(tested.file()).architecture()))
                .put("adapter.type", GgufValue.of("lora"))
                .tensor(QUERY + ".lora_a", TensorType.F16, List.of(7L, 4L), TensorData.constant(1))
                .tensor(QUERY + ".lora_b", TensorType.F16, List.of(4L, 5L), TensorData.constant(1))
                .write(wrong);
        try (LoadedModel model = split(Map.of()).load(SETTINGS, List.of(HERE))) {
            String refused = refusal(model.engine(), add(0, wrong, 0));

            assertTrue(refused.contains("shard " + HERE), refused);
            assertTrue(refused.contains("wrong.gguf"), refused);
            assertTrue(refused.contains(QUERY + ".lora_a: expected"), refused);
            assertTrue(refused.contains("found F16 [7, 4"), refused);
        }
    }

    private static String refusal(Engine engine, AdapterChange change) {
        CompletionException failure =
                assertThrows(CompletionException.class, () -> engine.adapt(change).join());
        return ((VarveException) failure.getCause()).getMessage();
    }
}

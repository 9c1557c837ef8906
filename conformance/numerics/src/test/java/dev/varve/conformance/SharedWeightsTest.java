package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.shard.local.ShardDevices;
import dev.varve.platform.shard.local.WeightCache;
import dev.varve.platform.shard.lora.AdapterChange;
import dev.varve.platform.shard.lora.LoraAdapter;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;

/** Two models on one device with caches of their own and one copy of the weights. */
class SharedWeightsTest {
    @TempDir Path folder;

    private static LoadedModel load(OpenedModel model, ModelSettings settings, WeightCache shelf) {
        SplitMemoryPlan plan =
                SplitMemoryPlan.of(
                        model.adapter(),
                        Placement.of(
                                List.of(DeviceReference.PROCESSOR),
                                List.of(model.shape().allLayers())),
                        device -> Cpu.device().info(),
                        settings);
        return LoadedModel.load(
                model,
                plan,
                (part, options, progress) ->
                        LocalShard.load(
                                model.range(part.range()),
                                ShardDevices.of(Cpu.device()),
                                options,
                                progress,
                                shelf),
                settings,
                LoadProgressListener.silent());
    }

    private static float[] logits(LoadedModel model, int[] tokens) {
        float[][] last = new float[1][];
        model.logits(
                tokens,
                (logits, rows, width) ->
                        last[0] = Arrays.copyOfRange(logits, (rows - 1) * width, rows * width));
        return last[0];
    }

    private static long weights(LoadedModel model) {
        return model.shards().getFirst().memory().allWeights();
    }

    @Test
    void twoModelsShareWeightsUntilTheLastIsClosed() throws Exception {
        OpenedModel opened =
                Cpu.open(
                        Qwen35Model.odd(8).withType(TensorType.Q4_0).write(folder),
                        ModelOptions.defaults());
        ModelSettings settings = Cpu.settings(256, 1, Cpu.F16);
        WeightCache shelf = new WeightCache();
        int[] tokens = {3, 1, 4, 1, 5, 9, 2, 6};
        try (LoadedModel second = load(opened, settings, shelf)) {
            long alone = weights(second);
            float[] expected = logits(second, tokens);
            try (LoadedModel first = load(opened, settings, shelf)) {
                assertEquals(alone / 2, weights(first), 1);
                assertEquals(alone / 2, weights(second), 1);
                assertArrayEquals(expected, logits(first, tokens));
            }

            assertEquals(alone, weights(second));
            assertArrayEquals(expected, logits(second, tokens));
        }
        try (LoadedModel again = load(opened, settings, shelf)) {
            assertTrue(weights(again) > 0, "they are loaded anew");
        }
    }

    private LoraAdapter adapter(OpenedModel model, String name, long seed) throws Exception {
        Path file =
                new RandomAdapter(model.file().path(), TensorType.F16, 4, 8)
                        .write(
                                folder.resolve(name),
                                seed,
                                weight -> weight.matches("blk.*ffn_(up|down).weight"));
        return LoraAdapter.of(GgufFile.open(file), 1);
    }

    private static LocalShard shard(OpenedModel model, WeightCache shelf) {
        return LocalShard.load(
                model.range(model.shape().allLayers()),
                ShardDevices.of(Cpu.device()),
                ShardOptions.of(CacheTypes.f16(), new CacheCapacities(256, 2, 0)),
                LoadProgressListener.silent(),
                shelf);
    }

    /** A shard that fails and is not closed yet must not give its adapter to another shard. */
    @Test
    void aNumberStandsForOneAdapterInSharedWeights() throws Exception {
        OpenedModel opened =
                Cpu.open(
                        Qwen35Model.odd(8).withType(TensorType.Q4_0).write(folder),
                        ModelOptions.defaults());
        LoraAdapter first = adapter(opened, "first.gguf", 1);
        LoraAdapter second = adapter(opened, "second.gguf", 2);
        WeightCache shelf = new WeightCache();
        try (LocalShard one = shard(opened, shelf);
                LocalShard two = shard(opened, shelf)) {
            long plain = one.memory().allWeights();
            one.adapt(new AdapterChange.Add(0, first)).join();
            two.adapt(new AdapterChange.Add(0, first)).join();
            long adapted = one.memory().allWeights();
            assertTrue(adapted > plain, "the matrices count");

            CompletionException failure =
                    assertThrows(
                            CompletionException.class,
                            () -> one.adapt(new AdapterChange.Add(0, second)).join());

            VarveException refused = (VarveException) failure.getCause();
            assertEquals(VarveException.Kind.UNAVAILABLE, refused.kind());
            assertTrue(refused.getMessage().contains("first.gguf"), refused.getMessage());
            two.adapt(new AdapterChange.Remove(0)).join();
            one.adapt(new AdapterChange.Add(0, second)).join();
            assertEquals(adapted, one.memory().allWeights());
            one.adapt(new AdapterChange.Remove(0)).join();
            assertEquals(plain, one.memory().allWeights());
        }
    }
}

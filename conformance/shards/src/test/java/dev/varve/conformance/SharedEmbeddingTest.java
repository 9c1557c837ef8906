package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.Pooling;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.EmbeddingModel;
import dev.varve.platform.host.EmbeddingSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ModelLoadListener;
import dev.varve.platform.host.ModelWithEmbeddings;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.runtime.MemoryClaims;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.local.CausalEncoder;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.shard.local.LocalTextEncoder;
import dev.varve.platform.shard.local.ShardDevices;
import dev.varve.platform.shard.local.WeightCache;
import dev.varve.testkit.Qwen3Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A model that generates text and computes vectors, with one copy of its weights. */
@Timeout(300)
class SharedEmbeddingTest {
    private static final Qwen3Model SPEC = Qwen3Model.odd(3).withType(TensorType.Q4_0);
    private static final ModelSettings SETTINGS = Cpu.settings(512, 2, Cpu.F16);
    private static final DeviceReference CPU = DeviceReference.PROCESSOR;
    private static final List<int[]> TEXTS =
            List.of(SPEC.randomTokens(20, 1), SPEC.randomTokens(7, 2), SPEC.randomTokens(90, 3));
    private static final int[] PROMPT = SPEC.randomTokens(60, 4);

    @TempDir static Path folder;

    private static Path file;
    private static float[][] vectors;
    private static int[] tokens;

    private final AtomicInteger loads = new AtomicInteger();
    private final MemoryClaims claims = new MemoryClaims();

    private final ModelLoadListener listener =
            new ModelLoadListener() {
                @Override
                public void loaded(long done, long total) {
                    if (done == 0) {
                        loads.incrementAndGet();
                    }
                }
            };

    @BeforeAll
    static void computeApart() throws Exception {
        file = SPEC.write(folder);
        HostSettings settings = settings(SETTINGS, new MemoryClaims(), 1);
        try (EmbeddingModel model = EmbeddingModel.open(settings, last(), silent())) {
            vectors = vectors(model);
        }
        try (HostedModel model = HostedModel.open(settings)) {
            tokens = model.generate(PROMPT, 16);
        }
    }

    private static ModelLoadListener silent() {
        return new ModelLoadListener() {};
    }

    private static EmbeddingSettings last() {
        return new EmbeddingSettings(true, Optional.empty());
    }

    private static HostSettings settings(ModelSettings model, MemoryClaims claims, int devices) {
        PlacementRequest request =
                devices == 1
                        ? PlacementRequest.single(CPU)
                        : PlacementRequest.of(
                                Collections.nCopies(devices, CPU), new SplitRule.Equal());
        return new HostSettings(
                file,
                model,
                DeviceSettings.best().with(request).with(claims).withThreads(1),
                Cpu.plugins(folder.resolve("plugins.jar"), folder.resolve("cache")),
                ShardProcessSettings.none());
    }

    private static float[][] vectors(EmbeddingModel model) throws InterruptedException {
        return model.embedder().encode(TEXTS, () -> false);
    }

    private static void requireSameResults(ModelWithEmbeddings both) throws Exception {
        float[][] found = vectors(both.embeddings());
        for (int i = 0; i < vectors.length; i++) {
            assertArrayEquals(vectors[i], found[i], "text " + i);
        }
        assertArrayEquals(tokens, both.model().generate(PROMPT, 16));
    }

    @Test
    void weightsAreLoadedOnce() throws Exception {
        ShardMemory alone;
        HostSettings settings = settings(SETTINGS, claims, 1);
        try (HostedModel model = HostedModel.open(settings, listener)) {
            alone = model.shards().getFirst().memory();
        }
        int each = loads.getAndSet(0);
        try (ModelWithEmbeddings both = ModelWithEmbeddings.open(settings, last(), listener)) {
            assertEquals(each, loads.get());
            assertEquals(0, both.embeddings().embedder().weightBytes());
            ShardMemory shared = both.model().shards().getFirst().memory();
            assertEquals(alone.weights(), shared.weights());
            assertEquals(alone.mappedWeights(), shared.mappedWeights());
            requireSameResults(both);
        }
    }

    @Test
    void replicasShareTheWeightsToo() throws Exception {
        HostSettings settings = settings(SETTINGS.withReplicas(2), claims, 1);
        try (ModelWithEmbeddings both = ModelWithEmbeddings.open(settings, last(), listener)) {
            assertEquals(0, both.embeddings().embedder().weightBytes());
            requireSameResults(both);
        }
    }

    /** No shard has all layers. */
    @Test
    void weightsThatAreNotOnOneDeviceAreLoadedApart() throws Exception {
        try (ModelWithEmbeddings both =
                ModelWithEmbeddings.open(settings(SETTINGS, claims, 2), last(), listener)) {
            assertTrue(both.embeddings().embedder().weightBytes() > 0);
            requireSameResults(both);
        }
    }

    @Test
    void theLastUserFreesTheWeights() {
        OpenedModel model = Cpu.open(file, ModelOptions.defaults());
        CausalEncoder encoder = new CausalEncoder(model, Pooling.LAST, Optional.empty());
        ComputeDevice device = Cpu.oneThread();
        WeightCache shelf = new WeightCache();
        try (LocalTextEncoder apart =
                new LocalTextEncoder(
                        encoder,
                        Pooling.LAST,
                        device,
                        Duration.ofMillis(100),
                        LoadProgressListener.silent())) {
            Shard shard =
                    LocalShard.load(
                            model.range(model.shape().allLayers()),
                            ShardDevices.of(device),
                            SETTINGS.computation().shardOptions(new CacheCapacities(512, 2, 0)),
                            LoadProgressListener.silent(),
                            shelf);
            Optional<LocalTextEncoder> shared = sharing(encoder, device, shelf);
            shard.close();

            assertArrayEquals(
                    apart.encode(TEXTS, () -> false)[2],
                    shared.orElseThrow().encode(TEXTS, () -> false)[2]);
            shared.orElseThrow().close();
            assertEquals(Optional.empty(), sharing(encoder, device, shelf));
        }
    }

    private static Optional<LocalTextEncoder> sharing(
            CausalEncoder encoder, ComputeDevice device, WeightCache shelf) {
        return LocalTextEncoder.sharing(
                encoder,
                Pooling.LAST,
                device,
                Duration.ofMillis(100),
                WeightLayout.REPACKED,
                shelf);
    }
}

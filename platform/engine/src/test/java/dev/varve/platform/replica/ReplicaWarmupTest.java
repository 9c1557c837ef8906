package dev.varve.platform.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.contracts.MemorySharedStore;
import dev.varve.platform.engine.ChangedOptions;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.engine.HostCacheOptions;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.SharedTierOptions;
import dev.varve.platform.prefix.StorageTierOptions;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedArchiveSettings;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Tests the caches of a replica that was loaded again, with a store that all replicas share. */
class ReplicaWarmupTest {
    private static final long HOST_BYTES = 64 << 20;

    private final StorageTierOptions stores =
            new StorageTierOptions(
                    Optional.empty(),
                    Optional.of(
                            new SharedTierOptions(
                                    SharedArchive.open(
                                            new SharedArchiveSettings(
                                                    "memory://test",
                                                    new Namespace(new byte[32], Map.of()),
                                                    false,
                                                    Duration.ofSeconds(20),
                                                    Optional.empty()),
                                            new MemorySharedStore(new ConcurrentHashMap<>())),
                                    new byte[32],
                                    "",
                                    true)));
    private final PlainReplicas replicas = new PlainReplicas(this::options);

    private EngineOptions options() {
        CacheTypes types = new CacheTypes(GgmlType.F32, GgmlType.F32);
        CacheLayout layout =
                CacheLayout.of(
                        PlainReplicas.MODEL.shape(),
                        PlainReplicas.MODEL.shape().allLayers(),
                        types,
                        2 * KvSlotSpan.BLOCK);
        return ChangedOptions.withHostCache(
                PlainReplicas.options(4, 4 * PlainReplicas.CONTEXT / 256),
                new HostCacheOptions(layout, HOST_BYTES, stores.share()));
    }

    @AfterEach
    void close() {
        stores.close();
    }

    private static Answer ask(EnginePool pool, int[] prompt) {
        Answer answer = new Answer();
        pool.submit(PlainReplicas.greedy(prompt, 4), answer);
        return answer;
    }

    private static long hostBytes(EnginePool pool, int id) {
        return pool.replica(id)
                .member()
                .map(each -> each.engine().status().cache().host().usedBytes())
                .orElse(0L);
    }

    /** Returns the replica that has computed the only prompt. */
    private static int computing(EnginePool pool) {
        Await.until("it is counted", () -> pool.status().counts().tokens().prompt() > 0);
        return pool.status().replicas().get(0).tokens().prompt() > 0 ? 0 : 1;
    }

    @Test
    void resumedReplicaHasThePrefixesOfTheDrainedOneBeforeItsFirstRequest() {
        int[] prompt = PlainReplicas.text(1, 700);
        try (EnginePool pool = replicas.pool(2)) {
            ask(pool, prompt).await();
            int id = computing(pool);
            Await.result(pool.saveCache());
            Await.result(pool.replicaControl().orElseThrow().drain(id));
            assertEquals(0, hostBytes(pool, id));

            Await.result(pool.replicaControl().orElseThrow().resume(id));

            Await.until("the prefix was loaded", () -> hostBytes(pool, id) > 0);
            int[] next = PlainReplicas.join(prompt, PlainReplicas.text(2, 40));
            Await.until("the router knows it", () -> pool.replica(id).prefixEstimate().used() > 0);
            Answer answer = ask(pool, next);
            assertEquals(PlainReplicas.alone(PlainReplicas.greedy(next, 4)), answer.await());
            assertTrue(answer.end().tokens().cached() >= 690, answer.end().toString());
            assertEquals(Optional.of(CacheSource.SHARED), answer.end().cache().source());
        }
    }

    @Test
    void restartedReplicaHasThePrefixesOfTheOthers() {
        int[] prompt = PlainReplicas.text(3, 700);
        try (EnginePool pool = replicas.pool(2)) {
            ask(pool, prompt).await();
            int id = computing(pool);
            Await.result(pool.saveCache());

            pool.restart(1 - id);

            Await.until("the prefix was loaded", () -> hostBytes(pool, 1 - id) > 0);
            Await.until(
                    "the router knows it", () -> pool.replica(1 - id).prefixEstimate().used() > 0);
        }
    }
}

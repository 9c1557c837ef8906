package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.lora.AdapterChange;
import dev.varve.platform.shard.lora.LoraScales;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Adds and removes adapters in the shards of an engine. */
@Timeout(60)
class AdaptedEngineTest {
    private static final int CONTEXT = 2 * KvSlotSpan.BLOCK;
    private static final PlainModel MODEL = PlainModel.attentionOnly(2, CONTEXT);
    private static final EngineOptions OPTIONS =
            new EngineOptions(EngineOptions.Capacity.of(CONTEXT, 1, CONTEXT), 8);

    @TempDir Path folder;

    private final AdaptedShard first = new AdaptedShard(0, 1);
    private final AdaptedShard second = new AdaptedShard(1, 2);
    private EngineCore engine;
    private AdapterChange.Add add;

    /** Records the changes; refuses adapters if a test sets a refusal. */
    private static final class AdaptedShard extends PlainShard {
        private final List<AdapterChange> changes = Collections.synchronizedList(new ArrayList<>());
        private volatile Optional<VarveException> refusal = Optional.empty();

        AdaptedShard(int begin, int end) {
            super(
                    MODEL,
                    new LayerRange(begin, end),
                    new Sizes(
                            OPTIONS.capacity().caches().slots(),
                            OPTIONS.capacity().caches().stateRows()));
        }

        @Override
        public CompletableFuture<Void> adapt(AdapterChange change) {
            changes.add(change);
            return change instanceof AdapterChange.Add && refusal.isPresent()
                    ? CompletableFuture.failedFuture(refusal.get())
                    : CompletableFuture.completedFuture(null);
        }
    }

    @BeforeEach
    void start() {
        add = AdapterFile.add(folder, 3);
        engine =
                EngineCore.start(new ShardPipeline(List.of(first, second)), MODEL.shape(), OPTIONS);
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    private VarveException refused(AdapterChange change) {
        return (VarveException)
                assertThrows(CompletionException.class, () -> engine.adapt(change).join())
                        .getCause();
    }

    @Test
    void allShardsGetAnAdapter() {
        engine.adapt(add).join();
        engine.adapt(new AdapterChange.Remove(3)).join();

        assertEquals(List.of(add, new AdapterChange.Remove(3)), first.changes);
        assertEquals(first.changes, second.changes);
    }

    @Test
    void ifOneShardRefusesAllFreeIt() {
        second.refusal =
                Optional.of(
                        new VarveException(
                                VarveException.Kind.CORRUPT_FILE, "lora.gguf: tensor a: bad"));

        VarveException refused = refused(add);

        assertEquals(VarveException.Kind.CORRUPT_FILE, refused.kind());
        assertEquals(
                "shard " + second.device() + " (layers 1 to 1): lora.gguf: tensor a: bad",
                refused.getMessage());
        assertEquals(List.of(add, new AdapterChange.Remove(3)), first.changes);
        assertEquals(first.changes, second.changes);
    }

    @Test
    void aShardThatIsLostIsNamedOnce() {
        second.refusal = Optional.of(new ShardLostException("shard x is lost: killed"));

        assertEquals("shard x is lost: killed", refused(add).getMessage());
        assertEquals(new AdapterChange.Remove(3), first.changes.getLast());
    }

    @Test
    void aRequestHoldsItsAdapterUntilItEnds() {
        AdapterLeases leases = new AdapterLeases(List.of());
        leases.add(0, "x");
        LeasingEngine leasing = new LeasingEngine(engine, leases);
        LoraScales scales = new LoraScales(List.of(1f), List.of("x"));
        CompletableFuture<Boolean> freeBeforeTheEnd = new CompletableFuture<>();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        List<CompletableFuture<Void>> unused = new ArrayList<>();

        leasing.submit(
                new GenerationRequest(
                        new GenerationRequest.Prompt(
                                new int[] {7}, new int[0], CacheScope.none().with(scales)),
                        new GenerationRequest.Ending(2, Set.of()),
                        GenerationRequest.Choice.of(SamplingOptions.greedy())),
                new GenerationListener() {
                    @Override
                    public boolean onToken(GeneratedToken token) {
                        if (unused.isEmpty()) {
                            unused.add(leases.retire(0));
                        }
                        return true;
                    }

                    @Override
                    public void onEnd(GenerationEnd end) {
                        freeBeforeTheEnd.complete(unused.getFirst().isDone());
                        ended.complete(null);
                    }

                    @Override
                    public void onError(VarveException error) {
                        ended.completeExceptionally(error);
                    }
                });

        ended.join();
        assertFalse(freeBeforeTheEnd.join());
        unused.getFirst().join();
        assertTrue(
                assertThrows(VarveException.class, () -> leases.acquire(scales))
                        .getMessage()
                        .contains("it was removed"));
    }
}

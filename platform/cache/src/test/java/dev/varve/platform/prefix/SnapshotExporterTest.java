package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.sequence.ChunkKind;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.sequence.ScheduledTokens;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.sequence.SequenceEvictionHandler;
import dev.varve.platform.sequence.TokenList;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.RequestedOutput;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Copies to host memory part by part, of sequences that begin alike and may be given up. */
class SnapshotExporterTest {
    private static final int BLOCK = CachedBlock.TOKENS;
    private static final int CONTEXT = 1024;
    private static final int LENGTH = 2 * BLOCK + 88;
    private static final int[] PROMPT = IntStream.range(0, LENGTH).toArray();
    private static final PlainModel MODEL = PlainModel.attentionOnly(3, CONTEXT);
    private static final CacheScope SCOPE = CacheScope.common();

    private final KvCacheManager devices =
            new KvCacheManager(
                    new KvCacheConfig(4 * CONTEXT, 9), false, SequenceEvictionHandler.NONE);
    private final HostPrefixTree tree =
            new HostPrefixTree(new HostMemoryPool(16 << 20), true, () -> 0);
    private final HeldMover mover = new HeldMover();

    /** Positions that were reported as ready. */
    private final List<Integer> kept = new ArrayList<>();

    private final SnapshotExporter exporter =
            new SnapshotExporter(
                    tree,
                    CacheLayout.of(
                            MODEL.shape(),
                            MODEL.shape().allLayers(),
                            new CacheTypes(GgmlType.F32, GgmlType.F32),
                            2 * BLOCK),
                    devices,
                    new FlushingCacheMover(devices, mover),
                    new FailureCounter(System::nanoTime),
                    (scope, checkpoint) -> kept.add(checkpoint.position()));

    /** Moves that are over when the test says so. The rows are zeros. */
    private static final class HeldMover implements CacheMover {
        private final Deque<CompletableFuture<Void>> held = new ArrayDeque<>();

        @Override
        public CompletableFuture<Void> change(CacheChanges changes) {
            throw new AssertionError("nothing moves");
        }

        @Override
        public CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
            for (int i = 0; i < parts.size(); i++) {
                target.accept(i, ByteBuffer.allocate((int) parts.get(i).bytes()));
            }
            held.add(new CompletableFuture<>());
            return held.getLast();
        }

        @Override
        public CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source) {
            throw new AssertionError("nothing is restored");
        }

        void completeAll() {
            held.forEach(move -> move.complete(null));
            held.clear();
        }
    }

    @AfterEach
    void close() {
        mover.completeAll();
        tree.close();
    }

    private SequenceCache computed(int... tokens) {
        SequenceCache sequence =
                devices.begin(
                                new PrefixQuery(
                                        new TokenList(tokens),
                                        ChunkHistory.NONE,
                                        SCOPE,
                                        RequestedOutput.BEST),
                                0)
                        .orElseThrow();
        devices.advance(
                List.of(
                        new ScheduledTokens(
                                sequence, 1, tokens, RequestedOutput.NONE, ChunkKind.WINDOW)),
                List.of());
        return sequence;
    }

    private SnapshotExportTask add(SequenceCache sequence) {
        return exporter.add(sequence, sequence.computed(), sequence.stateRow(), true);
    }

    /** Copies one part after the other, as far as that goes. */
    private void issueAll() {
        while (exporter.step(1) > 0) {
            // The next one.
        }
    }

    private void settle() {
        mover.completeAll();
        exporter.poll();
    }

    private Optional<PrefixMatch> found() {
        return tree.find(SCOPE, PROMPT, LENGTH);
    }

    private void assertWholeAndThenFree() {
        assertTrue(exporter.isIdle());
        assertEquals(LENGTH, found().map(PrefixMatch::position).orElse(0));
        assertEquals(LENGTH, tree.keptTokens());
        tree.clear();
        assertEquals(0, tree.memory().used());
        assertEquals(0, tree.keptTokens());
    }

    @Test
    void sharedBlocksAreCopiedOnce() {
        add(computed(PROMPT));
        add(computed(PROMPT));

        issueAll();
        settle();

        assertEquals(LENGTH * 3L * 2 * 4 * Float.BYTES, exporter.bytes());
        assertWholeAndThenFree();
    }

    @Test
    void nothingIsFoundBeforeTheCopyCompletes() {
        add(computed(PROMPT));

        issueAll();

        assertTrue(found().isEmpty());
        settle();
        assertWholeAndThenFree();
    }

    /** The block is under way and will be taken out: what lies behind it would be lost with it. */
    @Test
    void abandonedBlockIsNoPrefixForOthers() {
        SequenceCache first = computed(PROMPT);
        add(first);
        exporter.step(1);
        add(computed(PROMPT));

        exporter.cancel(first);
        issueAll();
        settle();
        issueAll();
        settle();

        assertWholeAndThenFree();
    }

    @Test
    void cancelledSequenceIsNotFound() {
        SequenceCache sequence = computed(PROMPT);
        add(sequence);
        exporter.step(1);

        exporter.cancel(sequence);
        settle();

        assertTrue(exporter.isIdle());
        assertTrue(found().isEmpty());
        assertEquals(0, tree.memory().used());
    }

    @Test
    void failureAbandonsOnlyThePendingCopies() {
        add(computed(PROMPT));
        issueAll();
        settle();
        int[] other = IntStream.range(1000, 1000 + LENGTH).toArray();
        add(computed(other));
        add(computed(PROMPT));
        exporter.step(1);
        exporter.step(1);

        mover.held
                .getFirst()
                .completeExceptionally(
                        new VarveException(VarveException.Kind.BACKEND_FAILED, "out of order"));
        mover.held.getLast().complete(null);
        issueAll();
        settle();

        assertTrue(tree.find(SCOPE, other, LENGTH).isEmpty());
        assertWholeAndThenFree();
    }

    /** A store would write the checkpoint, and the rows of a block that are not there. */
    @Test
    void checkpointIsReadyOnlyAfterTheBlocksBeforeIt() {
        add(computed(PROMPT));
        issueAll();
        CompletableFuture<Void> firstBlock = mover.held.removeFirst();

        settle();
        List<Integer> before = List.copyOf(kept);
        firstBlock.complete(null);
        exporter.poll();

        assertEquals(List.of(), before);
        assertEquals(List.of(LENGTH), kept);
        assertWholeAndThenFree();
    }

    @Test
    void checkpointIsNeverReadyBehindAFailedBlock() {
        add(computed(PROMPT));
        issueAll();

        mover.held
                .removeFirst()
                .completeExceptionally(
                        new VarveException(VarveException.Kind.BACKEND_FAILED, "out of order"));
        settle();

        assertEquals(List.of(), kept);
        assertTrue(found().isEmpty());
        assertEquals(0, tree.memory().used());
    }

    @Test
    void flushedSequenceIsCopiedAtOnce() {
        SequenceCache sequence = computed(PROMPT);
        SnapshotExportTask unripe = exporter.add(sequence, LENGTH, sequence.stateRow(), false);
        add(sequence);
        assertFalse(unripe.isComputed());

        exporter.flush(sequence);

        settle();
        assertWholeAndThenFree();
    }
}

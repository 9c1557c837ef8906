package dev.varve.platform.prefix;

import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.store.ArchiveMissException;
import dev.varve.platform.store.ObjectKey;
import dev.varve.platform.store.ObjectTarget;
import dev.varve.platform.store.ReadableArchive;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A load of blocks and a checkpoint from a store into reserved host memory. Reader threads read the
 * bytes; the engine's thread does everything else.
 */
final class StorePrefetch implements PrefixPrefetch {
    private final HostPrefixTree tree;
    private final CacheSource from;
    private final BooleanSupplier isAwaited;
    private final List<Item> items = new ArrayList<>();
    private final List<FeaturePrefetch> features = new ArrayList<>();
    private Optional<CachedBlock> last = Optional.empty();
    private Optional<Checkpoint> checkpoint = Optional.empty();

    /** A checkpoint that host memory already has; it is only pinned against eviction. */
    private Optional<Checkpoint> passed = Optional.empty();

    private final List<FeaturePage> pinnedPages = new ArrayList<>();
    private CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    private boolean taken;

    /** One object to read, with its target. */
    private record Item(
            ObjectKey key,
            int[] ids,
            int position,
            LayerBuffers pieces,
            Optional<CachedBlock> block,
            LoadedHeader header) {}

    /**
     * Header that was read before the bytes. A reader thread sets it before the engine's thread is
     * notified.
     */
    private static final class LoadedHeader {
        private Optional<StoredObjectHeader> header = Optional.empty();
    }

    /**
     * @param from tier of the store
     * @param isAwaited whether a request waits for the load; it is unpinned once no request does
     */
    StorePrefetch(HostPrefixTree tree, CacheSource from, BooleanSupplier isAwaited) {
        this.tree = tree;
        this.from = from;
        this.isAwaited = isAwaited;
    }

    /** Adds a block that host memory already has, at the beginning of the prefix. */
    void pass(CachedBlock block) {
        block.pin();
        last.ifPresent(tree::unpin);
        last = Optional.of(block);
    }

    /** Adds a checkpoint that host memory already has, at the end of the prefix. */
    void pass(Checkpoint end) {
        end.pin();
        passed = Optional.of(end);
    }

    /** Pins hidden states that host memory already has, so that the load does not evict them. */
    void pin(FeaturePage page) {
        page.pin();
        pinnedPages.add(page);
    }

    /** Adds a reserved block, which is pinned. */
    void add(ObjectKey key, CachedBlock block) {
        block.load();
        last.ifPresent(tree::unpin);
        last = Optional.of(block);
        items.add(
                new Item(
                        key,
                        block.tokens(),
                        block.end(),
                        block.rows(),
                        Optional.of(block),
                        new LoadedHeader()));
    }

    /** Adds a reserved checkpoint, which is pinned. */
    void add(ObjectKey key, Checkpoint reserved) {
        checkpoint = Optional.of(reserved);
        items.add(
                new Item(
                        key,
                        reserved.tail(),
                        reserved.position(),
                        reserved.pieces(),
                        Optional.empty(),
                        new LoadedHeader()));
    }

    /** Adds hidden states whose memory is reserved. */
    void add(FeaturePrefetch states) {
        features.add(states);
    }

    /** Whether nothing has to be read. */
    boolean isEmpty() {
        return items.isEmpty() && features.isEmpty();
    }

    /** Returns the match that a request which resumes from a position will find. */
    PrefixMatch found(int position) {
        List<CachedBlock> blocks =
                last.orElseThrow().pathToRoot().stream().filter(block -> block.end() > 0).toList();
        return new PrefixMatch(blocks.reversed(), checkpoint, position);
    }

    /** Starts reading; {@code done} runs on a reader thread once all reads have ended. */
    void start(ReadableArchive archive, Executor readers, Runnable done) {
        Stream<Runnable> reads =
                Stream.concat(
                        items.stream().map(item -> () -> read(archive, item)),
                        features.stream().map(states -> () -> states.read(archive)));
        all =
                CompletableFuture.allOf(
                        reads.map(each -> CompletableFuture.runAsync(each, readers))
                                .toArray(CompletableFuture<?>[]::new));
        all.whenComplete((nothing, failure) -> done.run());
    }

    private static void read(ReadableArchive archive, Item item) {
        try {
            archive.read(item.key(), new Target(item));
        } catch (ArchiveMissException e) {
            throw new CompletionException(e);
        }
    }

    /** Target of the bytes of an object. */
    private record Target(Item item) implements ObjectTarget {
        @Override
        public boolean accept(ByteBuffer header, long bytes) {
            long[] sizes =
                    item.pieces().parts().stream().mapToLong(HostAllocation::bytes).toArray();
            item.header().header =
                    StoredObjectHeader.decode(header).filter(read -> read.fits(item.ids(), sizes));
            boolean complete =
                    item.block().isPresent()
                            || item.header()
                                    .header
                                    .filter(read -> read.chunkHistory().end() == item.position())
                                    .isPresent();
            return complete && item.header().header.isPresent() && bytes == item.pieces().bytes();
        }

        @Override
        public void write(long offset, ByteBuffer bytes) {
            item.pieces().write(offset, bytes);
        }
    }

    @Override
    public boolean isOver() {
        return taken;
    }

    /** Adopts the read data once all reads have ended; gives up if one failed. */
    void take() {
        if (!hasEndedLoad()) {
            return;
        }
        taken = true;
        unpinAll();
        if (all.isCompletedExceptionally()) {
            giveUp();
            return;
        }
        for (Item item : items) {
            StoredObjectHeader header = item.header().header.orElseThrow();
            item.block().ifPresent(block -> block.markLoaded(header.chunkHistoryDigest(), from));
            if (item.block().isEmpty()) {
                checkpoint.orElseThrow().markLoaded(header.chunkHistory(), from);
            }
        }
        features.forEach(FeaturePrefetch::take);
    }

    /**
     * Runs {@code work} after all reads have succeeded: on a reader thread, or on the calling
     * thread if they have ended already.
     */
    void whenRead(Runnable work) {
        all.thenRun(work);
    }

    /**
     * Calls {@code work} with the success of all reads after they have ended, in the way of {@link
     * #whenRead}.
     */
    void whenEnded(Consumer<Boolean> work) {
        all.whenComplete((nothing, failure) -> work.accept(failure == null));
    }

    /** Bytes to read into blocks and the checkpoint. */
    long bytes() {
        return items.stream().mapToLong(item -> item.pieces().bytes()).sum();
    }

    /** Whether the data was read and adopted. */
    boolean isAdopted() {
        return taken && all.isDone() && !all.isCompletedExceptionally();
    }

    /** Whether all reads have ended and the data is not adopted yet. */
    boolean hasEndedLoad() {
        return !taken && all.isDone();
    }

    /**
     * Unpins everything once no request waits for it; returns whether nothing is pinned any more.
     */
    boolean isReleased() {
        if (taken && !isAwaited.getAsBoolean()) {
            release();
        }
        return taken && last.isEmpty() && checkpoint.isEmpty() && passed.isEmpty();
    }

    /** Removes from the tree the objects that will not be loaded. No reader may be active. */
    void giveUp() {
        taken = true;
        unpinAll();
        features.forEach(FeaturePrefetch::giveUp);
        passed.ifPresent(Checkpoint::unpin);
        passed = Optional.empty();
        checkpoint.ifPresent(tree::remove);
        checkpoint = Optional.empty();
        List<CachedBlock> blocks = items.stream().flatMap(item -> item.block().stream()).toList();
        last.filter(block -> !block.isLoading()).ifPresent(tree::unpin);
        last = Optional.empty();
        if (!blocks.isEmpty()) {
            tree.abandon(blocks.getFirst());
        }
    }

    private void unpinAll() {
        pinnedPages.forEach(FeaturePage::unpin);
        pinnedPages.clear();
    }

    private void release() {
        checkpoint.ifPresent(Checkpoint::unpin);
        passed.ifPresent(Checkpoint::unpin);
        passed = Optional.empty();
        last.ifPresent(tree::unpin);
        checkpoint = Optional.empty();
        last = Optional.empty();
    }

    /** Chunk boundaries of a reserved checkpoint until the stored ones are known. */
    static final ChunkHistory UNKNOWN = ChunkHistory.NONE;
}

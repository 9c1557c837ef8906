package dev.varve.platform.prefix;

import dev.varve.platform.sequence.ChunkBoundaries;
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
import java.util.stream.Stream;

/**
 * Blocks and a checkpoint on their way from a store to host memory, where room is reserved for
 * them. The reading is done by other threads, everything else by the engine's.
 */
final class StoreLoad implements PrefixLoad {
    private final PrefixTree tree;
    private final CacheSource from;
    private final BooleanSupplier wanted;
    private final List<Item> items = new ArrayList<>();
    private final List<FeatureLoad> features = new ArrayList<>();
    private Optional<TokenBlock> last = Optional.empty();
    private Optional<Checkpoint> checkpoint = Optional.empty();

    /** Was there before: it only must not give way. */
    private Optional<Checkpoint> passed = Optional.empty();

    private final List<FeaturePage> held = new ArrayList<>();
    private CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    private boolean taken;

    /** Something that is read, and what becomes of it. */
    private record Item(
            ObjectKey key,
            int[] ids,
            int position,
            LayerBuffers pieces,
            Optional<TokenBlock> block,
            Holder header) {}

    /** What was read before the bytes; other threads set it before the engine's hears of it. */
    private static final class Holder {
        private Optional<StoredHeader> header = Optional.empty();
    }

    /**
     * @param from where the store is
     * @param wanted whether somebody waits for it; it is not kept from giving way any more once
     *     nobody does
     */
    StoreLoad(PrefixTree tree, CacheSource from, BooleanSupplier wanted) {
        this.tree = tree;
        this.from = from;
        this.wanted = wanted;
    }

    /** Adds a block that is there: the way begins with it. */
    void pass(TokenBlock block) {
        block.pin();
        last.ifPresent(tree::unpin);
        last = Optional.of(block);
    }

    /** Adds a checkpoint that is there: the way ends with it. */
    void pass(Checkpoint end) {
        end.pin();
        passed = Optional.of(end);
    }

    /** Keeps hidden states that are there from giving way to those that are read. */
    void hold(FeaturePage page) {
        page.pin();
        held.add(page);
    }

    /** Adds a block that was reserved, which is pinned. */
    void add(ObjectKey key, TokenBlock block) {
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
                        new Holder()));
    }

    /** Adds a checkpoint that was reserved, which is pinned. */
    void add(ObjectKey key, Checkpoint reserved) {
        checkpoint = Optional.of(reserved);
        items.add(
                new Item(
                        key,
                        reserved.tail(),
                        reserved.position(),
                        reserved.pieces(),
                        Optional.empty(),
                        new Holder()));
    }

    /** Adds hidden states, for which room is reserved. */
    void add(FeatureLoad states) {
        features.add(states);
    }

    /** Whether there is nothing to read. */
    boolean isEmpty() {
        return items.isEmpty() && features.isEmpty();
    }

    /** What a request will find that goes on from a position. */
    PrefixMatch found(int position) {
        List<TokenBlock> blocks =
                last.orElseThrow().wayUp().stream().filter(block -> block.end() > 0).toList();
        return new PrefixMatch(blocks.reversed(), checkpoint, position);
    }

    /** Begins to read. */
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

    /** Where the bytes go. */
    private record Target(Item item) implements ObjectTarget {
        @Override
        public boolean accept(ByteBuffer header, long bytes) {
            long[] sizes =
                    item.pieces().parts().stream().mapToLong(HostAllocation::bytes).toArray();
            item.header().header =
                    StoredHeader.decode(header).filter(read -> read.fits(item.ids(), sizes));
            boolean complete =
                    item.block().isPresent()
                            || item.header()
                                    .header
                                    .filter(read -> read.cuts().end() == item.position())
                                    .isPresent();
            return complete && item.header().header.isPresent() && bytes == item.pieces().bytes();
        }

        @Override
        public void take(long offset, ByteBuffer bytes) {
            item.pieces().write(offset, bytes);
        }
    }

    @Override
    public boolean isOver() {
        return taken;
    }

    /** Takes in what was read, once all of it was. */
    void take() {
        if (!hasNews()) {
            return;
        }
        taken = true;
        letGo();
        if (all.isCompletedExceptionally()) {
            giveUp();
            return;
        }
        for (Item item : items) {
            StoredHeader header = item.header().header.orElseThrow();
            item.block().ifPresent(block -> block.becomeLoaded(header.cutsDigest(), from));
            if (item.block().isEmpty()) {
                checkpoint.orElseThrow().becomeLoaded(header.cuts(), from);
            }
        }
        features.forEach(FeatureLoad::take);
    }

    /** Has something done once all was read, by another thread. */
    void whenRead(Runnable work) {
        all.thenRun(work);
    }

    /** Whether all was read, and nobody has taken it in. */
    boolean hasNews() {
        return !taken && all.isDone();
    }

    /** Whether it keeps nothing from giving way. */
    boolean isReleased() {
        if (taken && !wanted.getAsBoolean()) {
            release();
        }
        return taken && last.isEmpty() && checkpoint.isEmpty() && passed.isEmpty();
    }

    /** Takes out of the tree what will not come. Nobody may be reading. */
    void giveUp() {
        taken = true;
        letGo();
        features.forEach(FeatureLoad::giveUp);
        passed.ifPresent(Checkpoint::unpin);
        passed = Optional.empty();
        checkpoint.ifPresent(tree::remove);
        checkpoint = Optional.empty();
        List<TokenBlock> blocks = items.stream().flatMap(item -> item.block().stream()).toList();
        last.filter(block -> !block.isLoading()).ifPresent(tree::unpin);
        last = Optional.empty();
        if (!blocks.isEmpty()) {
            tree.abandon(blocks.getFirst());
        }
    }

    private void letGo() {
        held.forEach(FeaturePage::unpin);
        held.clear();
    }

    private void release() {
        checkpoint.ifPresent(Checkpoint::unpin);
        passed.ifPresent(Checkpoint::unpin);
        passed = Optional.empty();
        last.ifPresent(tree::unpin);
        checkpoint = Optional.empty();
        last = Optional.empty();
    }

    /** The cuts that stand for none, until those that were stored are known. */
    static final ChunkBoundaries UNKNOWN = ChunkBoundaries.NONE;
}

package dev.varve.platform.prefix;

import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.SequenceChunk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * Exports computed sequences to host memory: their blocks in order, then the state after them, a
 * few MiB at a time. Skips the blocks that host memory has already.
 */
final class SnapshotExporter {
    private static final System.Logger LOG = System.getLogger("dev.varve.prefix");

    private static final String FAILED = "a prefix could not be copied to host memory";

    /** Marks a failed export, in place of its number of bytes. */
    private static final long FAILURE = -1;

    /** Minimum distance in tokens from another checkpoint. */
    static final int LEAST_GAIN = 8;

    private final PrefixTree tree;
    private final CacheLayout layout;
    private final KvCacheManager devices;
    private final OrderedCacheMover mover;
    private final FailureCounter failures;
    private final BiConsumer<CacheScope, Checkpoint> kept;
    private final List<SnapshotExport> departures = new ArrayList<>();
    private final List<BlockCopy> underWay = new ArrayList<>();

    /** Positions whose checkpoints are under way. */
    private final Set<End> arriving = new HashSet<>();

    private long bytes;

    /** A position of a sequence. */
    private record End(CachedSequence place, int position) {}

    /**
     * @param kept receives every checkpoint that is ready
     */
    SnapshotExporter(
            PrefixTree tree,
            CacheLayout layout,
            KvCacheManager devices,
            OrderedCacheMover mover,
            FailureCounter failures,
            BiConsumer<CacheScope, Checkpoint> kept) {
        this.kept = kept;
        this.tree = tree;
        this.layout = layout;
        this.devices = devices;
        this.mover = mover;
        this.failures = failures;
    }

    /** Bytes copied so far. */
    long bytes() {
        return bytes;
    }

    /** Adds an export of a position of a sequence, whose state is in the given row. */
    SnapshotExport add(CachedSequence place, int position, int row, boolean ripe) {
        SnapshotExport departure = new SnapshotExport(place, position, row, ripe);
        devices.hold(row);
        departures.add(departure);
        return departure;
    }

    /** Whether no copy is pending or under way. */
    boolean isIdle() {
        return departures.isEmpty() && underWay.isEmpty();
    }

    /** Whether the export of a position is pending or under way. */
    boolean awaits(CachedSequence place, int position) {
        return departures.stream()
                        .anyMatch(each -> each.place() == place && each.position() == position)
                || arriving.contains(new End(place, position));
    }

    /**
     * Copies the next few bytes.
     *
     * @param most approximate maximum number of bytes
     * @return number of bytes; 0 if nothing can be copied at this moment
     */
    long step(long most) {
        for (SnapshotExport departure : List.copyOf(departures)) {
            if (departure.isRipe()) {
                long issued = guarded(departure, () -> step(departure, most));
                if (issued > 0) {
                    return issued;
                }
            }
        }
        return 0;
    }

    private long step(SnapshotExport departure, long most) {
        if (departure.filling().isEmpty() && !tree.memory().prepare(mostBytes(departure))) {
            return HostMemoryPool.SLAB_BYTES;
        }
        return next(departure).map(filling -> issue(departure, filling, most)).orElse(0L);
    }

    /** Runs a part of an export; a failure ends this export only, because no request needs it. */
    private long guarded(SnapshotExport departure, LongSupplier part) {
        long issued = failures.guard(FAILED, part::getAsLong, FAILURE);
        if (issued == FAILURE && departures.contains(departure)) {
            end(departure);
        }
        return Math.max(0, issued);
    }

    private long issue(SnapshotExport departure, BlockCopy filling, long most) {
        long issued = filling.issue(mover, most);
        bytes += issued;
        if (filling.isIssued()) {
            departure.fill(Optional.empty());
        }
        return issued;
    }

    /**
     * Returns the next copy of an export; ends the export if there is none. Empty also if it waits
     * for another copy.
     */
    private Optional<BlockCopy> next(SnapshotExport departure) {
        if (departure.filling().isPresent()) {
            return departure.filling();
        }
        if (departure.reached().isEmpty() && !mayFit(departure)) {
            end(departure);
            return Optional.empty();
        }
        TokenBlock at = departure.reached().orElseGet(() -> begin(departure));
        for (Optional<int[]> ids = departure.blockBehind(at);
                ids.isPresent();
                ids = departure.blockBehind(at)) {
            Optional<TokenBlock> known = at.child(ids.get());
            if (known.isPresent() && isHalfIssued(known.get())) {
                return Optional.empty();
            }
            if (known.isEmpty()) {
                return open(departure, at, ids.get());
            }
            at = advance(departure, known.get());
        }
        return openCheckpoint(departure, at);
    }

    /** Whether an incomplete block may still be given up, so that it would be removed again. */
    private boolean isHalfIssued(TokenBlock block) {
        return block.isLoading()
                || underWay.stream().anyMatch(each -> each.isOf(block.rows()) && !each.isIssued());
    }

    private boolean mayFit(SnapshotExport departure) {
        long rows = layout.bytesPerToken() * departure.position();
        long states = bytes(states(departure));
        return rows + states <= tree.memory().limit();
    }

    /** Maximum bytes of the next block or checkpoint. */
    private long mostBytes(SnapshotExport departure) {
        List<CachePart> states = states(departure);
        return bytes(states)
                + TokenBlock.TOKENS * layout.bytesPerToken()
                + (long) HostMemoryPool.CELL_BYTES * (states.size() + layout.rowBytes(1).length);
    }

    private List<CachePart> states(SnapshotExport departure) {
        return layout.forgets() ? layout.states(departure.row(), departure.position()) : List.of();
    }

    private static long bytes(List<CachePart> parts) {
        return parts.stream().mapToLong(CachePart::bytes).sum();
    }

    private TokenBlock begin(SnapshotExport departure) {
        TokenBlock root = tree.root(departure.scope());
        root.pin();
        departure.reach(root);
        return root;
    }

    private TokenBlock advance(SnapshotExport departure, TokenBlock next) {
        next.pin();
        departure.reached().ifPresent(tree::unpin);
        departure.reach(next);
        departure.features().page(next.end()).ifPresent(next::keep);
        return next;
    }

    private Optional<BlockCopy> open(SnapshotExport departure, TokenBlock at, int[] ids) {
        Optional<TokenBlock> block =
                tree.reserveBlock(
                        at,
                        ids,
                        departure.cuts().digest(at.end() + TokenBlock.TOKENS),
                        layout.rowBytes(TokenBlock.TOKENS));
        if (block.isEmpty()) {
            LOG.log(System.Logger.Level.DEBUG, "host memory has no room for a prefix");
            end(departure);
            return Optional.empty();
        }
        advance(departure, block.get());
        LayerBuffers rows = block.get().rows();
        int position = at.end();
        return Optional.of(
                fill(
                        departure,
                        rows,
                        () -> rows(departure, rows, position, TokenBlock.TOKENS),
                        outcome(block.get())));
    }

    private Optional<BlockCopy> openCheckpoint(SnapshotExport departure, TokenBlock at) {
        int[] tail = departure.tail(at);
        keepFeatures(departure, at, tail);
        Optional<BlockCopy> filling = Optional.empty();
        if (isWorthIt(departure, at, tail)) {
            filling =
                    tree.reserveCheckpoint(
                                    at, tail, departure.cuts(), sizes(departure, tail.length))
                            .map(checkpoint -> fill(departure, checkpoint));
        }
        if (filling.isEmpty()) {
            end(departure);
        }
        return filling;
    }

    /** Adds hidden states to existing checkpoints, which may lack them. */
    private static void keepFeatures(SnapshotExport departure, TokenBlock at, int[] tail) {
        for (Checkpoint other : at.checkpoints()) {
            if (begins(other.tail(), tail)) {
                departure.features().page(other.position()).ifPresent(other::keep);
            }
        }
    }

    private boolean isWorthIt(SnapshotExport departure, TokenBlock at, int[] tail) {
        for (Checkpoint other : at.checkpoints()) {
            if (begins(other.tail(), tail) && tail.length - other.tail().length < LEAST_GAIN) {
                return false;
            }
        }
        return departure.position() >= LEAST_GAIN;
    }

    private static boolean begins(int[] known, int[] tail) {
        return known.length <= tail.length
                && Arrays.equals(known, 0, known.length, tail, 0, known.length);
    }

    /** Descriptors for the first buffers of some pieces and the current place of their rows. */
    private List<TransferDescriptor> rows(
            SnapshotExport departure, LayerBuffers pieces, int position, int count) {
        List<TransferDescriptor> parts = new ArrayList<>();
        List<List<CachePart>> layers = layout.rows(departure.place().rows(position, count));
        for (int i = 0; i < layers.size(); i++) {
            parts.add(new TransferDescriptor(pieces.parts().get(i), position, layers.get(i)));
        }
        return parts;
    }

    private List<TransferDescriptor> checkpointParts(
            SnapshotExport departure, Checkpoint checkpoint) {
        int tail = checkpoint.tail().length;
        LayerBuffers pieces = checkpoint.pieces();
        List<TransferDescriptor> parts = new ArrayList<>();
        if (tail > 0) {
            parts.addAll(rows(departure, pieces, checkpoint.block().end(), tail));
        }
        for (CachePart state : states(departure)) {
            parts.add(TransferDescriptor.whole(pieces.parts().get(parts.size()), state));
        }
        return parts;
    }

    private BlockCopy fill(SnapshotExport departure, Checkpoint checkpoint) {
        departure.features().page(checkpoint.position()).ifPresent(checkpoint::keep);
        return fill(
                departure,
                checkpoint.pieces(),
                () -> checkpointParts(departure, checkpoint),
                outcome(departure, checkpoint));
    }

    private BlockCopy fill(
            SnapshotExport departure,
            LayerBuffers targets,
            Supplier<List<TransferDescriptor>> parts,
            BlockCopy.Outcome outcome) {
        BlockCopy filling = new BlockCopy(targets, parts, outcome);
        departure.fill(Optional.of(filling));
        underWay.add(filling);
        return filling;
    }

    private long[] sizes(SnapshotExport departure, int tail) {
        LongStream rows = tail > 0 ? Arrays.stream(layout.rowBytes(tail)) : LongStream.empty();
        return LongStream.concat(rows, states(departure).stream().mapToLong(CachePart::bytes))
                .toArray();
    }

    private BlockCopy.Outcome outcome(TokenBlock block) {
        return new BlockCopy.Outcome() {
            @Override
            public void ready() {
                block.becomeReady();
                tree.unpin(block);
            }

            @Override
            public void gone() {
                tree.abandon(block);
            }
        };
    }

    private BlockCopy.Outcome outcome(SnapshotExport departure, Checkpoint checkpoint) {
        End end = new End(departure.place(), departure.position());
        arriving.add(end);
        return new BlockCopy.Outcome() {
            @Override
            public void ready() {
                arriving.remove(end);
                checkpoint.becomeReady();
                kept.accept(departure.scope(), checkpoint);
                checkpoint.unpin();
            }

            @Override
            public void gone() {
                arriving.remove(end);
                tree.remove(checkpoint);
            }
        };
    }

    /**
     * Completes the copies that have arrived, in the order of their requests: a checkpoint is not
     * ready before all blocks in front of it, because a store writes it together with them.
     */
    void poll() {
        while (!underWay.isEmpty() && underWay.getFirst().isDone()) {
            BlockCopy first = underWay.getFirst();
            if (first.hasFailed()) {
                first.failure().ifPresent(reason -> failures.count(FAILED, reason));
                abandon();
                return;
            }
            underWay.removeFirst();
            first.end();
        }
    }

    /** Waits for the oldest copy under way, if there is one. */
    void await() {
        underWay.stream().findFirst().ifPresent(BlockCopy::await);
    }

    /** Copies all exports of a sequence at once, because its slots are about to be freed. */
    void flush(CachedSequence place) {
        flush(departures.stream().filter(each -> each.place() == place).toList());
    }

    /** Copies all exports that hold state rows; returns whether there were any. */
    boolean flushRows() {
        List<SnapshotExport> holders =
                departures.stream().filter(each -> each.row() != SequenceChunk.ZERO_ROW).toList();
        flush(holders);
        return !holders.isEmpty();
    }

    private void flush(List<SnapshotExport> some) {
        for (SnapshotExport departure : some) {
            while (departures.contains(departure)) {
                guarded(departure, () -> flush(departure));
            }
        }
    }

    private long flush(SnapshotExport departure) {
        Optional<BlockCopy> next = departure.isRipe() ? next(departure) : Optional.empty();
        if (next.isPresent()) {
            return issue(departure, next.get(), Long.MAX_VALUE);
        }
        if (departures.contains(departure)) {
            end(departure);
        }
        return 0;
    }

    /**
     * Lets a sequence continue in the slots of another one. Exports of positions that both share
     * continue; exports of later positions are copied at once, because their rows will be
     * overwritten.
     *
     * @param shared number of leading tokens that both have
     */
    void handOver(CachedSequence from, CachedSequence to, int shared) {
        flush(
                departures.stream()
                        .filter(each -> each.place() == from && each.position() > shared)
                        .toList());
        departures.stream().filter(each -> each.place() == from).forEach(each -> each.moveTo(to));
    }

    /** Ends all exports of a sequence, because the content of its slots is unknown. */
    void cancel(CachedSequence place) {
        List.copyOf(departures).stream().filter(each -> each.place() == place).forEach(this::end);
    }

    /** Drops an export whose computation failed. */
    void cancel(SnapshotExport departure) {
        if (departures.contains(departure)) {
            end(departure);
        }
    }

    /** Gives up all copies that have not arrived, and waits until none of them writes any more. */
    void abandon() {
        List.copyOf(departures).forEach(this::end);
        underWay.forEach(BlockCopy::await);
        // The later blocks are descendants of the earlier ones.
        for (BlockCopy filling : underWay.reversed()) {
            filling.drop();
        }
        underWay.clear();
    }

    /** Ends an export and releases what it holds. */
    private void end(SnapshotExport departure) {
        departures.remove(departure);
        departure.filling().ifPresent(BlockCopy::giveUp);
        departure.fill(Optional.empty());
        departure.reached().ifPresent(tree::unpin);
        departure.leaveBlocks();
        if (departure.row() != SequenceChunk.ZERO_ROW) {
            devices.release(departure.row());
            departure.releaseRow();
        }
    }
}

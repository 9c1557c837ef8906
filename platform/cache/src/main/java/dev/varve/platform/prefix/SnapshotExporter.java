package dev.varve.platform.prefix;

import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.sequence.SequenceCache;
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

    private final HostPrefixTree tree;
    private final CacheLayout layout;
    private final KvCacheManager devices;
    private final FlushingCacheMover mover;
    private final FailureCounter failures;
    private final BiConsumer<CacheScope, Checkpoint> onCheckpointReady;
    private final List<SnapshotExportTask> exports = new ArrayList<>();
    private final List<BlockExport> inFlight = new ArrayList<>();

    /** Positions whose checkpoints are under way. */
    private final Set<ExportPosition> pendingCheckpoints = new HashSet<>();

    private long bytes;

    /** A position of a sequence. */
    private record ExportPosition(SequenceCache place, int position) {}

    /**
     * @param onCheckpointReady receives every checkpoint that is ready
     */
    SnapshotExporter(
            HostPrefixTree tree,
            CacheLayout layout,
            KvCacheManager devices,
            FlushingCacheMover mover,
            FailureCounter failures,
            BiConsumer<CacheScope, Checkpoint> onCheckpointReady) {
        this.onCheckpointReady = onCheckpointReady;
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
    SnapshotExportTask add(SequenceCache place, int position, int row, boolean computed) {
        SnapshotExportTask export = new SnapshotExportTask(place, position, row, computed);
        devices.retainRow(row);
        exports.add(export);
        return export;
    }

    /** Whether no copy is pending or under way. */
    boolean isIdle() {
        return exports.isEmpty() && inFlight.isEmpty();
    }

    /** Whether the export of a position is pending or under way. */
    boolean awaits(SequenceCache place, int position) {
        return exports.stream()
                        .anyMatch(each -> each.place() == place && each.position() == position)
                || pendingCheckpoints.contains(new ExportPosition(place, position));
    }

    /**
     * Copies the next few bytes.
     *
     * @param most approximate maximum number of bytes
     * @return number of bytes; 0 if nothing can be copied at this moment
     */
    long step(long most) {
        for (SnapshotExportTask export : List.copyOf(exports)) {
            if (export.isComputed()) {
                long issued = guarded(export, () -> step(export, most));
                if (issued > 0) {
                    return issued;
                }
            }
        }
        return 0;
    }

    private long step(SnapshotExportTask export, long most) {
        if (export.copy().isEmpty() && !tree.memory().prepare(mostBytes(export))) {
            return HostMemoryPool.SLAB_BYTES;
        }
        return next(export).map(copy -> issue(export, copy, most)).orElse(0L);
    }

    /** Runs a part of an export; a failure ends this export only, because no request needs it. */
    private long guarded(SnapshotExportTask export, LongSupplier part) {
        long issued = failures.guard(FAILED, part::getAsLong, FAILURE);
        if (issued == FAILURE && exports.contains(export)) {
            end(export);
        }
        return Math.max(0, issued);
    }

    private long issue(SnapshotExportTask export, BlockExport copy, long most) {
        long issued = copy.issue(mover, most);
        bytes += issued;
        if (copy.isIssued()) {
            export.fill(Optional.empty());
        }
        return issued;
    }

    /**
     * Returns the next copy of an export; ends the export if there is none. Empty also if it waits
     * for another copy.
     */
    private Optional<BlockExport> next(SnapshotExportTask export) {
        if (export.copy().isPresent()) {
            return export.copy();
        }
        if (export.reached().isEmpty() && !mayFit(export)) {
            end(export);
            return Optional.empty();
        }
        CachedBlock at = export.reached().orElseGet(() -> begin(export));
        for (Optional<int[]> ids = export.blockBehind(at);
                ids.isPresent();
                ids = export.blockBehind(at)) {
            Optional<CachedBlock> known = at.child(ids.get());
            if (known.isPresent() && isHalfIssued(known.get())) {
                return Optional.empty();
            }
            if (known.isEmpty()) {
                return open(export, at, ids.get());
            }
            at = advance(export, known.get());
        }
        return openCheckpoint(export, at);
    }

    /** Whether an incomplete block may still be given up, so that it would be removed again. */
    private boolean isHalfIssued(CachedBlock block) {
        return block.isLoading()
                || inFlight.stream().anyMatch(each -> each.isOf(block.rows()) && !each.isIssued());
    }

    private boolean mayFit(SnapshotExportTask export) {
        long rows = layout.bytesPerToken() * export.position();
        long states = bytes(states(export));
        return rows + states <= tree.memory().limit();
    }

    /** Maximum bytes of the next block or checkpoint. */
    private long mostBytes(SnapshotExportTask export) {
        List<CachePart> states = states(export);
        return bytes(states)
                + CachedBlock.TOKENS * layout.bytesPerToken()
                + (long) HostMemoryPool.CELL_BYTES * (states.size() + layout.rowBytes(1).length);
    }

    private List<CachePart> states(SnapshotExportTask export) {
        return layout.forgets() ? layout.states(export.row(), export.position()) : List.of();
    }

    private static long bytes(List<CachePart> parts) {
        return parts.stream().mapToLong(CachePart::bytes).sum();
    }

    private CachedBlock begin(SnapshotExportTask export) {
        CachedBlock root = tree.root(export.scope());
        root.pin();
        export.reach(root);
        return root;
    }

    private CachedBlock advance(SnapshotExportTask export, CachedBlock next) {
        next.pin();
        export.reached().ifPresent(tree::unpin);
        export.reach(next);
        export.features().page(next.end()).ifPresent(next::setFeatures);
        return next;
    }

    private Optional<BlockExport> open(SnapshotExportTask export, CachedBlock at, int[] ids) {
        Optional<CachedBlock> block =
                tree.reserveBlock(
                        at,
                        ids,
                        export.chunkHistory().digest(at.end() + CachedBlock.TOKENS),
                        layout.rowBytes(CachedBlock.TOKENS));
        if (block.isEmpty()) {
            LOG.log(System.Logger.Level.DEBUG, "host memory has no room for a prefix");
            end(export);
            return Optional.empty();
        }
        advance(export, block.get());
        LayerBuffers rows = block.get().rows();
        int position = at.end();
        return Optional.of(
                fill(
                        export,
                        rows,
                        () -> rows(export, rows, position, CachedBlock.TOKENS),
                        outcome(block.get())));
    }

    private Optional<BlockExport> openCheckpoint(SnapshotExportTask export, CachedBlock at) {
        int[] tail = export.tail(at);
        exportFeatures(export, at, tail);
        Optional<BlockExport> copy = Optional.empty();
        if (isWorthIt(export, at, tail)) {
            copy =
                    tree.reserveCheckpoint(
                                    at, tail, export.chunkHistory(), sizes(export, tail.length))
                            .map(checkpoint -> fill(export, checkpoint));
        }
        if (copy.isEmpty()) {
            end(export);
        }
        return copy;
    }

    /** Adds hidden states to existing checkpoints, which may lack them. */
    private static void exportFeatures(SnapshotExportTask export, CachedBlock at, int[] tail) {
        for (Checkpoint other : at.checkpoints()) {
            if (begins(other.tail(), tail)) {
                export.features().page(other.position()).ifPresent(other::setFeatures);
            }
        }
    }

    private boolean isWorthIt(SnapshotExportTask export, CachedBlock at, int[] tail) {
        for (Checkpoint other : at.checkpoints()) {
            if (begins(other.tail(), tail) && tail.length - other.tail().length < LEAST_GAIN) {
                return false;
            }
        }
        return export.position() >= LEAST_GAIN;
    }

    private static boolean begins(int[] known, int[] tail) {
        return known.length <= tail.length
                && Arrays.equals(known, 0, known.length, tail, 0, known.length);
    }

    /** Descriptors for the first buffers of some pieces and the current place of their rows. */
    private List<TransferDescriptor> rows(
            SnapshotExportTask export, LayerBuffers pieces, int position, int count) {
        List<TransferDescriptor> parts = new ArrayList<>();
        List<List<CachePart>> layers = layout.rows(export.place().rows(position, count));
        for (int i = 0; i < layers.size(); i++) {
            parts.add(new TransferDescriptor(pieces.parts().get(i), position, layers.get(i)));
        }
        return parts;
    }

    private List<TransferDescriptor> checkpointParts(
            SnapshotExportTask export, Checkpoint checkpoint) {
        int tail = checkpoint.tail().length;
        LayerBuffers pieces = checkpoint.pieces();
        List<TransferDescriptor> parts = new ArrayList<>();
        if (tail > 0) {
            parts.addAll(rows(export, pieces, checkpoint.block().end(), tail));
        }
        for (CachePart state : states(export)) {
            parts.add(TransferDescriptor.whole(pieces.parts().get(parts.size()), state));
        }
        return parts;
    }

    private BlockExport fill(SnapshotExportTask export, Checkpoint checkpoint) {
        export.features().page(checkpoint.position()).ifPresent(checkpoint::setFeatures);
        return fill(
                export,
                checkpoint.pieces(),
                () -> checkpointParts(export, checkpoint),
                outcome(export, checkpoint));
    }

    private BlockExport fill(
            SnapshotExportTask export,
            LayerBuffers targets,
            Supplier<List<TransferDescriptor>> parts,
            BlockExport.CompletionCallback outcome) {
        BlockExport copy = new BlockExport(targets, parts, outcome);
        export.fill(Optional.of(copy));
        inFlight.add(copy);
        return copy;
    }

    private long[] sizes(SnapshotExportTask export, int tail) {
        LongStream rows = tail > 0 ? Arrays.stream(layout.rowBytes(tail)) : LongStream.empty();
        return LongStream.concat(rows, states(export).stream().mapToLong(CachePart::bytes))
                .toArray();
    }

    private BlockExport.CompletionCallback outcome(CachedBlock block) {
        return new BlockExport.CompletionCallback() {
            @Override
            public void onReady() {
                block.markReady();
                tree.unpin(block);
            }

            @Override
            public void onFailure() {
                tree.abandon(block);
            }
        };
    }

    private BlockExport.CompletionCallback outcome(
            SnapshotExportTask export, Checkpoint checkpoint) {
        ExportPosition end = new ExportPosition(export.place(), export.position());
        pendingCheckpoints.add(end);
        return new BlockExport.CompletionCallback() {
            @Override
            public void onReady() {
                pendingCheckpoints.remove(end);
                checkpoint.markReady();
                onCheckpointReady.accept(export.scope(), checkpoint);
                checkpoint.unpin();
            }

            @Override
            public void onFailure() {
                pendingCheckpoints.remove(end);
                tree.remove(checkpoint);
            }
        };
    }

    /**
     * Completes the copies that have arrived, in the order of their requests: a checkpoint is not
     * ready before all blocks in front of it, because a store writes it together with them.
     */
    void poll() {
        while (!inFlight.isEmpty() && inFlight.getFirst().isDone()) {
            BlockExport first = inFlight.getFirst();
            if (first.hasFailed()) {
                first.failure().ifPresent(reason -> failures.count(FAILED, reason));
                abandon();
                return;
            }
            inFlight.removeFirst();
            first.end();
        }
    }

    /** Waits for the oldest copy under way, if there is one. */
    void await() {
        inFlight.stream().findFirst().ifPresent(BlockExport::await);
    }

    /** Copies all exports of a sequence at once, because its slots are about to be freed. */
    void flush(SequenceCache place) {
        flush(exports.stream().filter(each -> each.place() == place).toList());
    }

    /** Copies all exports of computed tokens at once, and waits for the copies. */
    void finish() {
        flush(exports.stream().filter(SnapshotExportTask::isComputed).toList());
        while (!inFlight.isEmpty()) {
            await();
            poll();
        }
    }

    /** Copies all exports that hold state rows; returns whether there were any. */
    boolean flushRows() {
        List<SnapshotExportTask> holders =
                exports.stream().filter(each -> each.row() != SequenceChunk.ZERO_ROW).toList();
        flush(holders);
        return !holders.isEmpty();
    }

    private void flush(List<SnapshotExportTask> some) {
        for (SnapshotExportTask export : some) {
            while (exports.contains(export)) {
                guarded(export, () -> flush(export));
            }
        }
    }

    private long flush(SnapshotExportTask export) {
        Optional<BlockExport> next = export.isComputed() ? next(export) : Optional.empty();
        if (next.isPresent()) {
            return issue(export, next.get(), Long.MAX_VALUE);
        }
        if (exports.contains(export)) {
            end(export);
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
    void handOver(SequenceCache from, SequenceCache to, int shared) {
        flush(
                exports.stream()
                        .filter(each -> each.place() == from && each.position() > shared)
                        .toList());
        exports.stream().filter(each -> each.place() == from).forEach(each -> each.moveTo(to));
    }

    /** Ends all exports of a sequence, because the content of its slots is unknown. */
    void cancel(SequenceCache place) {
        List.copyOf(exports).stream().filter(each -> each.place() == place).forEach(this::end);
    }

    /** Drops an export whose computation failed. */
    void cancel(SnapshotExportTask export) {
        if (exports.contains(export)) {
            end(export);
        }
    }

    /** Gives up all copies that have not arrived, and waits until none of them writes any more. */
    void abandon() {
        List.copyOf(exports).forEach(this::end);
        inFlight.forEach(BlockExport::await);
        // The later blocks are descendants of the earlier ones.
        for (BlockExport copy : inFlight.reversed()) {
            copy.drop();
        }
        inFlight.clear();
    }

    /** Ends an export and releases what it holds. */
    private void end(SnapshotExportTask export) {
        exports.remove(export);
        export.copy().ifPresent(BlockExport::giveUp);
        export.fill(Optional.empty());
        export.reached().ifPresent(tree::unpin);
        export.leaveBlocks();
        if (export.row() != SequenceChunk.ZERO_ROW) {
            devices.release(export.row());
            export.releaseRow();
        }
    }
}

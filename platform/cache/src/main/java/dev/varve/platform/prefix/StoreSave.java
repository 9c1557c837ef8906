package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.store.ObjectDescriptor;
import dev.varve.platform.store.ObjectKey;
import dev.varve.platform.store.ObjectKind;
import dev.varve.platform.store.ObjectSource;
import dev.varve.platform.store.WritableArchive;
import dev.varve.platform.store.WriteResult;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * A write of a checkpoint and the blocks before it from host memory to a store. They stay pinned
 * meanwhile. A writer thread writes.
 */
final class StoreSave {
    private final CacheScope scope;
    private final Checkpoint checkpoint;
    private final List<CachedBlock> blocks;

    /** Hidden states of the blocks, then of the checkpoint; pinned. */
    private final List<Optional<FeaturePage>> features = new ArrayList<>();

    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);

    private enum Phase {
        WAITING,
        WRITING,
        OVER
    }

    /**
     * @param withFeatures whether hidden states are written as well
     */
    StoreSave(CacheScope scope, Checkpoint checkpoint, boolean withFeatures) {
        this.scope = scope;
        this.checkpoint = checkpoint;
        blocks =
                checkpoint.block().pathToRoot().reversed().stream()
                        .filter(block -> block.end() > 0)
                        .toList();
        checkpoint.pin();
        int first = checkpoint.position() - TrailingFeatures.MOST;
        blocks.forEach(
                block ->
                        features.add(
                                block.features()
                                        .filter(page -> withFeatures && block.end() > first)));
        features.add(checkpoint.features().filter(page -> withFeatures));
        pages().forEach(FeaturePage::pin);
    }

    private Stream<FeaturePage> pages() {
        return features.stream().flatMap(Optional::stream);
    }

    /** Bytes that it pins in host memory; other entries may share some of them. */
    long bytes() {
        return checkpoint.bytesAlone() + pages().mapToLong(FeaturePage::usedBytes).sum();
    }

    /** Cancels the write if it has not started; returns whether it did. */
    boolean drop() {
        return phase.compareAndSet(Phase.WAITING, Phase.OVER);
    }

    boolean isOver() {
        return phase.get() == Phase.OVER;
    }

    /** Unpins the checkpoint and its hidden states. */
    void release() {
        checkpoint.unpin();
        pages().forEach(FeaturePage::unpin);
    }

    /**
     * Writes the objects that the store does not have.
     *
     * @param origin names of the tensors that the data came from
     * @param pause called between runs of bytes
     */
    void write(WritableArchive archive, ChainKeys keys, String origin, Runnable pause) {
        if (!phase.compareAndSet(Phase.WAITING, Phase.WRITING)) {
            return;
        }
        try {
            List<ObjectDescriptor> names = new ArrayList<>();
            ObjectKey before = keys.root(scope);
            for (CachedBlock block : blocks) {
                ObjectKey key = keys.block(before, block.tokens());
                StoredObjectHeader header =
                        new StoredObjectHeader(
                                block.tokens(),
                                block.chunkHistoryDigest(),
                                ChunkHistory.NONE,
                                sizes(block.rows()),
                                "");
                ObjectDescriptor name =
                        new ObjectDescriptor(
                                key, before, ObjectKind.BLOCK, block.end(), CachedBlock.TOKENS);
                if (!write(archive, name, header, block.rows(), pause)) {
                    return;
                }
                names.add(name);
                before = key;
            }
            StoredObjectHeader header =
                    new StoredObjectHeader(
                            checkpoint.tail(),
                            0,
                            checkpoint.chunkHistory(),
                            sizes(checkpoint.pieces()),
                            origin);
            ObjectDescriptor name =
                    new ObjectDescriptor(
                            keys.checkpoint(before, checkpoint.tail()),
                            before,
                            ObjectKind.CHECKPOINT,
                            checkpoint.position(),
                            checkpoint.tail().length);
            if (write(archive, name, header, checkpoint.pieces(), pause)) {
                names.add(name);
                writeFeatures(archive, keys, names, pause);
            }
        } finally {
            phase.set(Phase.OVER);
        }
    }

    private static long[] sizes(LayerBuffers pieces) {
        return pieces.parts().stream().mapToLong(HostAllocation::bytes).toArray();
    }

    /** Writes one object; returns whether the store has it afterwards. */
    private static boolean write(
            WritableArchive archive,
            ObjectDescriptor name,
            StoredObjectHeader header,
            LayerBuffers pieces,
            Runnable pause) {
        WriteResult written =
                archive.write(
                        name, new Source(header.encode(), pieces.bytes(), pieces::read, pause));
        return written == WriteResult.WRITTEN || written == WriteResult.KNOWN;
    }

    /** Writes hidden states last: the other objects are useful without them. */
    private void writeFeatures(
            WritableArchive archive, ChainKeys keys, List<ObjectDescriptor> names, Runnable pause) {
        for (int i = 0; i < names.size(); i++) {
            int[] tokens = i < blocks.size() ? blocks.get(i).tokens() : checkpoint.tail();
            Optional<FeaturePage> page =
                    features.get(i).filter(each -> each.begin() < tokens.length);
            if (page.isPresent()) {
                writeFeatures(archive, keys, names.get(i), tokens, page.get(), pause);
            }
        }
    }

    private static void writeFeatures(
            WritableArchive archive,
            ChainKeys keys,
            ObjectDescriptor of,
            int[] tokens,
            FeaturePage page,
            Runnable pause) {
        ObjectKey key = keys.features(page.kind(), of.key());
        FeatureHeader header =
                new FeatureHeader(
                        page.kind(),
                        TrailingFeatures.MOST,
                        of.position(),
                        tokens.length - page.begin(),
                        tokens);
        archive.write(
                new ObjectDescriptor(
                        key, of.parent(), ObjectKind.FEATURES, of.position(), of.tail()),
                new Source(header.encode(), page.bytes(tokens.length), page::read, pause));
    }

    /** Reads bytes, starting at a given one. */
    private interface ByteReader {
        void read(long begin, ByteBuffer to);
    }

    /** Source of the bytes of an object. */
    private record Source(ByteBuffer header, long bytes, ByteReader from, Runnable pause)
            implements ObjectSource {
        @Override
        public ByteBuffer header() {
            return header.duplicate();
        }

        @Override
        public void give(long offset, ByteBuffer target) {
            pause.run();
            from.read(offset, target);
        }
    }
}

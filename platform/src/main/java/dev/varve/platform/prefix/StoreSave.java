package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.CutList;
import dev.varve.platform.store.ObjectKey;
import dev.varve.platform.store.ObjectKind;
import dev.varve.platform.store.ObjectName;
import dev.varve.platform.store.ObjectSource;
import dev.varve.platform.store.SnapshotArchive;
import dev.varve.platform.store.Written;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A checkpoint, with the blocks before it, on its way from host memory to a store. It is pinned
 * meanwhile. Another thread than the engine's writes.
 */
final class StoreSave {
    private final CacheScope scope;
    private final Checkpoint checkpoint;
    private final List<TokenBlock> blocks;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);

    private enum Phase {
        WAITING,
        WRITING,
        OVER
    }

    StoreSave(CacheScope scope, Checkpoint checkpoint) {
        this.scope = scope;
        this.checkpoint = checkpoint;
        blocks =
                checkpoint.block().wayUp().reversed().stream()
                        .filter(block -> block.end() > 0)
                        .toList();
        checkpoint.pin();
    }

    /** Bytes that it keeps in host memory; others may need some of them as well. */
    long bytes() {
        return checkpoint.bytesAlone();
    }

    /** Gives it up, if nobody writes it yet; says whether that is so. */
    boolean drop() {
        return phase.compareAndSet(Phase.WAITING, Phase.OVER);
    }

    boolean isOver() {
        return phase.get() == Phase.OVER;
    }

    /** Lets it give way. */
    void release() {
        checkpoint.unpin();
    }

    /**
     * Writes what is not there yet.
     *
     * @param origin the tensors that it came from
     * @param pause called between runs of bytes
     */
    void write(SnapshotArchive archive, ChainKeys keys, String origin, Runnable pause) {
        if (!phase.compareAndSet(Phase.WAITING, Phase.WRITING)) {
            return;
        }
        try {
            ObjectKey before = keys.root(scope);
            for (TokenBlock block : blocks) {
                ObjectKey key = keys.block(before, block.tokens());
                StoredHeader header =
                        new StoredHeader(
                                block.tokens(),
                                block.cuts(),
                                CutList.NONE,
                                sizes(block.rows()),
                                "");
                ObjectName name =
                        new ObjectName(
                                key, before, ObjectKind.BLOCK, block.end(), TokenBlock.TOKENS);
                if (!write(archive, name, header, block.rows(), pause)) {
                    return;
                }
                before = key;
            }
            StoredHeader header =
                    new StoredHeader(
                            checkpoint.tail(),
                            0,
                            checkpoint.cuts(),
                            sizes(checkpoint.pieces()),
                            origin);
            ObjectName name =
                    new ObjectName(
                            keys.checkpoint(before, checkpoint.tail()),
                            before,
                            ObjectKind.CHECKPOINT,
                            checkpoint.position(),
                            checkpoint.tail().length);
            write(archive, name, header, checkpoint.pieces(), pause);
        } finally {
            phase.set(Phase.OVER);
        }
    }

    private static long[] sizes(Pieces pieces) {
        return pieces.parts().stream().mapToLong(Cells::bytes).toArray();
    }

    /** Returns whether it is there. */
    private static boolean write(
            SnapshotArchive archive,
            ObjectName name,
            StoredHeader header,
            Pieces pieces,
            Runnable pause) {
        if (archive.find(name.key()).isPresent()) {
            return true;
        }
        Written written = archive.write(name, new Source(header.encode(), pieces, pause));
        return written == Written.WRITTEN || written == Written.KNOWN;
    }

    /** Where the bytes come from. */
    private record Source(ByteBuffer header, Pieces pieces, Runnable pause)
            implements ObjectSource {
        @Override
        public ByteBuffer header() {
            return header.duplicate();
        }

        @Override
        public long bytes() {
            return pieces.bytes();
        }

        @Override
        public void give(long offset, ByteBuffer target) {
            pause.run();
            pieces.read(offset, target);
        }
    }
}

package dev.varve.platform.prefix;

import dev.varve.platform.store.ArchiveMissException;
import dev.varve.platform.store.ObjectKey;
import dev.varve.platform.store.ObjectTarget;
import dev.varve.platform.store.ReadableArchive;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Hidden states of a block or checkpoint on their way from a store to host memory. What cannot be
 * read is as if it were not there. The reading is done by another thread, everything else by the
 * engine's.
 */
final class FeatureLoad {
    private final FeatureMemory memory;
    private final ObjectKey key;
    private final int end;
    private final int[] tokens;
    private final FeaturePage page;
    private final Consumer<FeaturePage> keep;

    /** Set by the reader, before the engine's thread hears that it is over. */
    private boolean whole;

    /**
     * @param end tokens up to the end of the block or checkpoint
     * @param tokens of it
     * @param page with room for them, pinned
     * @param keep takes the page once it is filled
     */
    FeatureLoad(
            FeatureMemory memory,
            ObjectKey key,
            int end,
            int[] tokens,
            FeaturePage page,
            Consumer<FeaturePage> keep) {
        this.memory = memory;
        this.key = key;
        this.end = end;
        this.tokens = tokens;
        this.page = page;
        this.keep = keep;
    }

    /** Reads; fails never. */
    void read(ReadableArchive archive) {
        try {
            archive.read(key, new Target());
            whole = true;
        } catch (ArchiveMissException e) {
            // The archive has told it and counted it.
            whole = false;
        }
    }

    /** Where the bytes go. */
    private final class Target implements ObjectTarget {
        @Override
        public boolean accept(ByteBuffer header, long bytes) {
            return FeatureHeader.decode(header)
                    .filter(read -> read.fits(page.kind(), end, tokens, bytes))
                    .map(
                            read -> {
                                page.beginAt(tokens.length - read.count());
                                return true;
                            })
                    .orElse(false);
        }

        @Override
        public void take(long offset, ByteBuffer bytes) {
            page.write(offset, bytes);
        }
    }

    /** Takes in what was read. */
    void take() {
        page.unpin();
        if (whole) {
            keep.accept(page);
        } else {
            memory.release(page);
        }
    }

    /** Nobody reads any more, and nobody wants it. */
    void giveUp() {
        page.unpin();
        memory.release(page);
    }
}

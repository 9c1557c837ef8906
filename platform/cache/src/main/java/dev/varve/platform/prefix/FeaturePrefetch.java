package dev.varve.platform.prefix;

import dev.varve.platform.store.ArchiveMissException;
import dev.varve.platform.store.ObjectKey;
import dev.varve.platform.store.ObjectTarget;
import dev.varve.platform.store.ReadableArchive;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A load of the hidden states of a block or checkpoint from a store into host memory. Hidden states
 * that cannot be read count as missing. A reader thread reads; the engine's thread does everything
 * else.
 */
final class FeaturePrefetch {
    private final FeaturePagePool featurePages;
    private final ObjectKey key;
    private final int end;
    private final int[] tokens;
    private final FeaturePage page;
    private final Consumer<FeaturePage> onLoaded;

    /** Set by the reader before the engine's thread is notified of the end. */
    private boolean whole;

    /**
     * @param end number of tokens up to the end of the block or checkpoint
     * @param tokens of the block or checkpoint
     * @param page pinned page with memory for them
     * @param onLoaded receives the page once it is filled
     */
    FeaturePrefetch(
            FeaturePagePool featurePages,
            ObjectKey key,
            int end,
            int[] tokens,
            FeaturePage page,
            Consumer<FeaturePage> onLoaded) {
        this.featurePages = featurePages;
        this.key = key;
        this.end = end;
        this.tokens = tokens;
        this.page = page;
        this.onLoaded = onLoaded;
    }

    /** Reads the hidden states; never throws. */
    void read(ReadableArchive archive) {
        try {
            archive.read(key, new Target());
            whole = true;
        } catch (ArchiveMissException e) {
            // The archive has already logged and counted the failure.
            whole = false;
        }
    }

    /** Target of the bytes. */
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
        public void write(long offset, ByteBuffer bytes) {
            page.write(offset, bytes);
        }
    }

    /** Adopts the hidden states that were read, or frees the page if the read failed. */
    void take() {
        page.unpin();
        if (whole) {
            onLoaded.accept(page);
        } else {
            featurePages.release(page);
        }
    }

    /** Frees the page; no reader may be active. */
    void giveUp() {
        page.unpin();
        featurePages.release(page);
    }
}

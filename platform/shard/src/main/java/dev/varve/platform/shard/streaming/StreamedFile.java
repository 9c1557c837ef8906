package dev.varve.platform.shard.streaming;

import dev.varve.api.ggml.DirectReader;
import dev.varve.api.ggml.MappedFile;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Addresses for a whole file, of which only some ranges have memory. A page at the edge of a range
 * may belong to several ranges, and has memory until the last of them is released.
 */
final class StreamedFile implements AutoCloseable {
    static final long PAGE = DirectReader.PAGE;

    private final MappedFile addresses;
    private final DirectReader reader;

    /** Number of ranges with memory by the first byte of a page at their edge. */
    private final Map<Long, Integer> edges = new HashMap<>();

    private StreamedFile(MappedFile addresses, DirectReader reader) {
        this.addresses = addresses;
        this.reader = reader;
    }

    static StreamedFile open(Path path) {
        DirectReader reader = DirectReader.open(path);
        try {
            MappedFile addresses = MappedFile.openForReading(path);
            addresses.preferSmallPages();
            return new StreamedFile(addresses, reader);
        } catch (RuntimeException | Error e) {
            reader.close();
            throw e;
        }
    }

    MappedFile addresses() {
        return addresses;
    }

    Path path() {
        return addresses.path();
    }

    boolean isDirect() {
        return reader.isDirect();
    }

    /** First byte of the page of an offset. */
    static long floor(long offset) {
        return offset / PAGE * PAGE;
    }

    /** First byte of the first page at or after an offset. */
    static long ceil(long offset) {
        return Math.ceilDiv(offset, PAGE) * PAGE;
    }

    /** Reads whole pages; returns the number of bytes that the file has there. */
    long read(long begin, long end) {
        return reader.read(addresses, begin, end);
    }

    /** Counts the edges of a range that gets memory. */
    void retain(long offset, long bytes) {
        edges.merge(floor(offset), 1, Integer::sum);
        edges.merge(floor(offset + bytes - 1), 1, Integer::sum);
    }

    /** Frees the memory of a range, except pages that other ranges with memory use. */
    void release(long offset, long bytes) {
        long first = floor(offset);
        long last = floor(offset + bytes - 1);
        boolean firstIsFree = forget(first, first == last ? 2 : 1);
        boolean lastIsFree = first == last ? firstIsFree : forget(last, 1);
        long begin = firstIsFree ? first : first + PAGE;
        long end = Math.min(addresses.size(), lastIsFree ? last + PAGE : last);
        if (begin < end) {
            addresses.releasePages(begin, end - begin);
        }
    }

    private boolean forget(long page, int count) {
        return edges.computeIfPresent(page, (key, users) -> users > count ? users - count : null)
                == null;
    }

    @Override
    public void close() {
        addresses.close();
        reader.close();
    }
}

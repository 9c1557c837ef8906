package dev.varve.platform.prefix;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Bytes of some layers, in ascending order of the layers' numbers in the model.
 *
 * @param parts one per layer that keeps something there
 */
record LayerBuffers(List<HostAllocation> parts) {
    static final LayerBuffers NONE = new LayerBuffers(List.of());

    LayerBuffers {
        parts = List.copyOf(parts);
    }

    /** Bytes of the memory that they take. */
    long usedBytes() {
        long sum = 0;
        for (HostAllocation part : parts) {
            sum += HostMemoryPool.rounded(part.bytes());
        }
        return sum;
    }

    /** Bytes of all of them, one behind the other. */
    long bytes() {
        return parts.stream().mapToLong(HostAllocation::bytes).sum();
    }

    /** Takes over what remains of a buffer, as the bytes from {@code begin} on. */
    void write(long begin, ByteBuffer from) {
        int limit = from.limit();
        walk(
                begin,
                limit - from.position(),
                (part, first, count) -> {
                    from.limit(from.position() + (int) count);
                    part.write(first, from);
                    from.limit(limit);
                });
    }

    /** Hands out the bytes from {@code begin} on, as many as remain in a buffer. */
    void read(long begin, ByteBuffer to) {
        walk(begin, to.remaining(), (part, first, count) -> part.read(first, count, to));
    }

    private interface Run {
        void take(HostAllocation part, long first, long count);
    }

    private void walk(long begin, long bytes, Run run) {
        long skipped = 0;
        long at = begin;
        for (HostAllocation part : parts) {
            long count = Math.min(skipped + part.bytes(), begin + bytes) - at;
            if (count > 0) {
                run.take(part, at - skipped, count);
                at += count;
            }
            skipped += part.bytes();
        }
        if (at < begin + bytes) {
            throw new IllegalArgumentException(
                    bytes + " bytes from " + begin + " on of " + skipped);
        }
    }

    void release() {
        parts.forEach(HostAllocation::release);
    }
}

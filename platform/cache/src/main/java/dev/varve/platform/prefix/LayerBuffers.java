package dev.varve.platform.prefix;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Buffers of some layers, in ascending order of the layer numbers.
 *
 * @param parts one per layer that keeps data there
 */
record LayerBuffers(List<HostAllocation> parts) {
    static final LayerBuffers NONE = new LayerBuffers(List.of());

    LayerBuffers {
        parts = List.copyOf(parts);
    }

    /** Bytes of memory in use, rounded up to whole cells. */
    long usedBytes() {
        long sum = 0;
        for (HostAllocation part : parts) {
            sum += HostMemoryPool.rounded(part.bytes());
        }
        return sum;
    }

    /** Total payload bytes of all parts. */
    long bytes() {
        return parts.stream().mapToLong(HostAllocation::bytes).sum();
    }

    /** Writes the remaining bytes of a buffer, starting at byte {@code begin}. */
    void write(long begin, ByteBuffer from) {
        int limit = from.limit();
        visit(
                begin,
                limit - from.position(),
                (part, first, count) -> {
                    from.limit(from.position() + (int) count);
                    part.write(first, from);
                    from.limit(limit);
                });
    }

    /** Reads bytes, starting at byte {@code begin}, until the buffer is full. */
    void read(long begin, ByteBuffer to) {
        visit(begin, to.remaining(), (part, first, count) -> part.read(first, count, to));
    }

    private interface AllocationVisitor {
        void visit(HostAllocation part, long first, long count);
    }

    private void visit(long begin, long bytes, AllocationVisitor run) {
        long skipped = 0;
        long at = begin;
        for (HostAllocation part : parts) {
            long count = Math.min(skipped + part.bytes(), begin + bytes) - at;
            if (count > 0) {
                run.visit(part, at - skipped, count);
                at += count;
            }
            skipped += part.bytes();
        }
        if (at < begin + bytes) {
            throw new IllegalArgumentException(
                    bytes + " bytes from " + begin + " exceed the buffers of " + skipped);
        }
    }

    void release() {
        parts.forEach(HostAllocation::release);
    }
}

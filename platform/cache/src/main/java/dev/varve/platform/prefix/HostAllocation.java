package dev.varve.platform.prefix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * Bytes of a {@link HostMemoryPool}, owned by the caller of {@link HostMemoryPool#allocate} until
 * their release. Any thread may use the bytes, one at a time.
 */
final class HostAllocation {
    private final HostMemoryPool memory;
    private final long bytes;
    private int[] numbers;

    HostAllocation(HostMemoryPool memory, long bytes, int[] numbers) {
        this.memory = memory;
        this.bytes = bytes;
        this.numbers = numbers;
    }

    long bytes() {
        return bytes;
    }

    /** Writes the remaining bytes of a buffer, which must be all bytes of this allocation. */
    void write(ByteBuffer from) {
        if (from.remaining() != bytes) {
            throw new IllegalArgumentException(
                    "expected " + bytes + " bytes, found " + from.remaining());
        }
        write(0, from);
    }

    /** Writes the remaining bytes of a buffer, starting at byte {@code begin}. */
    void write(long begin, ByteBuffer from) {
        require(begin, from.remaining());
        long at = begin;
        while (from.hasRemaining()) {
            ByteBuffer cell = memory.cell(numbers[(int) (at / HostMemoryPool.CELL_BYTES)]);
            int first = (int) (at % HostMemoryPool.CELL_BYTES);
            int count = Math.min(HostMemoryPool.CELL_BYTES - first, from.remaining());
            cell.put(first, from, from.position(), count);
            from.position(from.position() + count);
            at += count;
        }
    }

    /** Reads a run of bytes. */
    void read(long begin, long count, ByteBuffer to) {
        require(begin, count);
        long at = begin;
        while (at < begin + count) {
            ByteBuffer cell = memory.cell(numbers[(int) (at / HostMemoryPool.CELL_BYTES)]);
            int first = (int) (at % HostMemoryPool.CELL_BYTES);
            int part = (int) Math.min(HostMemoryPool.CELL_BYTES - first, begin + count - at);
            to.put(cell.slice(first, part));
            at += part;
        }
    }

    /** Writes a run of floats, starting at byte {@code begin}, a multiple of four. */
    void write(long begin, float[] values, int first, int count) {
        require(begin, (long) count * Float.BYTES);
        int done = 0;
        while (done < count) {
            FloatBuffer cell = floats(begin + (long) done * Float.BYTES);
            int part = Math.min(cell.remaining(), count - done);
            cell.put(values, first + done, part);
            done += part;
        }
    }

    /** Reads a run of floats, as {@link #write(long, float[], int, int)} wrote it. */
    void read(long begin, float[] values, int first, int count) {
        require(begin, (long) count * Float.BYTES);
        int done = 0;
        while (done < count) {
            FloatBuffer cell = floats(begin + (long) done * Float.BYTES);
            int part = Math.min(cell.remaining(), count - done);
            cell.get(values, first + done, part);
            done += part;
        }
    }

    /** Floats from a byte on to the end of its cell. */
    private FloatBuffer floats(long at) {
        ByteBuffer cell = memory.cell(numbers[(int) (at / HostMemoryPool.CELL_BYTES)]);
        return cell.position((int) (at % HostMemoryPool.CELL_BYTES))
                .slice()
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer();
    }

    private void require(long begin, long count) {
        if (begin < 0 || count < 0 || begin + count > bytes) {
            throw new IllegalArgumentException(
                    count + " bytes from " + begin + " exceed the allocation of " + bytes);
        }
    }

    /** Returns the memory to the pool, once. */
    void release() {
        memory.release(numbers);
        numbers = new int[0];
    }
}

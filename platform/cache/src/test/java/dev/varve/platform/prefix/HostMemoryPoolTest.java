package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

class HostMemoryPoolTest {
    private static final int CELL = HostMemoryPool.CELL_BYTES;

    /** More than one slab, of which the last is not a whole one. */
    private static final int CELLS = 150;

    private final HostMemoryPool memory = new HostMemoryPool(CELLS * (long) CELL + 77);

    @AfterEach
    void close() {
        memory.close();
    }

    private static byte[] content(int bytes, long seed) {
        byte[] content = new byte[bytes];
        new SplittableRandom(seed).nextBytes(content);
        return content;
    }

    private static byte[] read(HostAllocation cells, int begin, int count) {
        byte[] read = new byte[count];
        cells.read(begin, count, ByteBuffer.wrap(read));
        return read;
    }

    private HostAllocation filled(byte[] content) {
        HostAllocation cells = memory.allocate(content.length).orElseThrow();
        cells.write(ByteBuffer.wrap(content));
        return cells;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, CELL - 1, CELL, CELL + 1, 3 * CELL, 5 * CELL + 4711})
    void writtenBytesAreReadAtAnyOffset(int bytes) {
        filled(content(9 * CELL, 3)).release();
        byte[] content = content(bytes, bytes);
        HostAllocation cells = filled(content);

        assertEquals(bytes, cells.bytes());
        assertArrayEquals(content, read(cells, 0, bytes));
        for (int begin : new int[] {0, 1, bytes / 2, bytes - 1}) {
            for (int end : new int[] {begin, begin + 1, begin + bytes, bytes}) {
                int to = Math.min(bytes, end);
                assertArrayEquals(
                        Arrays.copyOfRange(content, begin, to),
                        read(cells, begin, to - begin),
                        begin + " to " + to + " of " + bytes);
            }
        }
    }

    @Test
    void accessBeyondTheAllocationIsRefused() {
        HostAllocation cells = memory.allocate(CELL + 10).orElseThrow();

        assertThrows(
                IllegalArgumentException.class, () -> cells.write(ByteBuffer.allocate(CELL + 9)));
        assertThrows(
                IllegalArgumentException.class, () -> cells.write(ByteBuffer.allocate(CELL + 11)));
        assertThrows(IllegalArgumentException.class, () -> read(cells, CELL, 11));
        assertThrows(IllegalArgumentException.class, () -> read(cells, -1, 2));
    }

    @Test
    void allocationsAreLimitedByTheCapacity() {
        assertEquals(CELLS * (long) CELL, memory.limit());
        assertTrue(memory.allocate(CELLS * (long) CELL + 1).isEmpty());
        assertEquals(0, memory.used());
        HostAllocation most = memory.allocate((CELLS - 1) * (long) CELL).orElseThrow();

        assertTrue(memory.allocate(CELL + 1).isEmpty());
        assertTrue(memory.allocate(1).isPresent());
        assertTrue(memory.allocate(1).isEmpty());
        assertEquals(memory.limit(), memory.used());
        most.release();
        assertEquals(CELL, memory.used());
    }

    @Test
    void doubleReleaseFreesOnce() {
        HostAllocation cells = memory.allocate(2 * CELL).orElseThrow();
        HostAllocation other = memory.allocate(CELL).orElseThrow();

        cells.release();
        cells.release();

        assertEquals(CELL, memory.used());
        other.release();
        assertEquals(0, memory.used());
    }

    @Test
    void onlyUnusedMemoryIsReturned() {
        byte[] content = content(3 * CELL, 1);
        HostAllocation cells = filled(content);

        memory.shrink();
        assertArrayEquals(content, read(cells, 0, content.length));

        cells.release();
        memory.shrink();
        assertEquals(0, memory.used());
        assertEquals(CELLS * (long) CELL, memory.limit());
        assertArrayEquals(content, read(filled(content), 0, content.length));
        assertEquals(3 * CELL, memory.used());
    }

    @Test
    void anyOrderOfAllocationAndReleaseKeepsContents() {
        SplittableRandom random = new SplittableRandom(5);
        List<HostAllocation> taken = new ArrayList<>();
        List<byte[]> contents = new ArrayList<>();
        long used = 0;
        for (int i = 0; i < 3000; i++) {
            byte[] content = content(1 + random.nextInt(12 * CELL), i);
            if (random.nextInt(3) > 0
                    && used + HostMemoryPool.rounded(content.length) <= memory.limit()) {
                taken.add(filled(content));
                contents.add(content);
                used += HostMemoryPool.rounded(content.length);
            } else if (!taken.isEmpty()) {
                int index = random.nextInt(taken.size());
                HostAllocation cells = taken.remove(index);
                byte[] expected = contents.remove(index);
                assertArrayEquals(expected, read(cells, 0, expected.length), "step " + i);
                cells.release();
                used -= HostMemoryPool.rounded(expected.length);
            }
            assertEquals(used, memory.used());
        }
    }
}

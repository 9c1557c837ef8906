package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.Random;

/** Memory outside the heap, of the exact size that was requested. */
class HostMemoryAllocationTest {
    /** Around the sizes from which the C library takes memory from the system. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 4096, 131_071, 131_072, 524_288, 2_097_153})
    void everyByteHoldsWhatWasWritten(int bytes) {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        try (HostMemory memory = HostMemory.allocate(bytes)) {
            memory.bytes().put(content);

            byte[] read = new byte[bytes];
            memory.bytes().get(read);
            assertEquals(bytes, memory.bytes().capacity());
            assertArrayEquals(content, read);
        }
    }

    @Test
    void neighboursOfTheMemoryAreOutOfReach() {
        try (HostMemory memory = HostMemory.allocate(100)) {
            ByteBuffer bytes = memory.bytes();

            assertThrows(IndexOutOfBoundsException.class, () -> bytes.put(100, (byte) 1));
            assertThrows(IndexOutOfBoundsException.class, () -> bytes.get(-1));
        }
    }

    @Test
    void negativeSizeIsRefused() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> HostMemory.allocate(-1));

        assertEquals("expected 0 bytes or more, found -1", e.getMessage());
    }

    @Test
    void bytesAreRefusedAfterClose() {
        HostMemory memory = HostMemory.allocate(8);
        ByteBuffer bytes = memory.bytes();
        memory.close();

        assertThrows(IllegalStateException.class, () -> bytes.get(0));
        assertThrows(IllegalStateException.class, memory::close);
    }

    @Test
    void reservedMemoryHoldsWhatWasWritten() {
        try (HostMemory memory = HostMemory.reserve(3_000_000)) {
            memory.bytes().put(2_999_999, (byte) 7);

            assertEquals(3_000_000, memory.bytes().capacity());
            assertEquals(7, memory.bytes().get(2_999_999));
        }
    }
}

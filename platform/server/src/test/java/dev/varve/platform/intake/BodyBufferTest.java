package dev.varve.platform.intake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.Random;

class BodyBufferTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 2048, 8192, 100_000, 3_000_000})
    void partsOfAnySizeAreJoinedWithLittleMemory(int largestPart) {
        Random random = new Random(largestPart);
        byte[] sent = new byte[Math.min(3_000_000, largestPart * 2000)];
        random.nextBytes(sent);
        BodyBuffer body = new BodyBuffer();
        long memory = 0;

        for (int at = 0; at < sent.length; ) {
            int length = Math.min(sent.length - at, 1 + random.nextInt(largestPart));
            memory += body.growth(length);
            body.append(ByteBuffer.wrap(sent, at, length));
            at += length;
        }

        assertEquals(sent.length, body.size());
        assertTrue(
                memory <= Math.max(2L * sent.length, sent.length + (1 << 20)) + 4096,
                memory + " bytes for " + sent.length);
        assertArrayEquals(sent, body.take());
    }

    @Test
    void emptyBodyIsEmpty() {
        assertArrayEquals(new byte[0], new BodyBuffer().take());
    }
}

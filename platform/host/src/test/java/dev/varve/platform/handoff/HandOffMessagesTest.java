package dev.varve.platform.handoff;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.prefix.PrefillPeer;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Tests that messages of the hand-off are read as they were written, and that lengths are checked.
 */
class HandOffMessagesTest {
    private static final PrefillPeer.Job JOB =
            new PrefillPeer.Job(
                    new CacheScope("mieter ä"), new int[] {1, 70_000, 3}, new int[] {2, 3});

    @Test
    void jobIsReadAsItWasWritten() {
        PrefillPeer.Job read = HandOffMessages.job(HandOffMessages.prefill(JOB));

        assertEquals(JOB.scope(), read.scope());
        assertArrayEquals(JOB.tokens(), read.tokens());
        assertArrayEquals(JOB.boundaries(), read.boundaries());
    }

    @Test
    void reportAndNamespaceAreReadAsTheyWereWritten() {
        HandOffMessages.Report report =
                new HandOffMessages.Report(OptionalDouble.of(0.25), 1L << 40);
        byte[] namespace = new byte[32];
        namespace[31] = 7;

        assertEquals(report, HandOffMessages.Report.read(report.message(HandOffMessages.PREFILL)));
        assertArrayEquals(namespace, HandOffMessages.namespace(HandOffMessages.open(namespace)));
    }

    @Test
    void valuesAreReadInTheOrderOfTheirKeys() {
        HandOffMessages.Query query = new HandOffMessages.Query(3, List.of("a", "bc", "d"));

        assertEquals(query, HandOffMessages.query(HandOffMessages.get(query)));
        List<ByteBuffer> values =
                HandOffMessages.values(
                        HandOffMessages.values(
                                List.of(new byte[] {5}, new byte[0], new byte[] {1, 2, 3, 4})),
                        query);
        assertEquals(
                List.of(
                        ByteBuffer.wrap(new byte[] {5}),
                        ByteBuffer.allocate(0),
                        ByteBuffer.wrap(new byte[] {1, 2, 3, 4})),
                values);
        BitSet found = BitSet.valueOf(new long[] {0b101});
        assertEquals(found, HandOffMessages.existing(HandOffMessages.existing(found)));
    }

    /** Every prefix of a message is refused, and no length is believed. */
    @Test
    void truncatedMessagesAreRefused() {
        ByteBuffer whole = HandOffMessages.prefill(JOB).payload();
        for (int length = 0; length < whole.limit(); length++) {
            Message cut =
                    new Message(
                            HandOffMessages.PREFILL,
                            ByteBuffer.allocate(0),
                            whole.slice(0, length));
            assertThrows(WireException.class, () -> HandOffMessages.job(cut), "length " + length);
        }
    }

    @Test
    void invalidNumbersAreRefused() {
        assertRefused("keys", 0, Integer.MAX_VALUE);
        assertRefused("bytes of the values", Integer.MAX_VALUE, 1, 1, 0);
        assertRefused("bytes of the values", -1, 0);
        assertRefused("key", 1, 1, 1000);
    }

    private static void assertRefused(String field, int... numbers) {
        ByteBuffer payload =
                ByteBuffer.allocate(numbers.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        payload.asIntBuffer().put(numbers);
        Message message = new Message(HandOffMessages.GET, ByteBuffer.allocate(0), payload);
        WireException error =
                assertThrows(WireException.class, () -> HandOffMessages.query(message));
        assertTrue(error.getMessage().startsWith(field + ":"), error.getMessage());
    }
}

package dev.varve.platform.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

class FrameHeaderTest {
    private static final int MAX_FRAME = 1 << 20;

    private static ByteBuffer encode(FrameHeader header) {
        ByteBuffer bytes = ByteBuffer.allocate(FrameHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.put(bytes);
        return bytes.flip();
    }

    @Property
    void headerRoundTrips(
            @ForAll @IntRange(max = 65535) int type,
            @ForAll @IntRange(max = 65535) int status,
            @ForAll @IntRange(max = 65536) int metaBytes,
            @ForAll long requestId,
            @ForAll @IntRange(max = MAX_FRAME) int payloadBytes,
            @ForAll @IntRange(min = 0) int chunk,
            @ForAll int crc,
            @ForAll boolean last,
            @ForAll FrameHeader.MessageKind part)
            throws FrameException {
        FrameHeader header =
                new FrameHeader(
                        new FrameHeader.Kind(
                                (last ? FrameHeader.LAST : 0)
                                        | (payloadBytes > 0 ? FrameHeader.PAYLOAD_CRC : 0)
                                        | part.flag(),
                                type,
                                status),
                        requestId,
                        chunk,
                        new FrameHeader.Section(metaBytes, ~crc),
                        new FrameHeader.Section(payloadBytes, crc));

        FrameHeader found = FrameHeader.read(encode(header), MAX_FRAME);

        assertEquals(header, found);
        assertEquals(part, found.part());
    }

    @Test
    void everyFlippedBitIsDetected() {
        FrameHeader header =
                new FrameHeader(
                        new FrameHeader.Kind(5, 100, 0),
                        1,
                        0,
                        new FrameHeader.Section(8, 4321),
                        new FrameHeader.Section(77, 1234));
        for (int bit = 0; bit < 8 * FrameHeader.BYTES; bit++) {
            ByteBuffer bytes = encode(header);
            bytes.put(bit / 8, (byte) (bytes.get(bit / 8) ^ 1 << bit % 8));

            assertThrows(
                    FrameException.class, () -> FrameHeader.read(bytes, MAX_FRAME), "bit " + bit);
        }
    }

    /** With a valid checksum, as a peer sends that is wrong rather than damaged. */
    @ParameterizedTest
    @CsvSource({
        "4, 1, 'protocol version: expected "
                + FrameHeader.VERSION
                + ", found 1; both sides need the same release of Varve'",
        "6, 8, 'frame flags: 0x8 is not known'",
        "12, 65537, 'meta length: expected at most 65536, found 65537'",
        "12, -1, 'meta length: expected at most 65536, found 4294967295'",
        "24, 1048577, 'payload length: expected at most 1048576, found 1048577'",
        "28, -1, 'payload length: expected at most 1048576, found 18446744069414584320'",
        "24, 5, 'payload checksum: missing for 5 bytes'",
        "6, 4, 'payload checksum: given for 0 bytes'",
        "32, -2147483648, 'chunk index: expected at most 2147483647, found 2147483648'"
    })
    void invalidFieldIsNamed(int offset, int value, String reason) {
        ByteBuffer bytes =
                encode(
                        new FrameHeader(
                                new FrameHeader.Kind(0, 100, 0),
                                1,
                                0,
                                FrameHeader.Section.NONE,
                                FrameHeader.Section.NONE));
        if (offset < 12) {
            bytes.order(ByteOrder.LITTLE_ENDIAN).putShort(offset, (short) value);
        } else {
            bytes.order(ByteOrder.LITTLE_ENDIAN).putInt(offset, value);
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), 0, FrameHeader.BYTES - 4);
        bytes.putInt(FrameHeader.BYTES - 4, (int) crc.getValue());

        FrameException error =
                assertThrows(FrameException.class, () -> FrameHeader.read(bytes, MAX_FRAME));

        assertTrue(error.getMessage().contains(reason), error.getMessage());
    }
}

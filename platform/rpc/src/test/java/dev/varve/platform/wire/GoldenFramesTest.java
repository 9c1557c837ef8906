package dev.varve.platform.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;

/** The bytes of version 12. A change here needs another version number. */
class GoldenFramesTest {
    private static String hex(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void headerHasItsBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(FrameHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);

        new FrameHeader(
                        new FrameHeader.Kind(
                                FrameHeader.LAST
                                        | FrameHeader.PAYLOAD_CRC
                                        | FrameHeader.MessageKind.RESULT.flag(),
                                67,
                                14),
                        5,
                        2,
                        new FrameHeader.Section(9, 0x01020304),
                        new FrameHeader.Section(8, 0x0a0b0c0d))
                .put(bytes);

        assertEquals(
                "565256570c00350043000e0009000000050000000000000008000000000000"
                        + "00020000000d0c0b0a040302017ec1bab6",
                hex(bytes.flip()));
    }

    @Test
    void helloHasItsBytes() {
        WireOptions options =
                WireOptions.defaults()
                        .withMaxFrameBytes(2048)
                        .withCredit(4096, 3)
                        .withHeartbeat(Duration.ofMillis(700), 4)
                        .withSharedMemory(SharedMemoryMode.AUTO, 1 << 20)
                        .withIdentity("shard", "varve 1");

        Hello offer =
                Hello.of(
                        options,
                        Optional.of(new RingFileDescriptor(77, 5)),
                        new RingNonce("000102030405060708090a0b0c0d0e0f"),
                        Optional.of("key"));
        Hello answer =
                Hello.of(options, Optional.empty(), RingNonce.NONE, Optional.empty())
                        .withNote("no");

        assertEquals(
                "0c000c0000080000001000000000000003000000bc020000014d0000000000"
                        + "000005000000000102030405060708090a0b0c0d0e0f000010000000000005"
                        + "00736861726407007661727665203103006b65790000",
                hex(offer.encode()));
        assertEquals(
                "0c000c0000080000001000000000000003000000bc0200000000000000000000"
                        + "0000000000000000000000000000000000000000000000100000000000050073"
                        + "68617264070076617276652031000002006e6f",
                hex(answer.encode()));
    }

    @Test
    void failureHasItsBytes() {
        ControlFrame frame =
                ControlFrame.error(
                        3,
                        new WireException(
                                WireErrorCode.OVERLOADED, WireException.Retry.WORTHWHILE, "wait"));

        assertEquals(FrameType.ERROR + " 7", frame.type() + " " + frame.status());
        assertEquals("0177616974", hex(frame.meta()));
    }
}

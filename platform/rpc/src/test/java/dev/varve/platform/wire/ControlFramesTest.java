package dev.varve.platform.wire;

import dev.varve.testkit.GeneratedFile;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Bytes of the protocol's own frames, and the numbers of its errors, as a checked-in list. A change
 * needs another version number. {@link GoldenFramesTest} and the test of messages in {@code remote}
 * have the rest.
 */
class ControlFramesTest {
    private static final String FILES = "platform/rpc/src/test/resources/dev/varve/platform/wire/";

    @Test
    void eachControlFrameHasItsBytes() {
        Hello hello =
                Hello.of(
                        WireOptions.defaults()
                                .withMaxFrameBytes(2048)
                                .withCredit(4096, 3)
                                .withHeartbeat(Duration.ofMillis(700), 4)
                                .withIdentity("shard", "varve 1"),
                        Optional.empty(),
                        RingNonce.NONE,
                        Optional.of("key"));
        Map<String, ControlFrame> frames = new LinkedHashMap<>();
        frames.put("hello", ControlFrame.hello(hello));
        frames.put("hello-ack", ControlFrame.helloAck(hello.withNote("no")));
        frames.put(
                "error",
                ControlFrame.error(
                        3,
                        new WireException(
                                WireErrorCode.OVERLOADED, WireException.Retry.WORTHWHILE, "wait")));
        frames.put("cancel", ControlFrame.cancel(5));
        frames.put("ping", ControlFrame.ping(7));
        frames.put("pong", ControlFrame.pong(7, 1L << 40));
        frames.put("credit", ControlFrame.credit(65_536));
        frames.put("goodbye", ControlFrame.goodbye("done"));

        GeneratedFile.of(FILES + "control-frames.txt")
                .check(
                        frames.entrySet().stream()
                                .map(each -> each.getKey() + " " + hex(each.getValue()) + "\n")
                                .collect(Collectors.joining()));
    }

    @Test
    void eachErrorHasItsNumber() {
        GeneratedFile.of(FILES + "error-codes.txt")
                .check(
                        Arrays.stream(WireErrorCode.values())
                                .map(code -> code.number() + " " + code + "\n")
                                .collect(Collectors.joining()));
    }

    /** Header and meta of a frame. */
    private static String hex(ControlFrame frame) {
        FrameHeader header =
                new FrameHeader(
                        new FrameHeader.Kind(FrameHeader.LAST, frame.type(), frame.status()),
                        frame.requestId(),
                        0,
                        FrameHeader.Section.of(frame.meta()),
                        FrameHeader.Section.NONE);
        ByteBuffer bytes =
                ByteBuffer.allocate(FrameHeader.BYTES + frame.meta().remaining())
                        .order(ByteOrder.LITTLE_ENDIAN);
        header.put(bytes);
        bytes.put(frame.meta().duplicate());
        return HexFormat.of().formatHex(bytes.array());
    }
}

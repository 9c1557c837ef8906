package dev.varve.platform.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * What the sides tell each other first. Little-endian: u16 lowest and u16 highest version, u32
 * largest frame, u64 byte credit, u32 request credit, u32 heartbeat in milliseconds, u8 shared
 * memory (offered, or in the answer: mapped), {@link RingAddress}, 16 bytes nonce and u64 bytes of
 * each ring, then role, build id, token and a note, each u16 length and UTF-8.
 *
 * @param address where the shared memory is; only beside an offer
 * @param note in the answer: why there is no shared memory
 */
record Hello(
        int lowestVersion,
        int highestVersion,
        int maxFrameBytes,
        long byteCredit,
        int requestCredit,
        Duration heartbeat,
        boolean shared,
        RingAddress address,
        RingNonce nonce,
        long ringBytes,
        String role,
        String buildId,
        String token,
        String note) {
    private static final int FIXED_BYTES =
            2 + 2 + 4 + 8 + 4 + 4 + 1 + RingAddress.BYTES + RingNonce.BYTES + 8;

    /** Most bytes of a greeting: nothing longer is read from somebody unknown. */
    static final int MAX_BYTES = FIXED_BYTES + 4 * (2 + 3 * 1024);

    static Hello of(
            WireOptions options, Optional<RingAddress> shared, RingNonce nonce, String token) {
        return new Hello(
                FrameHeader.VERSION,
                FrameHeader.VERSION,
                options.maxFrameBytes(),
                options.byteCredit(),
                options.requestCredit(),
                options.heartbeat(),
                shared.isPresent(),
                shared.orElse(RingAddress.NONE),
                nonce,
                options.ringBytes(),
                options.role(),
                options.buildId(),
                token,
                "");
    }

    Hello withNote(String text) {
        return new Hello(
                lowestVersion,
                highestVersion,
                maxFrameBytes,
                byteCredit,
                requestCredit,
                heartbeat,
                shared,
                address,
                nonce,
                ringBytes,
                role,
                buildId,
                token,
                text.length() > 1024 ? text.substring(0, 1024) : text);
    }

    ByteBuffer encode() {
        ByteBuffer out = ByteBuffer.allocate(MAX_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.putShort((short) lowestVersion)
                .putShort((short) highestVersion)
                .putInt(maxFrameBytes)
                .putLong(byteCredit)
                .putInt(requestCredit)
                .putInt((int) heartbeat.toMillis())
                .put((byte) (shared ? 1 : 0));
        address.put(out);
        out.put(nonce.bytes()).putLong(ringBytes);
        putText(out, role);
        putText(out, buildId);
        putText(out, token);
        putText(out, note);
        return out.flip();
    }

    static Hello decode(ByteBuffer meta) throws FrameException {
        if (meta.remaining() < FIXED_BYTES) {
            throw new FrameException("greeting: found only " + meta.remaining() + " bytes");
        }
        Hello hello =
                new Hello(
                        Short.toUnsignedInt(meta.getShort()),
                        Short.toUnsignedInt(meta.getShort()),
                        meta.getInt(),
                        meta.getLong(),
                        meta.getInt(),
                        Duration.ofMillis(Integer.toUnsignedLong(meta.getInt())),
                        meta.get() == 1,
                        RingAddress.read(meta),
                        RingNonce.read(meta),
                        meta.getLong(),
                        text(meta, "role"),
                        text(meta, "build id"),
                        text(meta, "token"),
                        text(meta, "note"));
        if (meta.hasRemaining()) {
            throw new FrameException("greeting: " + meta.remaining() + " bytes too many");
        }
        if (hello.maxFrameBytes < 1024 || hello.byteCredit < 1024 || hello.requestCredit < 1) {
            throw new FrameException(
                    String.format(
                            Locale.ROOT,
                            "greeting: largest frame %d, byte credit %d, request credit %d",
                            hello.maxFrameBytes,
                            hello.byteCredit,
                            hello.requestCredit));
        }
        return hello;
    }

    private static void putText(ByteBuffer out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.putShort((short) bytes.length).put(bytes);
    }

    private static String text(ByteBuffer meta, String field) throws FrameException {
        int length = meta.remaining() < 2 ? 0xffff : Short.toUnsignedInt(meta.getShort());
        if (length > meta.remaining()) {
            throw new FrameException("greeting: " + field + " is cut short");
        }
        ByteBuffer bytes = meta.slice(meta.position(), length);
        meta.position(meta.position() + length);
        return WireText.decode(bytes);
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "Hello[role=" + role + ", buildId=" + buildId + "]";
    }
}

package dev.varve.platform.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * First message of each side. Little-endian: u16 lowest and u16 highest version, u32 largest frame,
 * u64 byte credit, u32 request credit, u32 heartbeat in milliseconds, u8 shared memory (offered, or
 * in the response: mapped), {@link RingFileDescriptor}, 16 bytes nonce and u64 bytes of each ring,
 * then role, build id, token and a note, each u16 length and UTF-8.
 *
 * @param versions versions that the side supports
 * @param limits how much it accepts
 * @param heartbeat time between two of its pings
 * @param rings the shared memory
 * @param words its texts
 */
record Hello(Versions versions, WireLimits limits, Duration heartbeat, Rings rings, Words words) {
    /** A range of protocol versions, both ends included. */
    record Versions(int lowest, int highest) {
        /** The only version that this release supports. */
        static final Versions OWN = new Versions(FrameHeader.VERSION, FrameHeader.VERSION);
    }

    /**
     * Shared memory.
     *
     * @param address where it is offered, or in the response, which one was mapped; empty: none
     * @param nonce mark of the file
     * @param bytes of each ring
     */
    record Rings(Optional<RingFileDescriptor> address, RingNonce nonce, long bytes) {}

    /**
     * Texts of a hello.
     *
     * @param identity role and build of the side
     * @param token secret; empty in the response
     * @param note in the response: why shared memory is not used
     */
    record Words(WireOptions.Identity identity, Optional<String> token, String note) {}

    private static final int FIXED_BYTES =
            2 + 2 + 4 + 8 + 4 + 4 + 1 + RingFileDescriptor.BYTES + RingNonce.BYTES + 8;

    /** Most bytes of a hello: a longer one from an unauthenticated side is not read. */
    static final int MAX_BYTES = FIXED_BYTES + 4 * (2 + 3 * 1024);

    static Hello of(
            WireOptions options,
            Optional<RingFileDescriptor> shared,
            RingNonce nonce,
            Optional<String> token) {
        return new Hello(
                Versions.OWN,
                options.limits(),
                options.timeouts().heartbeat(),
                new Rings(shared, nonce, options.sharedMemory().ringBytes()),
                new Words(options.identity(), token, ""));
    }

    Hello withNote(String text) {
        String note = text.length() > 1024 ? text.substring(0, 1024) : text;
        return new Hello(
                versions,
                limits,
                heartbeat,
                rings,
                new Words(words.identity(), words.token(), note));
    }

    ByteBuffer encode() {
        ByteBuffer out = ByteBuffer.allocate(MAX_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.putShort((short) versions.lowest())
                .putShort((short) versions.highest())
                .putInt(limits.maxFrameBytes())
                .putLong(limits.byteCredit())
                .putInt(limits.requestCredit())
                .putInt((int) heartbeat.toMillis())
                .put((byte) (rings.address().isPresent() ? 1 : 0));
        rings.address().orElse(RingFileDescriptor.NONE).put(out);
        out.put(rings.nonce().bytes()).putLong(rings.bytes());
        putText(out, words.identity().role());
        putText(out, words.identity().buildId());
        putText(out, words.token().orElse(""));
        putText(out, words.note());
        return out.flip();
    }

    static Hello decode(ByteBuffer meta) throws FrameException {
        if (meta.remaining() < FIXED_BYTES) {
            throw new FrameException("greeting: found only " + meta.remaining() + " bytes");
        }
        Versions versions =
                new Versions(
                        Short.toUnsignedInt(meta.getShort()), Short.toUnsignedInt(meta.getShort()));
        WireLimits limits = new WireLimits(meta.getInt(), meta.getLong(), meta.getInt());
        Duration heartbeat = Duration.ofMillis(Integer.toUnsignedLong(meta.getInt()));
        boolean shared = meta.get() == 1;
        RingFileDescriptor address = RingFileDescriptor.read(meta);
        Rings rings =
                new Rings(
                        shared ? Optional.of(address) : Optional.empty(),
                        RingNonce.read(meta),
                        meta.getLong());
        String role = text(meta, "role");
        String buildId = text(meta, "build id");
        String token = text(meta, "token");
        String note = text(meta, "note");
        if (meta.hasRemaining()) {
            throw new FrameException("greeting: " + meta.remaining() + " bytes too many");
        }
        if (limits.maxFrameBytes() < 1024
                || limits.byteCredit() < 1024
                || limits.requestCredit() < 1) {
            throw new FrameException(
                    String.format(
                            Locale.ROOT,
                            "greeting: largest frame %d, byte credit %d, request credit %d",
                            limits.maxFrameBytes(),
                            limits.byteCredit(),
                            limits.requestCredit()));
        }
        Words words =
                new Words(
                        identity(role, buildId),
                        token.isEmpty() ? Optional.empty() : Optional.of(token),
                        note);
        return new Hello(versions, limits, heartbeat, rings, words);
    }

    /** Reads role and build id; a side whose texts are too long is rejected. */
    private static WireOptions.Identity identity(String role, String buildId)
            throws FrameException {
        try {
            return new WireOptions.Identity(role, buildId);
        } catch (IllegalArgumentException e) {
            throw new FrameException("greeting: " + e.getMessage());
        }
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

    /** Formats the hello without the secret. */
    @Override
    public String toString() {
        return "Hello[" + words.identity() + "]";
    }
}

package dev.varve.platform.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * The {@value #BYTES} bytes in front of each frame, little-endian. After them come {@link
 * #metaBytes} bytes of meta and {@link #payloadBytes} bytes of payload.
 *
 * <table>
 * <caption>Fields</caption>
 * <tr><th>offset</th><th>bytes</th><th>field</th></tr>
 * <tr><td>0</td><td>4</td><td>magic, {@code VRVW}</td></tr>
 * <tr><td>4</td><td>2</td><td>version, {@value #VERSION}</td></tr>
 * <tr><td>6</td><td>2</td><td>flags: bit 0 last frame of its message, bit 1 payload in shared memory, bit 2 payload CRC
 *     present, bit 3 compressed (not used), bits 4 and 5 part: 0 control or continuation, 1 request, 2 progress, 3
 *     result</td></tr>
 * <tr><td>8</td><td>2</td><td>type: {@link FrameType} below 64, else the type of the message</td></tr>
 * <tr><td>10</td><td>2</td><td>status: 0, in error frames the code</td></tr>
 * <tr><td>12</td><td>4</td><td>meta length, at most {@value #MAX_META_BYTES}</td></tr>
 * <tr><td>16</td><td>8</td><td>request id: odd from the side that connected, even from the other, rising; 0 without
 *     request</td></tr>
 * <tr><td>24</td><td>8</td><td>payload length of this frame, at most the negotiated largest frame</td></tr>
 * <tr><td>32</td><td>4</td><td>chunk index, from 0 in each message</td></tr>
 * <tr><td>36</td><td>4</td><td>CRC32C of the payload of this frame, 0 without</td></tr>
 * <tr><td>40</td><td>4</td><td>CRC32C of meta, 0 without</td></tr>
 * <tr><td>44</td><td>4</td><td>CRC32C of bytes 0 to 43, checked before any other field but the magic is used</td></tr>
 * </table>
 */
record FrameHeader(Kind kind, long requestId, int chunk, Section meta, Section payload) {
    /**
     * Kind of a frame.
     *
     * @param flags as in the table
     * @param type as in the table
     * @param status 0, in error frames the code
     */
    record Kind(int flags, int type, int status) {}

    /**
     * Bytes behind the header.
     *
     * @param bytes number of bytes
     * @param crc their CRC32C, 0 if the section is empty
     */
    record Section(int bytes, int crc) {
        /** An empty section. */
        static final Section NONE = new Section(0, 0);

        /** Returns the section for the remaining bytes of a buffer. */
        static Section of(ByteBuffer buffer) {
            return new Section(buffer.remaining(), FrameHeader.crc(buffer));
        }
    }

    static final int BYTES = 48;
    static final int VERSION = 12;

    /** Advice for a version mismatch. */
    static final String SAME_RELEASE = "both sides need the same release of Varve";

    static final int MAX_META_BYTES = 65536;

    static final int LAST = 1;
    static final int SHARED = 1 << 1;
    static final int PAYLOAD_CRC = 1 << 2;

    private static final int PART_SHIFT = 4;
    private static final int PART_MASK = 3 << PART_SHIFT;
    private static final int KNOWN_FLAGS = LAST | SHARED | PAYLOAD_CRC | PART_MASK;
    private static final int MAGIC = 'V' | 'R' << 8 | 'V' << 16 | 'W' << 24;

    /** Part of a call that a frame starts. */
    enum MessageKind {
        /** Nothing: a protocol frame, or more of a message that was started. */
        NONE(0),
        /** A request. */
        REQUEST(1),
        /** A progress message. */
        PROGRESS(2),
        /** The result. */
        RESULT(3);

        private final int number;

        MessageKind(int number) {
            this.number = number;
        }

        int flag() {
            return number << PART_SHIFT;
        }
    }

    int flags() {
        return kind.flags();
    }

    int type() {
        return kind.type();
    }

    int status() {
        return kind.status();
    }

    int metaBytes() {
        return meta.bytes();
    }

    int payloadBytes() {
        return payload.bytes();
    }

    MessageKind part() {
        return switch ((flags() & PART_MASK) >> PART_SHIFT) {
            case 0 -> MessageKind.NONE;
            case 1 -> MessageKind.REQUEST;
            case 2 -> MessageKind.PROGRESS;
            default -> MessageKind.RESULT;
        };
    }

    boolean last() {
        return (flags() & LAST) != 0;
    }

    boolean shared() {
        return (flags() & SHARED) != 0;
    }

    /** Writes the header at the position of the target, which must be little-endian. */
    void put(ByteBuffer target) {
        int start = target.position();
        target.putInt(MAGIC)
                .putShort((short) VERSION)
                .putShort((short) flags())
                .putShort((short) type())
                .putShort((short) status())
                .putInt(meta.bytes())
                .putLong(requestId)
                .putLong(payload.bytes())
                .putInt(chunk)
                .putInt(payload.crc())
                .putInt(meta.crc());
        target.putInt(crc(target.duplicate().flip().position(start)));
    }

    /**
     * Reads and checks an untrusted header.
     *
     * @param source {@value #BYTES} bytes
     * @param maxFrameBytes most payload bytes that a frame may have
     * @throws FrameException naming the first invalid field
     */
    static FrameHeader read(ByteBuffer source, int maxFrameBytes) throws FrameException {
        ByteBuffer bytes = source.slice().order(ByteOrder.LITTLE_ENDIAN);
        expect("magic", MAGIC, bytes.getInt(0));
        expect("header checksum", crc(bytes.slice(0, BYTES - 4)), bytes.getInt(BYTES - 4));
        int version = Short.toUnsignedInt(bytes.getShort(4));
        if (version != VERSION) {
            throw new FrameException(
                    String.format(
                            Locale.ROOT,
                            "protocol version: expected %d, found %d; %s",
                            VERSION,
                            version,
                            SAME_RELEASE));
        }
        int flags = Short.toUnsignedInt(bytes.getShort(6));
        if ((flags & ~KNOWN_FLAGS) != 0) {
            throw new FrameException(
                    String.format(Locale.ROOT, "frame flags: 0x%x is not known", flags));
        }
        long metaBytes = Integer.toUnsignedLong(bytes.getInt(12));
        atMost("meta length", MAX_META_BYTES, metaBytes);
        long payloadBytes = bytes.getLong(24);
        atMost("payload length", maxFrameBytes, payloadBytes);
        int chunk = bytes.getInt(32);
        if (chunk < 0) {
            throw new FrameException(
                    "chunk index: expected at most "
                            + Integer.MAX_VALUE
                            + ", found "
                            + Integer.toUnsignedLong(chunk));
        }
        boolean checked = (flags & PAYLOAD_CRC) != 0;
        if (checked != (payloadBytes > 0)) {
            throw new FrameException(
                    String.format(
                            Locale.ROOT,
                            "payload checksum: %s for %d bytes",
                            checked ? "given" : "missing",
                            payloadBytes));
        }
        return new FrameHeader(
                new Kind(
                        flags,
                        Short.toUnsignedInt(bytes.getShort(8)),
                        Short.toUnsignedInt(bytes.getShort(10))),
                bytes.getLong(16),
                chunk,
                new Section((int) metaBytes, bytes.getInt(40)),
                new Section((int) payloadBytes, bytes.getInt(36)));
    }

    /** Returns the CRC32C of the remaining bytes of a buffer, 0 if none remain. */
    static int crc(ByteBuffer bytes) {
        if (!bytes.hasRemaining()) {
            return 0;
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    /** Requires a field to have an expected value. */
    static void expect(String field, int expected, int found) throws FrameException {
        if (expected != found) {
            throw new FrameException(
                    String.format(
                            Locale.ROOT,
                            "%s: expected 0x%08x, found 0x%08x",
                            field,
                            expected,
                            found));
        }
    }

    private static void atMost(String field, long limit, long found) throws FrameException {
        if (found < 0 || found > limit) {
            throw new FrameException(
                    String.format(
                            Locale.ROOT,
                            "%s: expected at most %d, found %s",
                            field,
                            limit,
                            Long.toUnsignedString(found)));
        }
    }
}

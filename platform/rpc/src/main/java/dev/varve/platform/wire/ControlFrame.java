package dev.varve.platform.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A frame of the protocol itself, without payload. */
record ControlFrame(int type, int status, long requestId, ByteBuffer meta) {
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    static ControlFrame cancel(long requestId) {
        return new ControlFrame(FrameType.CANCEL, 0, requestId, EMPTY);
    }

    static ControlFrame ping(long number) {
        return new ControlFrame(FrameType.PING, 0, 0, longs(number));
    }

    static ControlFrame pong(long number, long progress) {
        return new ControlFrame(FrameType.PONG, 0, 0, longs(number, progress));
    }

    static ControlFrame credit(long bytes) {
        return new ControlFrame(FrameType.CREDIT, 0, 0, longs(bytes));
    }

    static ControlFrame goodbye(String reason) {
        return new ControlFrame(FrameType.GOODBYE, 0, 0, WireText.encode(reason));
    }

    static ControlFrame hello(Hello hello) {
        return new ControlFrame(FrameType.HELLO, 0, 0, hello.encode());
    }

    static ControlFrame helloAck(Hello hello) {
        return new ControlFrame(FrameType.HELLO_ACK, 0, 0, hello.encode());
    }

    static ControlFrame error(long requestId, WireException error) {
        ByteBuffer text = WireText.encode(error.getMessage());
        ByteBuffer meta = ByteBuffer.allocate(1 + text.remaining());
        meta.put((byte) (error.retry() == WireException.Retry.WORTHWHILE ? 1 : 0)).put(text).flip();
        return new ControlFrame(FrameType.ERROR, error.code().number(), requestId, meta);
    }

    private static ByteBuffer longs(long... values) {
        ByteBuffer meta = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (long value : values) {
            meta.putLong(value);
        }
        return meta.flip();
    }
}

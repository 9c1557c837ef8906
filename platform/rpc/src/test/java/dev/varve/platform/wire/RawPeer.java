package dev.varve.platform.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A channel under test whose other side is bytes that the test writes by hand. */
record RawPeer(WireChannel channel, MemoryConnection bytes) implements AutoCloseable {
    /** A channel that connected; the peer only ever answers the greeting. */
    static RawPeer accepting(WireOptions options) {
        MemoryConnection.Pair pair = MemoryConnection.pair(1 << 16, false);
        CompletableFuture<WireChannel> connecting =
                CompletableFuture.supplyAsync(
                        () -> WireChannel.connect(pair.client(), options),
                        Thread::startVirtualThread);
        try {
            new FrameWriter(pair.server(), new WireCounters())
                    .write(ControlFrame.helloAck(hello(options)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return new RawPeer(Channels.await(connecting), pair.server());
    }

    static Hello hello(WireOptions options) {
        return Hello.of(options, Optional.empty(), RingNonce.NONE, Optional.empty());
    }

    /** One frame as it stands on the wire. */
    static ByteBuffer frame(FrameHeader header, ByteBuffer meta, ByteBuffer payload) {
        ByteBuffer frame =
                ByteBuffer.allocate(FrameHeader.BYTES + meta.remaining() + payload.remaining())
                        .order(ByteOrder.LITTLE_ENDIAN);
        header.put(frame);
        return frame.put(meta.duplicate()).put(payload.duplicate()).flip();
    }

    @Override
    public void close() {
        channel.close();
        bytes.close();
    }
}

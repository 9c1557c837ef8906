package dev.varve.plugin.grpc.net;

import io.grpc.MethodDescriptor;

import java.io.InputStream;

/** The gRPC method, and the sizes that bound a connection's memory. */
final class ByteStreams {
    static final String SERVICE = "varve.Bytes";

    /** Longest message that is accepted. */
    static final int MAX_MESSAGE_BYTES = 1 << 20;

    /**
     * Longest message that is sent: long enough to make the cost per message small, and quick to
     * copy.
     */
    static final int SENT_MESSAGE_BYTES = 256 << 10;

    /** If the send queue holds fewer bytes than this, the next message is accepted. */
    static final int READY_BYTES = 1 << 20;

    /** Maximum bytes in flight that the receiver has not requested yet (HTTP/2 window). */
    static final int WINDOW_BYTES = 4 << 20;

    /** Messages that are requested ahead of the reader. */
    static final int MESSAGES_AHEAD = 4;

    static final MethodDescriptor<Outgoing, Incoming> CLIENT =
            method(new Sent(), new Received()).build();
    static final MethodDescriptor<Incoming, Outgoing> SERVER =
            method(new Received(), new Sent()).build();

    private ByteStreams() {}

    private static <Q, A> MethodDescriptor.Builder<Q, A> method(
            MethodDescriptor.Marshaller<Q> request, MethodDescriptor.Marshaller<A> response) {
        return MethodDescriptor.newBuilder(request, response)
                .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Stream"));
    }

    private static final class Sent implements MethodDescriptor.Marshaller<Outgoing> {
        @Override
        public InputStream stream(Outgoing message) {
            return message;
        }

        @Override
        public Outgoing parse(InputStream stream) {
            throw new UnsupportedOperationException("messages of this type are only sent");
        }
    }

    private static final class Received implements MethodDescriptor.Marshaller<Incoming> {
        @Override
        public InputStream stream(Incoming message) {
            throw new UnsupportedOperationException("messages of this type are only received");
        }

        @Override
        public Incoming parse(InputStream stream) {
            return Incoming.of(stream);
        }
    }
}

package dev.varve.plugin.grpc.net;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.transport.Connection;
import dev.varve.api.transport.TransportOptions;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A connection whose network threads have ended, as they do a second after the last connection of
 * the process broke: each operation that needs them is rejected.
 */
class EndedNetworkTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** The side of a connection. */
    enum Side {
        CLIENT {
            @Override
            Connection open(Network network) throws IOException {
                ManagedChannel channel = new EndedChannel(network);
                return new ClientStream(
                                new HostPort("localhost", 1), channel, new EndedClientCall(network))
                        .open(
                                new Metadata(),
                                Protection.PLAIN_TEXT,
                                LIMIT.toNanos(),
                                TransportOptions.defaults());
            }
        },
        SERVER {
            @Override
            Connection open(Network network) {
                ServerStream stream = new ServerStream(new EndedServerCall(network));
                StreamConnection connection = stream.open();
                network.listener = stream::onMessage;
                return connection;
            }
        };

        abstract Connection open(Network network) throws IOException;
    }

    /** Threads of the network that may have ended, and the receiver of messages. */
    private static final class Network {
        boolean ended;
        Consumer<Incoming> listener = message -> {};

        void execute() {
            if (ended) {
                throw new RejectedExecutionException("event executor terminated");
            }
        }

        void deliver(String text) {
            listener.accept(
                    Incoming.of(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))));
        }
    }

    @ParameterizedTest
    @EnumSource
    void closingReleasesWhatWasReceived(Side side) throws IOException {
        Network network = new Network();
        Connection connection = side.open(network);
        network.deliver("unread");
        network.ended = true;

        assertDoesNotThrow(connection::close);
    }

    @ParameterizedTest
    @EnumSource
    void receivedBytesCanStillBeRead(Side side) throws IOException {
        Network network = new Network();
        Connection connection = side.open(network);
        network.deliver("last");
        network.ended = true;
        ByteBuffer read = ByteBuffer.allocate(4);

        connection.read(read);

        assertEquals(ByteBuffer.wrap("last".getBytes(StandardCharsets.UTF_8)), read.flip());
    }

    @ParameterizedTest
    @EnumSource
    void writingFailsAsOnABrokenConnection(Side side) throws IOException {
        Network network = new Network();
        Connection connection = side.open(network);
        network.ended = true;

        IOException failure =
                assertThrows(
                        IOException.class, () -> connection.write(ByteBuffer.wrap(new byte[3])));

        assertEquals(
                connection.peer() + ": the connection ended while sending", failure.getMessage());
    }

    private static final class EndedServerCall extends ServerCall<Incoming, Outgoing> {
        private final Network network;

        EndedServerCall(Network network) {
            this.network = network;
        }

        @Override
        public void request(int messages) {
            network.execute();
        }

        @Override
        public void sendHeaders(Metadata headers) {
            network.execute();
        }

        @Override
        public void sendMessage(Outgoing message) {
            network.execute();
        }

        @Override
        public void close(Status status, Metadata trailers) {
            network.execute();
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public MethodDescriptor<Incoming, Outgoing> getMethodDescriptor() {
            return ByteStreams.SERVER;
        }
    }

    private static final class EndedClientCall extends ClientCall<Outgoing, Incoming> {
        private final Network network;

        EndedClientCall(Network network) {
            this.network = network;
        }

        @Override
        public void start(Listener<Incoming> listener, Metadata headers) {
            network.listener = listener::onMessage;
            listener.onHeaders(headers);
        }

        @Override
        public void request(int messages) {
            network.execute();
        }

        @Override
        public void cancel(String message, Throwable cause) {
            network.execute();
        }

        @Override
        public void halfClose() {
            network.execute();
        }

        @Override
        public void sendMessage(Outgoing message) {
            network.execute();
        }

        @Override
        public boolean isReady() {
            return true;
        }
    }

    private static final class EndedChannel extends ManagedChannel {
        private final Network network;

        EndedChannel(Network network) {
            this.network = network;
        }

        @Override
        public ManagedChannel shutdown() {
            network.execute();
            return this;
        }

        @Override
        public ManagedChannel shutdownNow() {
            return this;
        }

        @Override
        public boolean isShutdown() {
            return network.ended;
        }

        @Override
        public boolean isTerminated() {
            return network.ended;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }

        @Override
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
            throw new UnsupportedOperationException("the test creates its own call");
        }

        @Override
        public String authority() {
            return "localhost";
        }
    }
}

package dev.varve.plugin.kvevents.zmq;

import dev.varve.api.VarveException;
import dev.varve.api.event.CacheEvent;
import dev.varve.api.event.CacheListener;
import dev.varve.api.event.CacheListenerAddress;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

import zmq.ZError;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Publishes events as messages of three frames: the topic {@code kv@POD@MODEL}, the number of the
 * batch (8 bytes, big-endian, from 0 on without gaps), and the {@linkplain EventBatch events}.
 *
 * <p>At the replay address a subscriber sends an empty frame and 8 bytes, the number of a batch. It
 * receives the batches from that one on that are kept, each as an empty frame and the three of its
 * message, and finally one with the number -1 and neither topic nor events. This is the format of
 * vLLM since 0.26; before, the topic was missing.
 */
final class ZmqListener implements CacheListener {
    private static final System.Logger LOG = System.getLogger("dev.varve.events");

    /** Maximum unsent batches for a slow subscriber, which then misses the next ones. */
    private static final int MOST_UNSENT = 1000;

    private static final int MAX_REPLAY_BATCHES = 10_000;
    private static final long MAX_REPLAY_BYTES = 64L << 20;
    private static final int LINGER_MILLIS = 200;
    private static final int POLL_MILLIS = 100;
    private static final long END = -1;
    private static final byte[] NOTHING = {};

    private final ZContext context = new ZContext();
    private final byte[] topic;
    private final EventBatch encoding;
    private final ReplayBuffer replayBuffer =
            new ReplayBuffer(MAX_REPLAY_BATCHES, MAX_REPLAY_BYTES);
    private final ZMQ.Socket publisher;
    private final Optional<Thread> replayer;
    private volatile boolean closed;

    private ZmqListener(CacheListenerAddress address) {
        topic = ("kv@" + address.pod() + "@" + address.model()).getBytes(StandardCharsets.UTF_8);
        encoding = new EventBatch(address.blockTokens());
        context.setLinger(LINGER_MILLIS);
        publisher = bind(SocketType.PUB, MOST_UNSENT, address.publish());
        replayer =
                address.replay()
                        .map(where -> bind(SocketType.ROUTER, MAX_REPLAY_BATCHES + 1, where))
                        .map(
                                socket ->
                                        Thread.ofPlatform()
                                                .name("varve-kv-replay")
                                                .daemon(true)
                                                .start(() -> replay(socket)));
    }

    /** Binds the sockets. */
    static ZmqListener open(CacheListenerAddress address) {
        return new ZmqListener(address);
    }

    private ZMQ.Socket bind(SocketType type, int mostUnsent, String address) {
        ZMQ.Socket socket = context.createSocket(type);
        socket.setSndHWM(mostUnsent);
        try {
            socket.bind(address);
            return socket;
        } catch (ZMQException e) {
            context.close();
            throw refused(VarveException.Kind.UNAVAILABLE, address, reason(e), e);
        } catch (IllegalArgumentException e) {
            context.close();
            throw refused(VarveException.Kind.INVALID_REQUEST, address, e.getMessage(), e);
        }
    }

    private static VarveException refused(
            VarveException.Kind kind, String address, String reason, RuntimeException e) {
        return new VarveException(kind, address + ": cannot listen: " + reason, e);
    }

    private static String reason(ZMQException e) {
        return switch (e.getErrorCode()) {
            case ZError.EADDRINUSE -> "another process listens on this address";
            case ZError.EADDRNOTAVAIL -> "this machine does not have this address";
            case ZError.EACCESS -> "permission denied";
            default -> e.getMessage();
        };
    }

    @Override
    public void heard(List<CacheEvent> events) {
        ReplayBuffer.Batch batch =
                replayBuffer.add(encoding.encode(events, System.currentTimeMillis()));
        // Never blocks: a subscriber that is too slow misses the message.
        publisher.sendMore(topic);
        publisher.sendMore(number(batch.number()));
        publisher.send(batch.payload());
    }

    private static byte[] number(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private void replay(ZMQ.Socket socket) {
        socket.setReceiveTimeOut(POLL_MILLIS);
        socket.setSendTimeOut(POLL_MILLIS);
        try {
            while (!closed) {
                byte[] client = socket.recv();
                if (client != null) {
                    answer(socket, client);
                }
            }
        } catch (ZMQException e) {
            if (!closed) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "the replay of events ended after an error",
                        e);
            }
        } finally {
            socket.close();
        }
    }

    private void answer(ZMQ.Socket socket, byte[] client) {
        byte[] delimiter = socket.hasReceiveMore() ? socket.recv() : new byte[1];
        byte[] from = socket.hasReceiveMore() ? socket.recv() : new byte[0];
        boolean more = socket.hasReceiveMore();
        while (socket.hasReceiveMore()) {
            socket.recv();
        }
        if (more || delimiter.length > 0 || from.length != Long.BYTES) {
            LOG.log(System.Logger.Level.DEBUG, "ignored a malformed request for events");
            return;
        }
        for (ReplayBuffer.Batch batch : replayBuffer.from(ByteBuffer.wrap(from).getLong())) {
            send(socket, client, topic, number(batch.number()), batch.payload());
        }
        send(socket, client, NOTHING, number(END), NOTHING);
    }

    private static void send(ZMQ.Socket socket, byte[] client, byte[]... message) {
        socket.sendMore(client);
        socket.sendMore(NOTHING);
        for (int i = 0; i < message.length - 1; i++) {
            socket.sendMore(message[i]);
        }
        socket.send(message[message.length - 1]);
    }

    @Override
    public void close() {
        closed = true;
        replayer.ifPresent(ZmqListener::join);
        context.close();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.varve.conformance;

import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;
import dev.varve.platform.wire.unix.UnixTransport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/** Unix sockets on which the next bytes that arrive can be replaced by others. Thread-safe. */
final class SpoiltTransport implements TransportProvider {
    private final TransportProvider honest = new UnixTransport();
    private final AtomicBoolean spoilt = new AtomicBoolean();
    private final SplittableRandom random = new SplittableRandom(7);

    /** Spoils the next read of any connection, one time. */
    void spoil() {
        spoilt.set(true);
    }

    @Override
    public String scheme() {
        return honest.scheme();
    }

    @Override
    public Connection connect(String address, TransportOptions options) throws IOException {
        Connection connection = honest.connect(address, options);
        return new Connection() {
            @Override
            public String peer() {
                return connection.peer();
            }

            @Override
            public boolean sameHost() {
                // Everything goes through the stream.
                return false;
            }

            @Override
            public void read(ByteBuffer target) throws IOException {
                int begin = target.position();
                connection.read(target);
                if (target.position() > begin && spoilt.compareAndSet(true, false)) {
                    int at = begin + random.nextInt(target.position() - begin);
                    target.put(at, (byte) (target.get(at) ^ 1 << random.nextInt(8)));
                }
            }

            @Override
            public void write(ByteBuffer... parts) throws IOException {
                connection.write(parts);
            }

            @Override
            public void close() {
                connection.close();
            }
        };
    }

    @Override
    public Listener listen(String address, TransportOptions options) throws IOException {
        return honest.listen(address, options);
    }
}

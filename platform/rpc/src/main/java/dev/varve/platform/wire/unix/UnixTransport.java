package dev.varve.platform.wire.unix;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.VarveException.Kind;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * {@code unix:/path/of/socket}: a socket in a folder that no other user can enter or change. The
 * file system restricts access; certificates are not supported here and are rejected.
 */
public final class UnixTransport implements TransportProvider {
    /** {@code sizeof sun_path} on Linux, less the zero at its end. */
    private static final int MAX_PATH_BYTES = 107;

    /** Creates a transport, which has no state. */
    public UnixTransport() {}

    @Override
    public String scheme() {
        return "unix";
    }

    @Override
    public Connection connect(String address, TransportOptions options) throws IOException {
        Path path = path(address, options);
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            // a full queue of the listener makes a blocking connect wait without limit
            channel.configureBlocking(false);
            if (!channel.connect(UnixDomainSocketAddress.of(path))) {
                await(channel, options.connectLimit().toMillis());
            }
            channel.configureBlocking(true);
            return new UnixConnection(channel, "unix:" + path);
        } catch (IOException e) {
            channel.close();
            throw new IOException(
                    String.format(Locale.ROOT, "unix:%s: %s", path, FileErrors.reason(e)), e);
        } catch (RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public Listener listen(String address, TransportOptions options) throws IOException {
        return UnixListener.open(path(address, options));
    }

    private static void await(SocketChannel channel, long limitMillis) throws IOException {
        try (Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_CONNECT);
            if (selector.select(Math.max(1, limitMillis)) == 0 || !channel.finishConnect()) {
                throw new IOException("no connection within " + limitMillis + " ms");
            }
        }
    }

    private static Path path(String address, TransportOptions options) {
        if (options.identity().isPresent() || options.trusted().isPresent()) {
            throw new VarveException(
                    Kind.INVALID_REQUEST,
                    String.format(
                            Locale.ROOT,
                            "unix:%s: a Unix-domain socket does not use certificates",
                            address));
        }
        if (address.isBlank()) {
            throw new VarveException(
                    Kind.INVALID_REQUEST, "unix: expected the path of a socket, found nothing");
        }
        try {
            Path path = Path.of(address).toAbsolutePath().normalize();
            int bytes = path.toString().getBytes(StandardCharsets.UTF_8).length;
            if (bytes > MAX_PATH_BYTES) {
                throw new VarveException(
                        Kind.INVALID_REQUEST,
                        String.format(
                                Locale.ROOT,
                                "unix:%s: the path has %d bytes, a socket accepts at most %d",
                                path,
                                bytes,
                                MAX_PATH_BYTES));
            }
            return path;
        } catch (InvalidPathException e) {
            throw new VarveException(Kind.INVALID_REQUEST, "unix: not a path: " + e.getReason(), e);
        }
    }
}

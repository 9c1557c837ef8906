package dev.varve.platform.intake;

import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the connections of each client and ends stalled ones.
 *
 * <p>A client with the allowed number of connections gets {@value #EXCESS} more, which serve only
 * {@code /health} and similar endpoints: a health check must not depend on other clients behind the
 * same address. Such a connection ends after one response; further ones are closed at once.
 */
final class ConnectionGuard implements Connection.Listener {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final int EXCESS = 16;

    private final IngressLimits limits;
    private final Map<Connection, ClientConnection> connections = new ConcurrentHashMap<>();
    private final Map<ClientAddress, Integer> counts = new ConcurrentHashMap<>();

    ConnectionGuard(IngressLimits limits) {
        this.limits = limits;
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof SslConnection) {
            // The connection inside of it is opened with it, and requests refer to that one.
            return;
        }
        ClientAddress client = ClientAddress.of(connection.getEndPoint().getRemoteSocketAddress());
        int count = counts.merge(client, 1, Integer::sum);
        connections.put(
                connection,
                new ClientConnection(connection, client, count > limits.connectionsPerClient()));
        if (count > limits.connectionsPerClient() + EXCESS) {
            connection.getEndPoint().close();
        }
    }

    @Override
    public void onClosed(Connection connection) {
        Optional.ofNullable(connections.remove(connection))
                .ifPresent(
                        closed ->
                                counts.computeIfPresent(
                                        closed.client(),
                                        (client, count) -> count == 1 ? null : count - 1));
    }

    Optional<ClientConnection> find(Connection connection) {
        return Optional.ofNullable(connections.get(connection));
    }

    void closeStalled() {
        long now = System.nanoTime();
        for (ClientConnection connection : connections.values()) {
            new ExceptionLoggingTask(() -> closeIfStalled(connection, now)).run();
        }
    }

    private void closeIfStalled(ClientConnection connection, long now) {
        if (connection.isStalled(now, limits.timeouts())) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "the server closes the connection of a client that is too slow");
            connection.close();
        }
    }
}

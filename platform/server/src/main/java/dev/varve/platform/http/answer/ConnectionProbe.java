package dev.varve.platform.http.answer;

import jakarta.servlet.ServletRequest;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection.SslEndPoint;
import org.eclipse.jetty.util.BufferUtil;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * Detects that the client of a running request disconnected. Jetty does not read from a connection
 * while it handles a request, so a closed connection goes unnoticed until the next write. This
 * probe registers the channel with a selector of its own and reads when it is ready: the end of the
 * stream means that the client disconnected. Under TLS the probe must not read bytes from the
 * channel, since TLS needs all of them; it reads decrypted bytes instead, also without blocking.
 *
 * <p>A client that pipelines its next request makes the channel readable as well. The probe then
 * consumes one byte of that request, so the connection must be closed after the response, see
 * {@link #mustClose}.
 *
 * <p>Not thread-safe, except {@link #abort}.
 */
public final class ConnectionProbe implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    private final EndPoint endPoint;
    private Selector selector;
    private boolean pipelined;
    private boolean disconnected;

    /** Probes the client of a request, which must be in progress. */
    public ConnectionProbe(ServletRequest request) {
        endPoint =
                ServletContextRequest.getServletContextRequest(request)
                        .getConnectionMetaData()
                        .getConnection()
                        .getEndPoint();
    }

    /** Returns whether the client closed the connection. */
    public boolean isDisconnected() {
        if (disconnected || pipelined) {
            return disconnected;
        }
        try {
            int read = read();
            disconnected = read < 0;
            pipelined = read > 0;
        } catch (IOException e) {
            disconnected = true;
        }
        return disconnected;
    }

    /**
     * Reads a byte without blocking: returns 0 if none is available, a negative number at the end
     * of the stream.
     */
    private int read() throws IOException {
        if (endPoint instanceof SslEndPoint tls) {
            return tls.fill(BufferUtil.allocate(1));
        }
        return endPoint.getTransport() instanceof SocketChannel channel ? read(channel) : 0;
    }

    private int read(SocketChannel channel) throws IOException {
        if (selector == null) {
            selector = Selector.open();
            channel.register(selector, SelectionKey.OP_READ);
        }
        if (selector.selectNow() == 0) {
            return 0;
        }
        selector.selectedKeys().clear();
        return channel.read(ByteBuffer.allocate(1));
    }

    /** Returns whether a byte of the client's next request was consumed. */
    public boolean mustClose() {
        return pipelined;
    }

    /** Closes the connection, so that a blocked write fails. */
    void abort() {
        endPoint.close();
    }

    @Override
    public void close() {
        if (selector != null) {
            try {
                selector.close();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "closing a selector failed", e);
            }
        }
        if (pipelined) {
            abort();
        }
    }
}

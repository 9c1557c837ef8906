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
 * Finds out whether the client of a running request went away. Jetty does not read from a
 * connection while a request is being handled, so a closed peer goes unnoticed until something is
 * written. This probe registers the channel with a selector of its own and looks for readiness: the
 * end of the stream means that the client is gone. Under TLS a byte must not be taken from the
 * channel, of which TLS has to see all; there what is decrypted is asked for, which likewise does
 * not wait.
 *
 * <p>A client that pipelines its next request makes the channel readable as well. One byte of it is
 * then lost, so such a connection must be closed after the answer, see {@link #mustClose}.
 *
 * <p>One thread, but for {@link #abort}.
 */
public final class ConnectionProbe implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    private final EndPoint endPoint;
    private Selector selector;
    private boolean pipelined;
    private boolean gone;

    /** Looks at the client of a request, which must be in progress. */
    public ConnectionProbe(ServletRequest request) {
        endPoint =
                ServletContextRequest.getServletContextRequest(request)
                        .getConnectionMetaData()
                        .getConnection()
                        .getEndPoint();
    }

    /** Whether the client closed the connection. */
    public boolean isGone() {
        if (gone || pipelined) {
            return gone;
        }
        try {
            int read = read();
            gone = read < 0;
            pipelined = read > 0;
        } catch (IOException e) {
            gone = true;
        }
        return gone;
    }

    /** Takes a byte if there is one: 0 if there is none yet, below 0 at the end. */
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

    /** Whether a byte of the client's next request was read. */
    public boolean mustClose() {
        return pipelined;
    }

    /** Ends the connection, so that a blocked write fails. */
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

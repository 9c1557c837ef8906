package dev.varve.platform.http.tls;

import dev.varve.api.VarveException;

import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * TLS 1.2 and 1.3 for the connections of a server. The certificate follows its files: connections
 * that come after a change get the new one, those that are there go on with what they have. Files
 * that do not fit together, as while only one of them is replaced, change nothing.
 */
public final class ServerTls implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final long LOOK_SECONDS = 2;

    /** Of a store that never leaves the memory. */
    private static final String PASSWORD = "in memory only";

    private final TlsSource source;
    private final SslContextFactory.Server contexts = new SslContextFactory.Server();
    private final ScheduledExecutorService watch =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("varve-tls").factory());

    /** What was tried last, rightly or not. */
    private FileStamps tried;

    private FileStamps seen;

    /** Begins with what the source had when it was read; {@link #watch} has the files looked at. */
    public ServerTls(TlsSource source) {
        this.source = source;
        tried = source.stamps();
        seen = tried;
        contexts.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        contexts.setRenegotiationAllowed(false);
        contexts.setKeyManagerPassword(PASSWORD);
        contexts.setKeyStore(source.identity().keyStore(PASSWORD.toCharArray()));
    }

    /**
     * How connections begin: with TLS, and behind that HTTP. What begins without is taken for plain
     * HTTP, so that such a client can be told; its requests are not secure.
     */
    public ConnectionFactory[] connections(HttpConnectionFactory http) {
        SslConnectionFactory tls =
                new SslConnectionFactory(contexts, HttpVersion.HTTP_1_1.asString());
        // It would refuse clients that ask for another name than the certificate's, which is for
        // clients to judge.
        tls.setEnsureSecureRequestCustomizer(false);
        return new ConnectionFactory[] {new DetectorConnectionFactory(tls), http};
    }

    /** Looks at the files from now on. */
    public void watch() {
        watch.scheduleWithFixedDelay(this::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Looks once. Files that changed are read when they are the same twice: before that somebody
     * may be writing them.
     */
    synchronized void look() {
        FileStamps now = source.stampsNow();
        boolean settled = now.equals(seen);
        seen = now;
        if (now.equals(tried) || !settled) {
            return;
        }
        try {
            ServerIdentity identity = source.read();
            if (source.stampsNow().equals(now)) {
                tried = now;
                use(identity);
            }
        } catch (VarveException e) {
            tried = now;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the certificate stays as it was: " + e.getMessage());
        }
    }

    private void use(ServerIdentity identity) {
        try {
            contexts.reload(each -> each.setKeyStore(identity.keyStore(PASSWORD.toCharArray())));
            LOG.log(
                    System.Logger.Level.INFO,
                    "new connections get the certificate of " + identity.description());
        } catch (Exception e) {
            // Jetty declares no less; it is what its own start may throw.
            LOG.log(System.Logger.Level.ERROR, "the new certificate cannot be used", e);
        }
    }

    @Override
    public void close() {
        watch.shutdownNow();
    }
}

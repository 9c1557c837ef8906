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
 * TLS 1.2 and 1.3 for the connections of a server. The certificate is reloaded when its files
 * change: new connections use the new one, existing connections keep theirs. Files that do not
 * match, such as while only one of them is replaced, are ignored.
 */
public final class ServerTls implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final long CHECK_SECONDS = 2;

    /** Password of a key store that exists only in memory. */
    private static final String PASSWORD = "in memory only";

    private final TlsSource source;
    private final SslContextFactory.Server contexts = new SslContextFactory.Server();
    private final ScheduledExecutorService watch =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("varve-tls").factory());

    /** Stamps of the last files that were tried, with or without success. */
    private FileStamps lastTried;

    private FileStamps lastStamps;

    /** Begins with the source's identity; {@link #watch} starts checking the files. */
    public ServerTls(TlsSource source) {
        this.source = source;
        lastTried = source.stamps();
        lastStamps = lastTried;
        contexts.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        contexts.setRenegotiationAllowed(false);
        contexts.setKeyManagerPassword(PASSWORD);
        contexts.setKeyStore(source.identity().keyStore(PASSWORD.toCharArray()));
    }

    /**
     * Returns the connection factories: TLS, then HTTP. A connection without TLS is accepted as
     * plain HTTP, so that its client receives an error; its requests are not secure.
     */
    public ConnectionFactory[] connections(HttpConnectionFactory http) {
        SslConnectionFactory tls =
                new SslConnectionFactory(contexts, HttpVersion.HTTP_1_1.asString());
        // It would refuse clients that request another name than the certificate's; that check is
        // the client's.
        tls.setEnsureSecureRequestCustomizer(false);
        return new ConnectionFactory[] {new DetectorConnectionFactory(tls), http};
    }

    /** Starts checking the files. */
    public void watch() {
        watch.scheduleWithFixedDelay(
                this::checkFiles, CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Checks the files once. Changed files are read only after two equal checks: before that they
     * may still be being written.
     */
    synchronized void checkFiles() {
        FileStamps now = source.stampsNow();
        boolean settled = now.equals(lastStamps);
        lastStamps = now;
        if (now.equals(lastTried) || !settled) {
            return;
        }
        try {
            ServerIdentity identity = source.read();
            if (source.stampsNow().equals(now)) {
                lastTried = now;
                use(identity);
            }
        } catch (VarveException e) {
            lastTried = now;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the server keeps its current certificate: " + e.getMessage());
        }
    }

    private void use(ServerIdentity identity) {
        try {
            contexts.reload(each -> each.setKeyStore(identity.keyStore(PASSWORD.toCharArray())));
            LOG.log(
                    System.Logger.Level.INFO,
                    "new connections use the certificate of " + identity.description());
        } catch (Exception e) {
            // Jetty's reload declares Exception.
            LOG.log(System.Logger.Level.ERROR, "the server cannot use the new certificate", e);
        }
    }

    @Override
    public void close() {
        watch.shutdownNow();
    }
}

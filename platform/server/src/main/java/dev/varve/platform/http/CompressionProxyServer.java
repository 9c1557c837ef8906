package dev.varve.platform.http;

import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.upstream.CompressionProxySettings;
import dev.varve.platform.http.upstream.UpstreamProxy;
import dev.varve.platform.intake.RequestIngress;

import java.net.URI;
import java.time.Duration;

/**
 * A server without a model of its own: it compresses the prompts of chats and forwards them to an
 * upstream server. The caller owns and closes the prefill drafter.
 */
public final class CompressionProxyServer implements AutoCloseable {
    private final RequestIngress ingress;
    private final UpstreamProxy proxy;
    private final RequestDrain drain = new RequestDrain();
    private final JettyServer jetty;

    private CompressionProxyServer(HttpOptions options, CompressionProxySettings upstream) {
        Metrics metrics = new Metrics(options.monitoring().vllmNames());
        metrics.exposeTraces(options.monitoring().tracing()::counts);
        metrics.exposeCompression(UpstreamProxy.MODEL);
        metrics.exposeUpstream();
        ingress = new RequestIngress(options.limits());
        proxy = new UpstreamProxy(upstream, options.access(), metrics, options.names());
        AccessControl access = new AccessControl(options.address(), options.access());
        RequestLifecycle lifecycle =
                new RequestLifecycle(
                        access, metrics, options.monitoring().tracing(), options.names());
        ProxyRoutes context = new ProxyRoutes(lifecycle, proxy, drain, ingress, metrics, options);
        jetty = new JettyServer(options, access, ingress, context.routes());
    }

    /**
     * Creates a server and listens.
     *
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if the address cannot be bound
     */
    public static CompressionProxyServer start(
            HttpOptions options, CompressionProxySettings upstream) {
        CompressionProxyServer server = new CompressionProxyServer(options, upstream);
        try {
            server.jetty.listen();
            return server;
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    /** Returns the address at which clients reach the server. */
    public URI uri() {
        return jetty.uri();
    }

    /**
     * Refuses new requests and waits for running ones.
     *
     * @return whether all requests ended within {@code limit}
     */
    public boolean drain(Duration limit) throws InterruptedException {
        return drain.drain(limit);
    }

    /** Ends the requests that still run. */
    @Override
    public void close() {
        // Closing the proxy ends requests that wait for the upstream server.
        try (ingress;
                proxy) {
            jetty.close();
        }
    }
}

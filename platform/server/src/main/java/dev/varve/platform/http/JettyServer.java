package dev.varve.platform.http;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.tls.ServerTls;
import dev.varve.platform.intake.RequestIngress;
import dev.varve.platform.setting.Setting;

import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.VirtualThreadPool;

import java.net.URI;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Listens with Jetty and dispatches requests to routes. The caller owns and closes the ingress. */
final class JettyServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    static final int REQUEST_HEADER_BYTES = 64 << 10;
    private static final Duration IDLE = Duration.ofMinutes(10);

    /**
     * Time limit for writing the remaining responses, such as streams, after their models have
     * ended.
     */
    private static final Duration LAST_RESPONSES = Duration.ofSeconds(2);

    private static final int TRANSPORT_THREADS = 8;
    private static final int ACCEPT_QUEUE = 8192;
    private static final int PROBE_THREADS = 4;
    private static final int PROBE_IDLE_SECONDS = 10;

    /**
     * Permits paths that Jetty refuses by default: clients escape the slash in a model id, and
     * double the slash between a base address and a route. {@link SlashNormalizingHandler} gives
     * each path one meaning.
     */
    private static final UriCompliance PATHS =
            UriCompliance.DEFAULT.with(
                    "VARVE",
                    UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
                    UriCompliance.Violation.AMBIGUOUS_EMPTY_SEGMENT);

    /** Ports below this one need a privilege. */
    private static final int FIRST_FREE_PORT = 1024;

    private final HttpOptions options;
    private final Server server;
    private final ServerConnector connector;
    private final Optional<ServerTls> tls;
    private final ExecutorService probes;
    private final GracefulHandler responses;

    JettyServer(
            HttpOptions options, AccessControl access, RequestIngress ingress, RouteTable routes) {
        this.options = options;
        tls = options.tls().map(ServerTls::new);
        QueuedThreadPool transport = new QueuedThreadPool(TRANSPORT_THREADS, 2);
        transport.setName("varve-http");
        VirtualThreadPool requests = requestThreads();
        transport.setVirtualThreadsExecutor(requests);
        server = new Server(transport);
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setRequestHeaderSize(REQUEST_HEADER_BYTES);
        configuration.setUriCompliance(PATHS);
        HttpConnectionFactory http = new HttpConnectionFactory(configuration);
        connector =
                new ServerConnector(
                        server,
                        1,
                        1,
                        tls.map(each -> each.connections(http))
                                .orElseGet(() -> new ConnectionFactory[] {http}));
        connector.setHost(options.address().host());
        connector.setPort(options.address().port());
        connector.setIdleTimeout(IDLE.toMillis());
        // A full accept queue makes clients wait for seconds; the system may shorten it
        // (somaxconn).
        connector.setAcceptQueueSize(ACCEPT_QUEUE);
        connector.addBean(ingress.connections());
        server.addConnector(connector);
        probes = probeThreads(requests);
        Handler admission =
                new AdmissionHandler(
                        routes.handler(), ingress, access, requests, probes, routes::find);
        Handler front = new SlashNormalizingHandler(admission);
        // Before all other handlers that change paths: only here do /base and /base/ differ.
        Handler based =
                options.address().basePath().isEmpty()
                        ? front
                        : new BasePathHandler(front, options.address().basePath());
        responses = new GracefulHandler(tls.isPresent() ? new TlsOnlyHandler(based) : based);
        server.setHandler(responses);
        server.setErrorHandler(new JsonErrorHandler());
    }

    /**
     * Returns a pool without a limit: Jetty's default limit of 200 stalled the whole server when
     * 200 requests waited for their clients. Connections are bounded instead.
     */
    private static VirtualThreadPool requestThreads() {
        VirtualThreadPool pool = new VirtualThreadPool(0);
        pool.setName("varve-request");
        return pool;
    }

    /**
     * Returns the few threads for probes. Clients that do not read their responses may occupy all
     * of them; further probes then run on {@code others}.
     */
    private static ExecutorService probeThreads(Executor others) {
        return new ThreadPoolExecutor(
                1,
                PROBE_THREADS,
                PROBE_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                Thread.ofPlatform().daemon().name("varve-probe", 0).factory(),
                (request, pool) -> others.execute(request));
    }

    /**
     * Binds and listens, once.
     *
     * @throws VarveException of kind UNAVAILABLE if the address cannot be bound
     */
    void listen() {
        try {
            server.start();
            tls.ifPresent(ServerTls::watch);
        } catch (Exception e) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "cannot listen on "
                            + options.address().host()
                            + ":"
                            + options.address().port()
                            + " ("
                            + Setting.HOST
                            + ", "
                            + Setting.PORT
                            + "): "
                            + rootMessage(e),
                    e);
        }
    }

    private String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String reason = FileErrors.reason(root);
        if (root instanceof UnresolvedAddressException) {
            return "the host name has no address";
        }
        return reason.equals("permission denied") && options.address().port() < FIRST_FREE_PORT
                ? reason + "; ports below " + FIRST_FREE_PORT + " need CAP_NET_BIND_SERVICE"
                : reason;
    }

    /** Returns the address at which clients reach the server. */
    URI uri() {
        String host =
                options.address().host().contains(":")
                        ? "[" + options.address().host() + "]"
                        : options.address().host();
        return URI.create(
                (tls.isPresent() ? "https://" : "http://")
                        + host
                        + ":"
                        + connector.getLocalPort()
                        + options.address().basePath());
    }

    @Override
    public void close() {
        tls.ifPresent(ServerTls::close);
        try {
            awaitResponses();
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("the HTTP server did not stop", e);
        } finally {
            probes.shutdown();
        }
    }

    /**
     * Refuses requests and waits a limited time for responses: a client that does not read must not
     * keep the process alive.
     */
    private void awaitResponses() throws Exception {
        try {
            responses.shutdown().get(LAST_RESPONSES.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "the HTTP server aborts responses that did not end within {0}",
                    LAST_RESPONSES);
        }
    }
}

package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.http.json.UnknownFieldPolicy;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.resume.ResumableStreamLimits;
import dev.varve.platform.http.resume.ResumableStreamStore;
import dev.varve.platform.http.serving.ModelManager;
import dev.varve.platform.http.trace.Tracing;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.platform.intake.RequestIngress;
import dev.varve.platform.setting.SettingNames;

import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/** Requests that go wrong between the socket and their route. */
@Timeout(60)
class AdmissionHandlerTest {
    private static final Executor THREADS = Thread::startVirtualThread;

    private static final Handler FAILING =
            new Handler.Abstract() {
                @Override
                public boolean handle(Request request, Response response, Callback callback) {
                    throw new OutOfMemoryError("made by the test");
                }
            };

    private final ScriptedEngine engine = new ScriptedEngine();
    private final RequestIngress ingress = new RequestIngress(IngressLimits.DEFAULT);
    private final AccessControl access =
            new AccessControl(ListenAddress.LOOPBACK, ClientAccessSettings.LOCAL);

    @AfterEach
    void stop() {
        ingress.close();
        engine.close();
    }

    @Test
    void errorBehindTheBodyEndsTheRequest() throws Exception {
        String answer = post(FAILING, THREADS, readingRoute());

        assertTrue(answer.startsWith("HTTP/1.1 500"), answer);
    }

    @Test
    void requestWithoutAThreadEnds() throws Exception {
        Executor none =
                task -> {
                    throw new RejectedExecutionException("made by the test");
                };

        String answer = post(FAILING, none, readingRoute());

        assertTrue(answer.isEmpty() || answer.startsWith("HTTP/1.1 500"), answer);
    }

    @Test
    void unreadBodyBeforeTheModelLoadsGets503() throws Exception {
        OfferedModels offeredModels = new OfferedModels(new Metrics());
        ApiRoutes api =
                new ApiRoutes(
                        access,
                        ingress,
                        new Metrics(),
                        offeredModels,
                        HttpOptions.loopback(),
                        new ResumableStreamStore(ResumableStreamLimits.DEFAULT, System::nanoTime));
        Handler readyBehindAdmission =
                new Handler.Wrapper(api.routes().handler()) {
                    @Override
                    public boolean handle(Request request, Response response, Callback callback)
                            throws Exception {
                        offeredModels.ready(ModelManager.of(SmallChat.served(engine)));
                        return super.handle(request, response, callback);
                    }
                };

        String answer = post(readyBehindAdmission, THREADS, api.routes()::find);

        assertTrue(answer.startsWith("HTTP/1.1 503"), answer);
        assertTrue(answer.contains("\"code\":\"model_loading\""), answer);
        assertEquals(0, engine.requests.size());
    }

    @Test
    void healthCheckNeedsNoWorkerThread() throws Exception {
        Executor never = task -> {};
        ApiRoutes api =
                new ApiRoutes(
                        access,
                        ingress,
                        new Metrics(),
                        new OfferedModels(new Metrics()),
                        HttpOptions.loopback(),
                        new ResumableStreamStore(ResumableStreamLimits.DEFAULT, System::nanoTime));

        String answer =
                ask(
                        api.routes().handler(),
                        never,
                        api.routes()::find,
                        "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

        assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
    }

    /** The routes of a server whose model is ready, so that bodies are read. */
    private Function<Request, Route> readingRoute() {
        OfferedModels offeredModels = new OfferedModels(new Metrics());
        offeredModels.ready(ModelManager.of(SmallChat.served(engine)));
        Route route =
                new TextProcessingRoute(
                        "/tokenize",
                        new RouteContext(
                                new RequestLifecycle(
                                        access,
                                        new Metrics(),
                                        Tracing.off(),
                                        SettingNames.IDENTIFIERS),
                                offeredModels,
                                ingress,
                                UnknownFieldPolicy.LENIENT),
                        (model, body) -> body);
        return request -> route;
    }

    private String post(Handler next, Executor executor, Function<Request, Route> routes)
            throws Exception {
        String body = "{\"prompt\": \"a\"}";
        return ask(
                next,
                executor,
                routes,
                "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nConnection:"
                        + " close\r\nContent-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body);
    }

    private String ask(
            Handler next, Executor executor, Function<Request, Route> routes, String request)
            throws Exception {
        Server server = new Server();
        try {
            ServerConnector connector = new ServerConnector(server, 1, 1);
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
            server.setHandler(
                    new AdmissionHandler(next, ingress, access, executor, THREADS, routes));
            server.start();
            try (RawClient client = RawClient.of(connector.getLocalPort())) {
                return client.send(request).rest();
            }
        } finally {
            server.stop();
        }
    }
}

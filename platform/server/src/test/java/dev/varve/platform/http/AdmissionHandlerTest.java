package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.access.ClientAccess;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.http.json.FieldPolicy;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.resume.KeptLimits;
import dev.varve.platform.http.resume.KeptStreams;
import dev.varve.platform.http.serving.ServedModels;
import dev.varve.platform.http.trace.Tracing;
import dev.varve.platform.intake.Intake;
import dev.varve.platform.intake.IntakeLimits;
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
    private final Intake intake = new Intake(IntakeLimits.DEFAULT);
    private final AccessControl access =
            new AccessControl(ListenAddress.LOOPBACK, ClientAccess.LOCAL);

    @AfterEach
    void stop() {
        intake.close();
        engine.close();
    }

    @Test
    void anErrorBehindTheBodyEndsTheRequest() throws Exception {
        String answer = post(FAILING, THREADS, readingRoute());

        assertTrue(answer.startsWith("HTTP/1.1 500"), answer);
    }

    @Test
    void aRequestThatGetsNoThreadEnds() throws Exception {
        Executor none =
                task -> {
                    throw new RejectedExecutionException("made by the test");
                };

        String answer = post(FAILING, none, readingRoute());

        assertTrue(answer.isEmpty() || answer.startsWith("HTTP/1.1 500"), answer);
    }

    @Test
    void aBodyThatNobodyReadBeforeTheModelCameIsToldThatItLoads() throws Exception {
        Offer offer = new Offer(new Metrics());
        ApiContext api =
                new ApiContext(
                        access,
                        intake,
                        new Metrics(),
                        offer,
                        HttpOptions.loopback(),
                        new KeptStreams(KeptLimits.DEFAULT, System::nanoTime));
        Handler readyBehindAdmission =
                new Handler.Wrapper(api.routes().handler()) {
                    @Override
                    public boolean handle(Request request, Response response, Callback callback)
                            throws Exception {
                        offer.ready(ServedModels.of(SmallChat.served(engine)));
                        return super.handle(request, response, callback);
                    }
                };

        String answer = post(readyBehindAdmission, THREADS, api.routes()::find);

        assertTrue(answer.startsWith("HTTP/1.1 503"), answer);
        assertTrue(answer.contains("\"code\":\"model_loading\""), answer);
        assertEquals(0, engine.requests.size());
    }

    @Test
    void aSignOfLifeNeedsNoThreadOfOthers() throws Exception {
        Executor never = task -> {};
        ApiContext api =
                new ApiContext(
                        access,
                        intake,
                        new Metrics(),
                        new Offer(new Metrics()),
                        HttpOptions.loopback(),
                        new KeptStreams(KeptLimits.DEFAULT, System::nanoTime));

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
        Offer offer = new Offer(new Metrics());
        offer.ready(ServedModels.of(SmallChat.served(engine)));
        Route route =
                new TextRoute(
                        "/tokenize",
                        new RouteContext(
                                new RequestCycle(
                                        access,
                                        new Metrics(),
                                        Tracing.off(),
                                        SettingNames.IDENTIFIERS),
                                offer,
                                intake,
                                FieldPolicy.LENIENT),
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
                    new AdmissionHandler(next, intake, access, executor, THREADS, routes));
            server.start();
            try (RawClient client = RawClient.of(connector.getLocalPort())) {
                return client.send(request).rest();
            }
        } finally {
            server.stop();
        }
    }
}

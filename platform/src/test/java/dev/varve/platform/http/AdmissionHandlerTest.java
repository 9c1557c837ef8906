package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.intake.Intake;
import dev.varve.platform.intake.IntakeLimits;

import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
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
import java.util.function.Predicate;

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
    private final AccessControl access = new AccessControl(HttpOptions.loopback());

    @AfterEach
    void stop() {
        intake.close();
        engine.close();
    }

    @Test
    void anErrorBehindTheBodyEndsTheRequest() throws Exception {
        String answer = post(FAILING, THREADS, request -> true);

        assertTrue(answer.startsWith("HTTP/1.1 500"), answer);
    }

    @Test
    void aRequestThatGetsNoThreadEnds() throws Exception {
        Executor none =
                task -> {
                    throw new RejectedExecutionException("made by the test");
                };

        String answer = post(FAILING, none, request -> true);

        assertTrue(answer.isEmpty() || answer.startsWith("HTTP/1.1 500"), answer);
    }

    @Test
    void aBodyThatNobodyReadBeforeTheModelCameIsToldThatItLoads() throws Exception {
        ApiServlet servlet = new ApiServlet(access, intake, new Metrics());
        servlet.ready(SmallChat.served(engine));
        ServletContextHandler context = new ServletContextHandler("/", false, false);
        context.addServlet(new ServletHolder(servlet), "/*");

        String answer = post(context, THREADS, request -> false);

        assertTrue(answer.startsWith("HTTP/1.1 503"), answer);
        assertTrue(answer.contains("\"code\":\"model_loading\""), answer);
        assertEquals(0, engine.requests.size());
    }

    private String post(Handler next, Executor executor, Predicate<Request> readsBody)
            throws Exception {
        Server server = new Server();
        try {
            ServerConnector connector = new ServerConnector(server, 1, 1);
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
            server.setHandler(new AdmissionHandler(next, intake, access, executor, readsBody));
            server.start();
            try (RawClient client = RawClient.of(connector.getLocalPort())) {
                String body = "{\"prompt\": \"a\"}";
                return client.send(
                                "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nConnection:"
                                        + " close\r\nContent-Length: "
                                        + body.length()
                                        + "\r\n\r\n"
                                        + body)
                        .rest();
            }
        } finally {
            server.stop();
        }
    }
}

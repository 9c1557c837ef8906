package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ClientGoneException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.trace.Tracing;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.setting.Setting;
import dev.varve.testkit.MetricsText;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** However a request ends, it is counted, and only a client that left counts as one. */
class RequestLifecycleTest {
    private final Metrics metrics = new Metrics();
    private final RequestLifecycle lifecycle =
            new RequestLifecycle(
                    new AccessControl(ListenAddress.LOOPBACK, ClientAccessSettings.LOCAL),
                    metrics,
                    Tracing.off(),
                    Setting::id);
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private Optional<IOException> broken = Optional.empty();
    private int status = 200;

    /** Answers a request as the test says. */
    private interface Answer {
        RequestOutcome give(Exchange exchange) throws IOException;
    }

    private void run(Answer answer) throws IOException {
        Route route =
                new Route("/tried", RoutePurpose.MONITORING, Route.Methods.READ, lifecycle) {
                    private static final long serialVersionUID = 1L;

                    @Override
                    RequestOutcome answer(Exchange exchange) throws IOException {
                        return answer.give(exchange);
                    }
                };
        lifecycle.run(route, request(), response());
    }

    private static HttpServletRequest request() {
        AdmissionDecision admitted =
                new AdmissionDecision.Admitted(
                        new Caller(CacheScope.common(), "", false), Optional.empty());
        return (HttpServletRequest)
                Proxy.newProxyInstance(
                        RequestLifecycleTest.class.getClassLoader(),
                        new Class<?>[] {HttpServletRequest.class},
                        (proxy, method, arguments) ->
                                switch (method.getName()) {
                                    case "getMethod" -> "GET";
                                    case "getRequestURI" -> "/tried";
                                    case "getRemoteAddr" -> "127.0.0.1";
                                    case "getHeader" -> null;
                                    case "getAttribute" ->
                                            arguments[0].equals(AdmissionDecision.class.getName())
                                                    ? admitted
                                                    : null;
                                    default -> throw new AssertionError("nobody calls " + method);
                                });
    }

    private HttpServletResponse response() {
        return (HttpServletResponse)
                Proxy.newProxyInstance(
                        RequestLifecycleTest.class.getClassLoader(),
                        new Class<?>[] {HttpServletResponse.class},
                        (proxy, method, arguments) -> {
                            switch (method.getName()) {
                                case "setStatus" -> status = (int) arguments[0];
                                case "getStatus" -> {
                                    return status;
                                }
                                case "isCommitted" -> {
                                    return false;
                                }
                                case "getOutputStream" -> {
                                    return new Out();
                                }
                                default -> {
                                    return null;
                                }
                            }
                            return null;
                        });
    }

    private final class Out extends ServletOutputStream {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new AssertionError("nobody listens");
        }

        @Override
        public void write(int value) throws IOException {
            if (broken.isPresent()) {
                throw broken.get();
            }
            body.write(value);
        }
    }

    private double value(String name, String... labels) {
        byte[] text = metrics.encode(List.of(), Optional.empty()).bytes();
        return MetricsText.parse(new String(text, StandardCharsets.UTF_8)).value(name, labels);
    }

    private void assertCounts(int requests, String outcome, int disconnects) {
        assertEquals(
                requests,
                value(
                        "varve_requests_total",
                        "route",
                        "/tried",
                        "code",
                        Integer.toString(status),
                        "finish_reason",
                        outcome,
                        "model",
                        ""));
        assertEquals(disconnects, value("varve_client_disconnects_total"));
    }

    static List<Throwable> faults() {
        return List.of(
                new IOException("no space left on device"),
                new UncheckedIOException(new IOException("input/output error")),
                new IllegalStateException("odd"),
                new StackOverflowError("deep"),
                new NoSuchMethodError("gone()"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void serverFaultIsA500AndNoDisconnect(Throwable fault) throws Exception {
        run(
                exchange -> {
                    switch (fault) {
                        case IOException e -> throw e;
                        case RuntimeException e -> throw e;
                        case Error e -> throw e;
                        default -> throw new AssertionError(fault);
                    }
                });

        assertEquals(500, status);
        assertTrue(
                body.toString(StandardCharsets.UTF_8).contains("error"),
                body.toString(StandardCharsets.UTF_8));
        assertCounts(1, "", 0);
    }

    @Test
    void clientDisconnectIsCountedAsSuch() throws Exception {
        run(
                exchange -> {
                    throw new ClientGoneException();
                });

        assertCounts(1, "disconnect", 1);
    }

    @Test
    void brokenConnectionDuringTheResponseIsADisconnect() throws Exception {
        broken = Optional.of(new IOException("broken pipe"));

        run(
                exchange -> {
                    JsonResponse.write(exchange.response(), 200, Json.object());
                    return RequestOutcome.PLAIN;
                });

        assertCounts(1, "disconnect", 1);
    }

    /** The server cannot send the error, since the connection has also failed. */
    @Test
    void faultWithoutAConnectionIsCounted() throws Exception {
        broken = Optional.of(new IOException("broken pipe"));

        run(
                exchange -> {
                    throw new IllegalStateException("odd");
                });

        assertCounts(1, "disconnect", 1);
    }
}

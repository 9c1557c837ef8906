package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.http.tls.TlsSource;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.TestCertificates;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A server that speaks HTTPS, over a scripted engine. */
@Timeout(120)
class HttpsTest {
    /** Longer than the server takes to look whether a client is still there. */
    private static final long SOME_TICKS_MILLIS = 1800;

    @TempDir static Path folder;

    private static TestCertificates.Pair pair;

    private final ScriptedEngine engine = new ScriptedEngine();

    @BeforeAll
    static void make() throws Exception {
        pair = new TestCertificates(folder).make("server", "EC");
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    private static HttpOptions options() {
        return HttpOptions.loopback()
                .withTls(Optional.of(TlsSource.read(pair.certificate(), pair.key())));
    }

    @Test
    void requestsAreServed() throws Exception {
        engine.says(TestServer.ids("ok"));
        try (TestServer server = TestServer.of(engine, options());
                HttpClient client = HttpClient.newBuilder().sslContext(pair.client()).build()) {
            URI uri = server.server.uri();
            HttpResponse<String> health =
                    client.send(
                            HttpRequest.newBuilder(URI.create(uri + "/health")).build(),
                            HttpResponse.BodyHandlers.ofString());
            HttpResponse<String> answer =
                    client.send(
                            HttpRequest.newBuilder(URI.create(uri + "/v1/chat/completions"))
                                    .POST(
                                            HttpRequest.BodyPublishers.ofString(
                                                    TestServer.chatBody("")))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());

            assertEquals("https", uri.getScheme());
            assertEquals(200, health.statusCode());
            assertEquals(
                    "ok", TestServer.json(answer).at("/choices/0/message/content").stringValue());
        }
    }

    @Test
    void plainHttpClientGetsAnHttpsOnlyError() throws Exception {
        try (TestServer server = TestServer.of(engine, options());
                RawClient client = RawClient.of(server)) {
            String answer = client.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").rest();

            assertTrue(answer.startsWith("HTTP/1.1 400"), answer);
            assertTrue(answer.contains("\"code\":\"https_only\""), answer);
        }
    }

    @Test
    void certificateDoesNotReplaceAKey() {
        VarveException refusal =
                assertThrows(
                        VarveException.class,
                        () ->
                                new HttpOptions(
                                                new ListenAddress("0.0.0.0", 0),
                                                ClientAccessSettings.LOCAL,
                                                IngressLimits.DEFAULT)
                                        .withTls(options().tls()));

        assertTrue(refusal.getMessage().contains("{setting:apiKey}"), refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @ByDay(2)
    void clientDisconnectDuringAWaitIsDetected(boolean stream) throws Exception {
        engine.waitsFor(new CountDownLatch(1));
        try (TestServer server = TestServer.of(engine, options())) {
            Socket socket = connect(server);
            post(socket, "\"stream\": " + stream);
            assertTrue(engine.submitted.await(10, TimeUnit.SECONDS));

            socket.close();

            assertTrue(engine.cancelled.await(30, TimeUnit.SECONDS), "the generation goes on");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @ByDay(1)
    void peekedConnectionServesTheNextRequest(boolean stream) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        engine.says(TestServer.ids("ok")).waitsFor(start);
        try (TestServer server = TestServer.of(engine, options());
                Socket socket = connect(server)) {
            BufferedReader in =
                    new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            CompletableFuture.delayedExecutor(SOME_TICKS_MILLIS, TimeUnit.MILLISECONDS)
                    .execute(start::countDown);
            for (int i = 0; i < 2; i++) {
                post(socket, "\"stream\": " + stream);
                assertEquals("HTTP/1.1 200 OK", in.readLine());
                readToEnd(in, stream);
            }
            post(socket, "\"stream\": 7");
            assertEquals("HTTP/1.1 400 Bad Request", in.readLine());
        }
    }

    private static void readToEnd(BufferedReader in, boolean stream) throws IOException {
        int length = 0;
        String line = in.readLine();
        while (!line.isEmpty()) {
            if (line.startsWith("Content-Length: ")) {
                length = Integer.parseInt(line.substring("Content-Length: ".length()));
            }
            line = in.readLine();
        }
        if (stream) {
            while (!line.equals("0")) {
                line = in.readLine();
            }
            assertEquals("", in.readLine());
        } else {
            for (int i = 0; i < length; i++) {
                assertTrue(in.read() >= 0);
            }
        }
    }

    private static Socket connect(TestServer server) throws Exception {
        Socket socket =
                pair.client()
                        .getSocketFactory()
                        .createSocket("127.0.0.1", server.server.uri().getPort());
        socket.setSoTimeout(30_000);
        return socket;
    }

    private static void post(Socket socket, String fields) throws IOException {
        byte[] body = TestServer.chatBody(fields).getBytes(StandardCharsets.UTF_8);
        socket.getOutputStream()
                .write(
                        ("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                                        + "Content-Length: "
                                        + body.length
                                        + "\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(body);
        socket.getOutputStream().flush();
    }
}

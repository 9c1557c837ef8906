package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.HttpOptions;
import dev.varve.platform.http.HttpServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.PrintWriter;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

class LogSetupTest {
    private static final String SECRET = "sk-of-nobody-else";

    @AfterEach
    void reset() {
        LogSetup.configure(LogLevel.INFO);
    }

    @ParameterizedTest
    @EnumSource(
            value = LogLevel.class,
            names = {"DEBUG", "TRACE"})
    void keysAndCookiesAreNeverLogged(LogLevel level) throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        LogSetup.configure(level);
        CountDownLatch published = new CountDownLatch(1);
        Handler collector = collector(lines, published);
        Logger.getLogger("").addHandler(collector);

        try (HttpServer server = HttpServer.start(HttpOptions.loopback());
                HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(server.uri() + "/v1/models"))
                            .headers(
                                    "Authorization",
                                    "Bearer " + SECRET,
                                    "X-Api-Key",
                                    SECRET,
                                    "Cookie",
                                    "session=" + SECRET)
                            .build();
            assertEquals(
                    503, client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
            // The answer is out before the line is written.
            assertTrue(published.await(30, TimeUnit.SECONDS), () -> "nothing was logged: " + lines);
        }

        assertFalse(
                lines.stream().anyMatch(line -> line.contains(SECRET)),
                () -> lines.stream().filter(line -> line.contains(SECRET)).toList().toString());
    }

    /** Lines of the start would be between the messages of a conversation. */
    @Test
    void chatLogsWarningsUnlessItIsAskedForMore() {
        execute("chat", "no-such.gguf");
        assertEquals(LogLevel.WARNING, LogSetup.level());

        execute("chat", "no-such.gguf", "--log-level", "info");
        assertEquals(LogLevel.INFO, LogSetup.level());
    }

    private static void execute(String... arguments) {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        VarveCommand.execute(
                new Environment(Map.of(), Optional.empty(), Set.of()), nowhere, nowhere, arguments);
    }

    @ParameterizedTest
    @EnumSource(LogLevel.class)
    void levelAppliesToVarve(LogLevel level) {
        LogSetup.configure(level);

        assertEquals(level, LogSetup.level());
        assertEquals(
                level.level().intValue() <= Level.FINE.intValue(),
                Logger.getLogger("dev.varve.http").isLoggable(Level.FINE));
    }

    private static Handler collector(List<String> lines, CountDownLatch published) {
        TextLogFormatter format = new TextLogFormatter();
        Handler collector =
                new Handler() {
                    @Override
                    public void publish(LogRecord line) {
                        String text = format.format(line);
                        lines.add(text);
                        if (text.contains("/v1/models")) {
                            published.countDown();
                        }
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        collector.setLevel(Level.ALL);
        return collector;
    }
}

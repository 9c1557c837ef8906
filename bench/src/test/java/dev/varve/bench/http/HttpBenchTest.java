package dev.varve.bench.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.bench.http.stream.ScriptedServer;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

class HttpBenchTest {
    private static final String NOBODY = "http://127.0.0.1:1";

    private record Ran(int status, String out, String err) {
        JsonNode json() {
            return JsonMapper.shared().readTree(out);
        }

        JsonNode scenario(int index) {
            return json().path("scenarios").path(index);
        }

        JsonNode figure(int scenario, String name) {
            return scenario(scenario).path("figures").path(name);
        }

        @Override
        public String toString() {
            return "status " + status + "\n" + out + "\n" + err;
        }
    }

    @Test
    void clientsSendDistinctPromptsConcurrentlyAndTheirTokensAreCounted() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(ScriptedServer::stream)) {
            Ran ran =
                    run(
                            "--server",
                            server.url(),
                            "--scenario",
                            "clients",
                            "--clients",
                            "3",
                            "--tokens",
                            "5",
                            "--prompt-tokens",
                            "27",
                            "--pairs",
                            "2");

            assertEquals(0, ran.status(), ran.toString());
            assertEquals(2, ran.scenario(0).path("rounds").intValue());
            assertEquals(15.0, ran.figure(0, "tokens").path("server").doubleValue());
            assertEquals(27.0, ran.figure(0, "prompt_tokens").path("server").doubleValue());
            assertEquals(2, ran.figure(0, "ttft_p50_ms").path("server_rounds").size());
            assertTrue(ran.figure(0, "tokens_per_second").path("server").doubleValue() > 0);
            assertEquals("more", ran.figure(0, "tokens_per_second").path("better").stringValue());
            assertEquals("usage", ran.json().path("server").path("tokens_from").stringValue());
            assertEquals("toy", ran.json().path("server").path("model").stringValue());
            assertEquals(2 + 3 * 3, firstWords(server).size(), "two to learn the vocabulary");
        }
    }

    @Test
    void allClientsConnectBeforeTheFirstResponse() throws Exception {
        CountDownLatch all = new CountDownLatch(4);
        ScriptedServer.Script together =
                (exchange, request) -> {
                    if (request.path("max_tokens").intValue() > 1) {
                        all.countDown();
                        Await.latch(all);
                    }
                    ScriptedServer.stream(exchange, request);
                };
        try (ScriptedServer server = ScriptedServer.start(together)) {
            Ran ran =
                    run(
                            "--server",
                            server.url(),
                            "--scenario",
                            "clients",
                            "--clients",
                            "4",
                            "--tokens",
                            "2",
                            "--pairs",
                            "1");

            assertEquals(0, ran.status(), ran.toString());
        }
    }

    @Test
    void peerGetsTheSamePromptsAndIsCompared() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(ScriptedServer::stream);
                ScriptedServer peer = ScriptedServer.start(ScriptedServer::stream)) {
            Ran ran =
                    run(
                            "--server",
                            server.url(),
                            "--peer",
                            peer.url(),
                            "--scenario",
                            "turn",
                            "--turns",
                            "2",
                            "--tokens",
                            "4",
                            "--pairs",
                            "3");

            assertEquals(0, ran.status(), ran.toString());
            assertEquals(measured(server, 4), measured(peer, 4));
            assertEquals(4 * 2, measured(peer, 4).size());
            JsonNode turn = ran.figure(0, "turn_p50_ms");
            assertEquals(3, turn.path("server_rounds").size());
            assertEquals(3, turn.path("peer_rounds").size());
            assertEquals(1.0, ran.figure(0, "tokens").path("ratio").doubleValue());
            assertTrue(
                    turn.path("interval").path(0).doubleValue()
                            <= turn.path("ratio").doubleValue());
        }
    }

    @Test
    void conversationSendsEarlierQuestionsAndAnswersAgain() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(ScriptedServer::stream);
                ScriptedServer peer = ScriptedServer.start(ScriptedServer::stream)) {
            Ran ran =
                    run(
                            "--server",
                            server.url(),
                            "--peer",
                            peer.url(),
                            "--scenario",
                            "conversation",
                            "--turns",
                            "3",
                            "--tokens",
                            "2",
                            "--pairs",
                            "1");

            assertEquals(0, ran.status(), ran.toString());
            JsonNode sum = ran.figure(0, "ttft_sum_ms");
            assertTrue(sum.path("ratio").doubleValue() > 0, ran.toString());
            JsonNode last = server.asked().getLast().body();
            assertFalse(last.path("ignore_eos").booleanValue(), last.toString());
            JsonNode chat = last.path("messages");
            assertEquals(5, chat.size(), chat.toString());
            for (int i = 0; i < 5; i++) {
                String role = i % 2 == 0 ? "user" : "assistant";
                assertEquals(role, chat.path(i).path("role").stringValue());
            }
            assertEquals("t0t1", chat.path(3).path("content").stringValue());
            assertEquals(last, peer.asked().getLast().body());
            assertEquals(2, distinctFirstQuestions(server, 2), "one of the warm-up, one counted");
        }
    }

    @Test
    void longPromptIsSentWhileTheStreamRuns() throws Exception {
        Semaphore computed = new Semaphore(0);
        ScriptedServer.Script script =
                (exchange, request) -> {
                    int tokens = request.path("max_tokens").intValue();
                    try (OutputStream out = ScriptedServer.open(exchange)) {
                        for (int i = 0; i < tokens; i++) {
                            if (tokens == 20 && i == LongTrial.LEAD) {
                                acquire(computed);
                            }
                            ScriptedServer.write(out, ScriptedServer.text("t"));
                        }
                        if (tokens == LongTrial.LONG_ANSWER_TOKENS) {
                            computed.release();
                        }
                        ScriptedServer.write(out, ScriptedServer.usage(request, tokens));
                        ScriptedServer.write(out, ScriptedServer.DONE);
                    }
                };
        try (ScriptedServer server = ScriptedServer.start(script)) {
            Ran ran =
                    run(
                            "--server",
                            server.url(),
                            "--scenario",
                            "long",
                            "--tokens",
                            "20",
                            "--long-tokens",
                            "307",
                            "--pairs",
                            "2");

            assertEquals(0, ran.status(), ran.toString());
            assertEquals(307.0, ran.figure(0, "prompt_tokens").path("server").doubleValue());
            assertEquals(
                    LongTrial.LONG_ANSWER_TOKENS,
                    ran.figure(0, "tokens").path("server").doubleValue());
            assertEquals(2, ran.figure(0, "longest_gap_ms").path("server_rounds").size());
        }
    }

    @Test
    void curveHasAScenarioForEachNumberOfClients() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(ScriptedServer::stream)) {
            Ran ran =
                    run(
                            "--server",
                            server.url(),
                            "--scenario",
                            "curve",
                            "--tokens",
                            "2",
                            "--pairs",
                            "1");

            List<Integer> clients = new ArrayList<>();
            List<Double> tokens = new ArrayList<>();
            for (int i = 0; i < ran.json().path("scenarios").size(); i++) {
                clients.add(ran.scenario(i).path("clients").intValue());
                tokens.add(ran.figure(i, "tokens").path("server").doubleValue());
            }
            assertEquals(List.of(1, 2, 4, 8, 16, 32), clients, ran.toString());
            assertEquals(List.of(2.0, 4.0, 8.0, 16.0, 32.0, 64.0), tokens);
        }
    }

    @Test
    void humanReadableTablesHaveARowForEachFigure() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(ScriptedServer::stream);
                ScriptedServer peer = ScriptedServer.start(ScriptedServer::stream)) {
            String[] arguments = {
                "--server",
                server.url(),
                "--peer",
                peer.url(),
                "--scenario",
                "clients,curve",
                "--tokens",
                "2",
                "--pairs",
                "1",
                "--settle",
                "0",
                "--seed",
                "11"
            };
            Ran ran = runAsIs(arguments);

            assertEquals(0, ran.status(), ran.toString());
            for (String part :
                    List.of(
                            "seed    11",
                            "tokens/s",
                            "TTFT p95 ms",
                            "longest gap ms",
                            "ratio",
                            "clients at once: 8",
                            "     32 ",
                            "medians of 1 rounds")) {
                assertTrue(ran.out().contains(part), part + " is missing in " + ran);
            }
        }
    }

    @Test
    void chunksAreCountedWhenTheServerSendsNoUsage() throws Exception {
        ScriptedServer.Script silent =
                (exchange, request) -> {
                    try (OutputStream out = ScriptedServer.open(exchange)) {
                        for (int i = 0; i < request.path("max_tokens").intValue(); i++) {
                            ScriptedServer.write(out, ScriptedServer.text("t"));
                        }
                        ScriptedServer.write(out, ScriptedServer.DONE);
                    }
                };
        try (ScriptedServer server = ScriptedServer.start(silent)) {
            Ran ran =
                    run(
                            "--server",
                            server.url(),
                            "--scenario",
                            "clients",
                            "--clients",
                            "2",
                            "--tokens",
                            "3",
                            "--pairs",
                            "1");

            assertEquals("chunks", ran.json().path("server").path("tokens_from").stringValue());
            assertEquals(6.0, ran.figure(0, "tokens").path("server").doubleValue());
            assertFalse(ran.scenario(0).path("figures").has("prompt_tokens"), ran.toString());
        }
    }

    @Test
    void failedRequestEndsItsScenarioIsReportedAndSetsStatusOne() throws Exception {
        AtomicInteger chats = new AtomicInteger();
        ScriptedServer.Script script =
                (exchange, request) -> {
                    // two to learn the vocabulary, one to warm up, two rounds
                    if (chats.incrementAndGet() == 6) {
                        ScriptedServer.reply(exchange, 500, "out of luck");
                    } else {
                        ScriptedServer.stream(exchange, request);
                    }
                };
        try (ScriptedServer server = ScriptedServer.start(script)) {
            Ran ran =
                    run(
                            "--server",
                            server.url(),
                            "--scenario",
                            "clients,turn",
                            "--clients",
                            "1",
                            "--turns",
                            "1",
                            "--tokens",
                            "2",
                            "--pairs",
                            "4");

            assertEquals(1, ran.status(), ran.toString());
            assertEquals(2, ran.scenario(0).path("rounds").intValue());
            assertEquals(4, ran.scenario(1).path("rounds").intValue());
            String told = ran.json().path("errors").path(0).stringValue();
            assertTrue(told.startsWith("clients: ") && told.endsWith("500: out of luck"), told);
            assertTrue(ran.err().contains("found 500: out of luck"), ran.toString());
        }
    }

    @Test
    void unreachableServerIsAFailureWithItsAddress() {
        Ran ran = run("--server", NOBODY);

        assertEquals(1, ran.status(), ran.toString());
        assertTrue(ran.err().contains(NOBODY + "/v1/models"), ran.toString());
        assertEquals(1, ran.json().path("errors").size());
    }

    @Test
    void commandIsStartedQueriedAndStoppedForEachRun() {
        String java = ProcessHandle.current().info().command().orElseThrow();
        String command =
                "'"
                        + java
                        + "' -XX:TieredStopAtLevel=1 -cp '"
                        + System.getProperty("java.class.path")
                        + "' "
                        + ScriptedServer.class.getName()
                        + " {port}";

        Ran ran = run("--scenario", "first", "--command", command, "--runs", "1");

        assertEquals(0, ran.status(), ran.toString());
        assertEquals("first", ran.scenario(0).path("scenario").stringValue());
        assertEquals(1, ran.figure(0, "first_answer_ms").path("server_rounds").size());
        assertEquals(
                0,
                ProcessHandle.current().descendants().count(),
                "processes that are left of the benchmark");
    }

    @Test
    void commandThatExitsIsAFailureWithItsLastOutput() {
        Ran ran =
                run(
                        "--scenario",
                        "first",
                        "--runs",
                        "1",
                        "--command",
                        "sh -c 'echo no model at port {port} >&2; exit 3'");

        assertEquals(1, ran.status(), ran.toString());
        assertTrue(ran.err().contains("ended with status 3"), ran.toString());
        assertTrue(ran.err().contains("no model at port"), ran.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--clients 0",
                "--tokens many",
                "--pairs 0",
                "--settle -1",
                "--timeout 0",
                "--scenario marathon",
                "--api-key ä",
                "--peer ftp://127.0.0.1",
                "--command varve",
                "--peer-command {port}"
            })
    void invalidArgumentsNameTheirFlag(String arguments) {
        String flag = arguments.split(" ")[0];
        List<String> all = new ArrayList<>(List.of("--server", NOBODY));
        all.addAll(List.of(arguments.split(" ")));

        Ran ran = runAsIs(all.toArray(String[]::new));

        assertEquals(2, ran.status(), ran.toString());
        assertTrue(ran.err().lines().findFirst().orElseThrow().contains(flag), ran.toString());
    }

    @Test
    void missingArgumentsNameTheirFlag() {
        assertTrue(runAsIs().err().startsWith("--server is missing"));
        assertTrue(runAsIs("--scenario", "first").err().startsWith("--command is missing"));
    }

    @Test
    void helpHasEveryFlagAndExamples() {
        Ran ran = runAsIs("--help");

        assertEquals(0, ran.status());
        for (String part : List.of("--server", "--peer", "--scenario", "--runs", "Examples")) {
            assertTrue(ran.out().contains(part), part + " is missing in " + ran);
        }
    }

    private static void acquire(Semaphore semaphore) throws IOException {
        try {
            if (!semaphore.tryAcquire(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException("the long prompt did not come");
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static Set<String> firstWords(ScriptedServer server) {
        Set<String> words = new HashSet<>();
        server.asked().forEach(asked -> words.add(asked.prompt().split(" ")[0]));
        return words;
    }

    private static long distinctFirstQuestions(ScriptedServer server, int maxTokens) {
        return measured(server, maxTokens).stream().distinct().count();
    }

    private static List<String> measured(ScriptedServer server, int maxTokens) {
        return server.asked().stream()
                .filter(asked -> asked.maxTokens() == maxTokens)
                .map(ScriptedServer.Asked::prompt)
                .toList();
    }

    /** Runs it without pauses, with JSON. */
    private static Ran run(String... arguments) {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--settle", "0", "--json"));
        return runAsIs(all.toArray(String[]::new));
    }

    private static Ran runAsIs(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = HttpBench.run(new PrintWriter(out), new PrintWriter(err), arguments);
        return new Ran(status, out.toString(), err.toString());
    }
}

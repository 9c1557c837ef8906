package dev.varve.platform.http.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.http.EngineStub;
import dev.varve.platform.http.SmallChat;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.metrics.GenerationLatencyRecorder;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.trace.RequestContext;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.setting.SettingNames;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

@Timeout(60)
class ResponseWriterTest {
    private static final GenerationLatencyRecorder TIMES = new Metrics().of("small");

    private final RecordedResponse response = new RecordedResponse();

    @Test
    void wholeResponseIsOneObject() throws Exception {
        RequestOutcome outcome = write(ResponseMode.WHOLE, List.of(said("a", "b"), said("c")));

        assertEquals(200, response.status());
        assertEquals("application/json", response.headers().get("Content-Type"));
        assertEquals("{\"events\":5,\"tokens\":3}", response.text());
        assertEquals(new RequestOutcome(Optional.of("stop"), 3), outcome);
    }

    @Test
    void streamHasAllChunksAndDone() throws Exception {
        RequestOutcome outcome = write(ResponseMode.STREAM, List.of(said("a", "b")));

        assertEquals(
                """
                : accepted
                data: {"opening":true}

                event: token
                data: {"token":0}

                event: token
                data: {"token":0}

                data: {"end":"stop"}

                data: {"usage":2}

                data: [DONE]

                """,
                response.text());
        assertEquals("text/event-stream", response.headers().get("Content-Type"));
        assertEquals("no", response.headers().get("X-Accel-Buffering"));
        assertEquals(new RequestOutcome(Optional.of("stop"), 2), outcome);
    }

    @Test
    void usageFollowsAllChoicesOnRequest() throws Exception {
        write(ResponseMode.STREAM_WITH_USAGE, List.of(said("a"), said("b")));

        assertTrue(
                response.text().endsWith("data: {\"usage\":2}\n\ndata: [DONE]\n\n"),
                response.text());
    }

    @Test
    void failedStreamEndsWithTheErrorWithoutDone() throws Exception {
        RequestOutcome outcome = write(ResponseMode.STREAM, List.of(failed()));

        assertTrue(response.text().contains("\"error\":\"it broke\""), response.text());
        assertFalse(response.text().contains("[DONE]"), response.text());
        assertEquals(Optional.of("error"), outcome.finishReason());
    }

    @Test
    void failedWholeResponseSendsNoResponse() {
        ApiException failure =
                assertThrows(
                        ApiException.class, () -> write(ResponseMode.WHOLE, List.of(failed())));

        assertEquals(503, failure.status());
        assertEquals("", response.text());
    }

    @ParameterizedTest
    @EnumSource(ResponseMode.class)
    @ByDay(1)
    void disconnectedClientIsNotAwaited(ResponseMode delivery) {
        try (ChoiceEventQueue choices =
                new ChoiceEventQueue(1, TIMES, new RequestContext(), () -> {})) {
            choices.submit(
                    new ScriptEngine(List.of(silent())), CacheScope.common(), choice(1), end -> {});

            assertThrows(
                    IOException.class,
                    () ->
                            new ResponseWriter(reader(true), new CountingFormat(), delivery)
                                    .write(choices, 1));
        }
    }

    @Test
    void waitingClientGetsEvents() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        ResponseWriter.ResponseRecipient patient =
                new ResponseWriter.ResponseRecipient(
                        response.response(),
                        () -> asked.getAndIncrement() > 1,
                        SettingNames.IDENTIFIERS,
                        () -> {},
                        failure -> {});
        try (ChoiceEventQueue choices =
                new ChoiceEventQueue(1, TIMES, new RequestContext(), () -> {})) {
            choices.submit(
                    new ScriptEngine(List.of(silent())), CacheScope.common(), choice(1), end -> {});

            assertThrows(
                    IOException.class,
                    () ->
                            new ResponseWriter(
                                            patient,
                                            new CountingFormat(),
                                            ResponseMode.STREAM,
                                            Duration.ZERO)
                                    .write(choices, 1));
        }
        assertTrue(response.text().contains("event: waiting\ndata: {}\n\n"), response.text());
    }

    /** Many tokens may produce no output, as when a dialect sends an argument in one piece. */
    @Test
    void clientThatReceivesNoTokensGetsEventsToo() throws Exception {
        try (ChoiceEventQueue choices =
                new ChoiceEventQueue(1, TIMES, new RequestContext(), () -> {})) {
            choices.submit(
                    new ScriptEngine(List.of(said("a", "b"))),
                    CacheScope.common(),
                    choice(1),
                    end -> {});

            new ResponseWriter(
                            reader(false),
                            new CountingFormat(false),
                            ResponseMode.STREAM,
                            Duration.ofNanos(-1))
                    .write(choices, 1);
        }
        assertEquals(
                List.of("waiting", "waiting", "waiting"),
                response.text()
                        .lines()
                        .filter(line -> line.startsWith("event: "))
                        .map(line -> line.substring(7))
                        .toList());
    }

    private ResponseWriter.ResponseRecipient reader(boolean gone) {
        return new ResponseWriter.ResponseRecipient(
                response.response(), () -> gone, SettingNames.IDENTIFIERS, () -> {}, failure -> {});
    }

    private RequestOutcome write(ResponseMode delivery, List<Consumer<GenerationListener>> scripts)
            throws Exception {
        try (ChoiceEventQueue choices =
                new ChoiceEventQueue(scripts.size(), TIMES, new RequestContext(), () -> {})) {
            choices.submit(
                    new ScriptEngine(scripts),
                    CacheScope.common(),
                    choice(scripts.size()),
                    end -> {});
            return new ResponseWriter(reader(false), new CountingFormat(), delivery)
                    .write(choices, scripts.size());
        }
    }

    private static Consumer<GenerationListener> said(String... tokens) {
        return listener -> {
            listener.onStart(0);
            for (String token : tokens) {
                int id = SmallChat.TOKENIZER.encode(token, false)[0];
                listener.onToken(new GeneratedToken(id, Optional.empty()));
            }
            listener.onEnd(
                    new GenerationEnd(
                            GenerationEnd.Reason.END_TOKEN,
                            new GenerationEnd.Tokens(1, 0, tokens.length),
                            new GenerationEnd.Times(1, 2, 3),
                            PrefixLookupResult.missed(MissReason.UNKNOWN)));
        };
    }

    private static Consumer<GenerationListener> failed() {
        return listener ->
                listener.onError(new VarveException(VarveException.Kind.UNAVAILABLE, "it broke"));
    }

    private static Consumer<GenerationListener> silent() {
        return listener -> listener.onStart(0);
    }

    private static List<PreparedRequest.Choice> choice(int count) {
        return Collections.nCopies(count, 0).stream()
                .map(
                        number ->
                                new PreparedRequest.Choice(
                                        ChoiceEventQueueTest.request(),
                                        ChoiceEventQueueTest.reader()))
                .toList();
    }

    /** Says all of its scripts before it returns. */
    private static final class ScriptEngine extends EngineStub {
        private final List<Consumer<GenerationListener>> scripts;

        ScriptEngine(List<Consumer<GenerationListener>> scripts) {
            this.scripts = scripts;
        }

        @Override
        public List<GenerationHandle> submit(List<NewRequest> submissions) {
            List<GenerationHandle> generations = new ArrayList<>();
            for (int i = 0; i < submissions.size(); i++) {
                scripts.get(i).accept(submissions.get(i).listener());
                generations.add(() -> {});
            }
            return generations;
        }
    }

    /** A serializer whose output shows the events that it received. */
    private record CountingFormat(boolean tellsTokens) implements ResponseSerializer {
        CountingFormat() {
            this(true);
        }

        @Override
        public List<StreamEvent> opening() {
            return List.of(new StreamEvent.Data(Json.object().put("opening", true)));
        }

        @Override
        public List<StreamEvent> token(ChoiceEvent.Token token) {
            return tellsTokens
                    ? List.of(
                            new StreamEvent.Named(
                                    "token", Json.object().put("token", token.index())))
                    : List.of();
        }

        @Override
        public List<StreamEvent> end(ChoiceEvent.Ended ended) {
            return List.of(new StreamEvent.Data(Json.object().put("end", ended.finishReason())));
        }

        @Override
        public List<StreamEvent> closing(Usage usage) {
            return List.of(
                    new StreamEvent.Data(Json.object().put("usage", usage.generatedTokens())),
                    DONE);
        }

        @Override
        public List<StreamEvent> failure(ApiException error, SettingNames names) {
            return List.of(new StreamEvent.Data(Json.object().put("error", error.getMessage())));
        }

        @Override
        public StreamEvent waiting() {
            return new StreamEvent.Named("waiting", Json.object());
        }

        @Override
        public ObjectNode whole(List<ChoiceEvent.OutputEvent> events, Usage usage) {
            return Json.object()
                    .put("events", events.size())
                    .put("tokens", usage.generatedTokens());
        }
    }
}

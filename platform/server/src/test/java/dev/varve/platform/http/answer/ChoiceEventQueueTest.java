package dev.varve.platform.http.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.ResponseOptions;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.chat.StoppingResponseParser;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.http.EngineStub;
import dev.varve.platform.http.SmallChat;
import dev.varve.platform.http.metrics.GenerationLatencyRecorder;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.trace.RequestContext;
import dev.varve.platform.sequence.CacheScope;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

@Timeout(60)
class ChoiceEventQueueTest {
    private static final GenerationLatencyRecorder TIMES = new Metrics().of("small");

    /** Says more of its first answer than anybody reads before it is known what was submitted. */
    private static final class HastyEngine extends EngineStub {
        final Set<Integer> cancelled = ConcurrentHashMap.newKeySet();

        @Override
        public List<GenerationHandle> submit(List<NewRequest> submissions) {
            flood(submissions.getFirst().listener());
            return IntStream.range(0, submissions.size())
                    .mapToObj(number -> (GenerationHandle) () -> cancelled.add(number))
                    .toList();
        }

        private static void flood(GenerationListener listener) {
            Thread engine =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        GeneratedToken token =
                                                new GeneratedToken('x', Optional.empty());
                                        boolean wanted = true;
                                        while (wanted) {
                                            wanted = listener.onToken(token);
                                        }
                                    });
            try {
                engine.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void choicesThatOverflowBeforeTheirStartAreCancelled() {
        HastyEngine engine = new HastyEngine();
        int[] aborts = {0};
        try (ChoiceEventQueue choices =
                new ChoiceEventQueue(2, TIMES, new RequestContext(), () -> aborts[0]++)) {
            choices.submit(
                    engine,
                    CacheScope.common(),
                    List.of(
                            new PreparedRequest.Choice(request(), reader()),
                            new PreparedRequest.Choice(request(), reader())),
                    end -> {});

            assertTrue(choices.isOverflown());
            assertEquals(Set.of(0, 1), engine.cancelled);
            assertEquals(1, aborts[0]);
        }
    }

    static StoppingResponseParser reader() {
        return StoppingResponseParser.of(
                ResponseSyntax.plain(SmallChat.TOKENIZER)
                        .open(new int[] {1}, ResponseOptions.stoppingAt(List.of()))
                        .text());
    }

    static GenerationRequest request() {
        return GenerationRequest.greedy(new int[] {1}, Integer.MAX_VALUE);
    }
}

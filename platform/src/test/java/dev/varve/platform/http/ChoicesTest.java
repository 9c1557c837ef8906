package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.AnswerDialect;
import dev.varve.platform.chat.AnswerOptions;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.Generation;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.sampling.SamplingOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

@Timeout(60)
class ChoicesTest {
    /** Says more of its first answer than anybody reads while the second is being submitted. */
    private static final class HastyEngine implements Engine {
        final Set<Integer> cancelled = java.util.concurrent.ConcurrentHashMap.newKeySet();
        private final Map<Integer, GenerationListener> listeners = new HashMap<>();

        @Override
        public Generation submit(GenerationRequest request, GenerationListener listener) {
            int number = listeners.size();
            listeners.put(number, listener);
            if (number == 1) {
                flood(listeners.get(0));
            }
            return () -> cancelled.add(number);
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

        @Override
        public EngineStatus status() {
            throw new AssertionError("nobody asks");
        }

        @Override
        public boolean drain(Duration limit) {
            return true;
        }

        @Override
        public void close() {
            // Nothing runs.
        }
    }

    @Test
    void aChoiceThatIsSubmittedBehindTheOverflowIsCancelledToo() {
        HastyEngine engine = new HastyEngine();
        int[] aborts = {0};
        try (Choices choices = new Choices(2, new Metrics(), () -> aborts[0]++)) {
            choices.submit(engine, request(), reader());
            choices.submit(engine, request(), reader());

            assertTrue(choices.isOverflown());
            assertEquals(Set.of(0, 1), engine.cancelled);
            assertEquals(1, aborts[0]);
        }
    }

    private static AnswerReader reader() {
        return new AnswerReader(
                AnswerDialect.plain(SmallChat.TOKENIZER)
                        .open(new int[] {1}, AnswerOptions.stoppingAt(List.of()))
                        .text(),
                false);
    }

    private static GenerationRequest request() {
        return new GenerationRequest(
                new int[] {1},
                0,
                Integer.MAX_VALUE,
                Set.of(),
                new SamplingOptions(0, 0, 1, 0, 1, 0, 0, OptionalLong.empty(), Map.of()),
                -1);
    }
}

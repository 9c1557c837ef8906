package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.AnswerText;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.Generation;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.engine.GenerationRequest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The running choices of one HTTP request and their events. The queue is bounded: a client that
 * reads too slowly loses its request, it never holds up a step.
 */
final class Choices implements AutoCloseable {
    private static final int EVENTS_PER_CHOICE = 4096;

    private final BlockingQueue<ChoiceEvent> events;
    private final List<Generation> generations = new ArrayList<>();
    private final Metrics metrics;
    private final Runnable abort;
    private volatile boolean overflown;

    /**
     * {@code abort} ends the connection, so that a thread which waits for the client to read comes
     * back.
     */
    Choices(int count, Metrics metrics, Runnable abort) {
        events = new ArrayBlockingQueue<>(count * EVENTS_PER_CHOICE);
        this.metrics = metrics;
        this.abort = abort;
    }

    /** Submits one more choice. */
    void submit(Engine engine, GenerationRequest request, Supplier<AnswerText> text) {
        int index = generations.size();
        generations.add(engine.submit(request, new Listener(index, text.get())));
    }

    /** The next event, or empty after {@code wait}. */
    Optional<ChoiceEvent> next(Duration wait) throws InterruptedException {
        return Optional.ofNullable(events.poll(wait.toMillis(), TimeUnit.MILLISECONDS));
    }

    /** Whether the client fell too far behind. */
    boolean isOverflown() {
        return overflown;
    }

    /** Cancels what still runs. */
    @Override
    public void close() {
        generations.forEach(Generation::cancel);
    }

    private void offer(ChoiceEvent event) {
        if (!events.offer(event) && !overflown) {
            overflown = true;
            close();
            abort.run();
        }
    }

    /** Runs on the engine's thread: must not block. */
    private final class Listener implements GenerationListener {
        private final int index;
        private final AnswerText text;
        private final long submitted = System.nanoTime();
        private long lastToken;

        Listener(int index, AnswerText text) {
            this.index = index;
            this.text = text;
        }

        @Override
        public void onStart(int cachedTokens) {
            metrics.queueTime.observe(System.nanoTime() - submitted);
        }

        @Override
        public boolean onToken(GeneratedToken token) {
            long now = System.nanoTime();
            if (lastToken == 0) {
                metrics.timeToFirstToken.observe(now - submitted);
            } else {
                metrics.interTokenLatency.observe(now - lastToken);
            }
            lastToken = now;
            AnswerText.Piece piece = text.push(token.id());
            offer(new ChoiceEvent.Token(index, token, piece.reasoning(), piece.content()));
            return text.stopFound().isEmpty() && !overflown;
        }

        @Override
        public void onEnd(GenerationEnd end) {
            metrics.requestLatency.observe(System.nanoTime() - submitted);
            AnswerText.Piece rest = text.finish();
            offer(
                    new ChoiceEvent.Ended(
                            index,
                            end,
                            rest.reasoning(),
                            rest.content(),
                            text.stopFound(),
                            text.reasoningTokens()));
        }

        @Override
        public void onError(VarveException error) {
            offer(new ChoiceEvent.Failed(index, error));
        }
    }
}

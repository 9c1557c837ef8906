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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The running choices of one HTTP request and their events. The queue is bounded: a client that
 * reads too slowly loses its request, it never holds up a step.
 */
final class Choices implements AutoCloseable {
    private static final int EVENTS_PER_CHOICE = 4096;

    private final BlockingQueue<ChoiceEvent> events;

    /** The engine's thread cancels them while later ones are still being submitted. */
    private final List<Generation> generations = new CopyOnWriteArrayList<>();

    private final Metrics metrics;
    private final Runnable abort;
    private volatile boolean overflown;

    /**
     * {@code abort} ends the connection, so that a thread which waits for the client to read comes
     * back.
     */
    Choices(int count, Metrics metrics, Runnable abort) {
        events = new LinkedBlockingQueue<>(count * EVENTS_PER_CHOICE);
        this.metrics = metrics;
        this.abort = abort;
    }

    /** Submits one more choice. */
    void submit(Engine engine, GenerationRequest request, AnswerReader reader) {
        int index = generations.size();
        Generation generation = engine.submit(request, new Listener(index, reader));
        generations.add(generation);
        if (overflown) {
            // The others may have been cancelled before this one was among them.
            generation.cancel();
        }
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
        private final AnswerReader reader;
        private final long submitted = System.nanoTime();
        private long lastToken;

        Listener(int index, AnswerReader reader) {
            this.index = index;
            this.reader = reader;
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
            offer(new ChoiceEvent.Token(index, token, reader.push(token.id())));
            return !reader.isComplete() && !overflown;
        }

        @Override
        public void onEnd(GenerationEnd end) {
            metrics.requestLatency.observe(System.nanoTime() - submitted);
            AnswerText.Piece rest = reader.finish();
            offer(new ChoiceEvent.Ended(index, end, rest, reader.facts()));
        }

        @Override
        public void onError(VarveException error) {
            offer(new ChoiceEvent.Failed(index, error));
        }
    }
}

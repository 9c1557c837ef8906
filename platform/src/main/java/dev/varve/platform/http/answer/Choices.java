package dev.varve.platform.http.answer;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.AnswerText;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.Generation;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.sequence.CacheScope;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The running choices of one HTTP request and their events. The queue is bounded: a client that
 * reads too slowly loses its request, it never holds up a step.
 */
final class Choices implements AutoCloseable {
    private static final int EVENTS_PER_CHOICE = 4096;

    private final BlockingQueue<ChoiceEvent> events;

    /** The engine's thread may want to cancel them before they are known here. */
    private volatile List<Generation> generations = List.of();

    private final Metrics metrics;
    private final Runnable abort;
    private volatile boolean overflown;
    private volatile boolean cancelled;

    /**
     * {@code abort} ends the connection, so that a thread which waits for the client to read comes
     * back.
     */
    Choices(int count, Metrics metrics, Runnable abort) {
        events = new LinkedBlockingQueue<>(count * EVENTS_PER_CHOICE);
        this.metrics = metrics;
        this.abort = abort;
    }

    /**
     * Submits all choices, in the order of their numbers.
     *
     * @param ended hears how each ended, on the engine's thread
     */
    void submit(
            Engine engine,
            CacheScope scope,
            List<PendingAnswer.Choice> choices,
            Consumer<GenerationEnd> ended) {
        List<Engine.Submission> submissions = new ArrayList<>(choices.size());
        for (PendingAnswer.Choice choice : choices) {
            submissions.add(
                    new Engine.Submission(
                            choice.request().within(scope),
                            new Listener(submissions.size(), choice.reader(), ended)));
        }
        generations = List.copyOf(engine.submit(submissions));
        if (overflown) {
            // It may have come before there was anything to cancel.
            close();
        }
    }

    /** The next event, or empty after {@code wait}. */
    Optional<ChoiceEvent> next(Duration wait) throws InterruptedException {
        return Optional.ofNullable(events.poll(wait.toMillis(), TimeUnit.MILLISECONDS));
    }

    /** What was submitted, in the order of their numbers. */
    List<Generation> generations() {
        return generations;
    }

    /** Cancels what still runs; the client hears that somebody else did. */
    void cancel() {
        cancelled = true;
        close();
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
        private final Consumer<GenerationEnd> ended;
        private final long submitted = System.nanoTime();
        private boolean hasToken;
        private long lastToken;

        Listener(int index, AnswerReader reader, Consumer<GenerationEnd> ended) {
            this.index = index;
            this.reader = reader;
            this.ended = ended;
        }

        @Override
        public void onStart(int cachedTokens) {
            metrics.observeQueueTime(System.nanoTime() - submitted);
        }

        @Override
        public boolean onToken(GeneratedToken token) {
            long now = System.nanoTime();
            if (!hasToken) {
                metrics.observeFirstToken(now - submitted);
            } else {
                metrics.observeTokenGap(now - lastToken);
            }
            hasToken = true;
            lastToken = now;
            offer(new ChoiceEvent.Token(index, token, reader.push(token.id())));
            return !reader.isComplete() && !overflown;
        }

        @Override
        public void onEnd(GenerationEnd end) {
            metrics.observeRequest(System.nanoTime() - submitted);
            ended.accept(end);
            AnswerText.Piece rest = reader.finish();
            offer(new ChoiceEvent.Ended(index, end, rest, reader.facts()));
        }

        @Override
        public void onError(VarveException error) {
            boolean byOthers = cancelled && error.kind() == VarveException.Kind.CANCELLED;
            offer(
                    new ChoiceEvent.Failed(
                            index, byOthers ? ApiException.cancelled() : ApiException.of(error)));
        }
    }
}

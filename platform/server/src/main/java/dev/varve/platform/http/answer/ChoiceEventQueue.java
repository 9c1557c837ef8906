package dev.varve.platform.http.answer;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.Generation;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.metrics.GenerationTimes;
import dev.varve.platform.http.trace.RequestMetadata;
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
final class ChoiceEventQueue implements AutoCloseable {
    private static final int EVENTS_PER_CHOICE = 4096;

    private final BlockingQueue<ChoiceEvent> events;

    /** The engine's thread may want to cancel them before they are known here. */
    private volatile List<Generation> generations = List.of();

    private final GenerationTimes times;
    private final RequestMetadata record;
    private final Runnable abort;
    private volatile boolean overflown;
    private volatile boolean cancelled;

    /**
     * @param times takes theirs
     * @param record of the request
     * @param abort ends the connection, so that a thread which waits for the client to read comes
     *     back
     */
    ChoiceEventQueue(int count, GenerationTimes times, RequestMetadata record, Runnable abort) {
        events = new LinkedBlockingQueue<>(count * EVENTS_PER_CHOICE);
        this.times = times;
        this.record = record;
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
            List<PreparedRequest.Choice> choices,
            Consumer<GenerationEnd> ended) {
        List<Engine.Submission> submissions = new ArrayList<>(choices.size());
        for (PreparedRequest.Choice choice : choices) {
            submissions.add(
                    new Engine.Submission(
                            choice.request().within(scope),
                            new Listener(submissions.size(), choice.reader(), engine, ended)));
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
        private final ResponseReader reader;
        private final Consumer<GenerationEnd> ended;
        private final GenerationClock clock;

        Listener(int index, ResponseReader reader, Engine engine, Consumer<GenerationEnd> ended) {
            this.index = index;
            this.reader = reader;
            this.ended = ended;
            clock =
                    new GenerationClock(
                            times,
                            record.begin(),
                            record.span().map(span -> new GenerationTrace(span, index, engine)));
        }

        @Override
        public void onRestore() {
            clock.restore();
        }

        @Override
        public void onStart(int cachedTokens) {
            clock.start(cachedTokens);
        }

        @Override
        public boolean onToken(GeneratedToken token) {
            clock.token();
            offer(new ChoiceEvent.Token(index, token, reader.push(token.id())));
            return !reader.isComplete() && !overflown;
        }

        @Override
        public void onEnd(GenerationEnd end) {
            clock.end(end);
            ended.accept(end);
            ResponseParser.Piece rest = reader.finish();
            offer(new ChoiceEvent.Ended(index, end, rest, reader.facts()));
        }

        @Override
        public void onError(VarveException error) {
            clock.fail(error);
            boolean byOthers = cancelled && error.kind() == VarveException.Kind.CANCELLED;
            offer(
                    new ChoiceEvent.Failed(
                            index, byOthers ? ApiException.cancelled() : ApiException.of(error)));
        }
    }
}

package dev.varve.platform.http.answer;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.chat.StoppingResponseParser;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.metrics.GenerationLatencyRecorder;
import dev.varve.platform.http.trace.RequestContext;
import dev.varve.platform.sequence.CacheScope;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The running choices of one HTTP request and their events. The queue is bounded: the request of a
 * client that reads too slowly is cancelled, so that it never delays a step.
 */
final class ChoiceEventQueue implements AutoCloseable {
    private static final int EVENTS_PER_CHOICE = 4096;

    private final BlockingQueue<ChoiceEvent> events;

    /** Volatile: the engine's thread may cancel before the field is set. */
    private volatile List<GenerationHandle> generations = List.of();

    private final GenerationLatencyRecorder times;
    private final RequestContext traceContext;
    private final Runnable abort;
    private volatile boolean overflown;
    private volatile boolean cancelled;

    /**
     * @param times receives the times of the choices
     * @param traceContext metadata of the request
     * @param abort closes the connection, so that a thread that is blocked in a write to the client
     *     returns
     */
    ChoiceEventQueue(
            int count,
            GenerationLatencyRecorder times,
            RequestContext traceContext,
            Runnable abort) {
        events = new LinkedBlockingQueue<>(count * EVENTS_PER_CHOICE);
        this.times = times;
        this.traceContext = traceContext;
        this.abort = abort;
    }

    /**
     * Submits all choices, in the order of their numbers.
     *
     * @param ended called for each choice that ends, on the engine's thread
     */
    void submit(
            Engine engine,
            CacheScope scope,
            List<PreparedRequest.Choice> choices,
            Consumer<GenerationEnd> ended) {
        List<Engine.NewRequest> submissions = new ArrayList<>(choices.size());
        for (PreparedRequest.Choice choice : choices) {
            submissions.add(
                    new Engine.NewRequest(
                            choice.request().within(scope),
                            new Listener(
                                    submissions.size(),
                                    choice.reader(),
                                    engine,
                                    ended,
                                    progressOf(submissions.size(), choices))));
        }
        generations = List.copyOf(engine.submit(submissions));
        if (overflown) {
            // The overflow may have occurred before the generations were known.
            close();
        }
    }

    /** Counts the tokens of a choice; a prompt counts for the first of its choices only. */
    private ChoiceProgress progressOf(int index, List<PreparedRequest.Choice> choices) {
        boolean isFirst =
                index == 0
                        || !Arrays.equals(
                                choices.get(index).request().prompt().tokens(),
                                choices.get(index - 1).request().prompt().tokens());
        return new ChoiceProgress(
                traceContext.progress(),
                isFirst ? choices.get(index).request().prompt().length() : 0);
    }

    /** Returns the next event, or empty after {@code wait}. */
    Optional<ChoiceEvent> next(Duration wait) throws InterruptedException {
        return Optional.ofNullable(events.poll(wait.toMillis(), TimeUnit.MILLISECONDS));
    }

    /** Returns the submitted generations, in the order of their numbers. */
    List<GenerationHandle> generations() {
        return generations;
    }

    /**
     * Cancels the running choices on behalf of another caller; the client receives an error that
     * says so.
     */
    void cancel() {
        cancelled = true;
        close();
    }

    /** Returns whether the queue overflowed because the client reads too slowly. */
    boolean isOverflown() {
        return overflown;
    }

    /** Cancels the running choices. */
    @Override
    public void close() {
        generations.forEach(GenerationHandle::cancel);
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
        private final StoppingResponseParser reader;
        private final Consumer<GenerationEnd> ended;
        private final GenerationClock clock;
        private final ChoiceProgress progress;

        Listener(
                int index,
                StoppingResponseParser reader,
                Engine engine,
                Consumer<GenerationEnd> ended,
                ChoiceProgress progress) {
            this.progress = progress;
            this.index = index;
            this.reader = reader;
            this.ended = ended;
            clock =
                    new GenerationClock(
                            times,
                            traceContext.begin(),
                            traceContext
                                    .span()
                                    .map(span -> new GenerationTrace(span, index, engine)));
        }

        @Override
        public void onRestore() {
            clock.restore();
        }

        @Override
        public void onStart(int cachedTokens) {
            clock.start(cachedTokens);
            progress.start(cachedTokens);
        }

        @Override
        public void onPreempt() {
            progress.preempt();
        }

        @Override
        public boolean onToken(GeneratedToken token) {
            clock.token();
            progress.token();
            offer(new ChoiceEvent.Token(index, token, reader.push(token.id())));
            return !reader.isComplete() && !overflown;
        }

        @Override
        public void onEnd(GenerationEnd end) {
            clock.end(end);
            progress.end(end.tokens().generated());
            ended.accept(end);
            ResponseParser.Piece rest = reader.finish();
            offer(new ChoiceEvent.Ended(index, end, rest, reader.summary()));
        }

        @Override
        public void onError(VarveException error) {
            clock.fail(error);
            boolean byOthers = cancelled && error.kind() == VarveException.Kind.CANCELLED;
            ApiException failure = byOthers ? ApiException.cancelled() : ApiException.of(error);
            if (byOthers || error.kind() != VarveException.Kind.CANCELLED) {
                // Otherwise the client disconnected, and receives no error.
                traceContext.progress().fail(failure);
            }
            offer(new ChoiceEvent.Failed(index, failure));
        }
    }
}

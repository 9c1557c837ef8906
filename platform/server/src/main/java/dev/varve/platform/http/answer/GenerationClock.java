package dev.varve.platform.http.answer;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.http.metrics.GenerationLatencyRecorder;
import dev.varve.platform.http.metrics.GenerationLatencyRecorder.Interval;
import dev.varve.platform.http.metrics.GenerationLatencyRecorder.Stage;

import java.util.Optional;

/**
 * Measures the stages of a generation, for metrics and the trace. The engine's thread calls it for
 * each token; the trace receives only the beginning and the end of each stage.
 */
final class GenerationClock {
    private final GenerationLatencyRecorder times;
    private final Optional<GenerationTrace> trace;
    private final long request;
    private final long submitted;
    private Stage stage = Stage.QUEUE;
    private long started;
    private long firstToken;
    private long lastToken;

    /**
     * Begins in stage QUEUE.
     *
     * @param request when the request arrived, on the clock of {@link System#nanoTime}
     */
    GenerationClock(
            GenerationLatencyRecorder times, long request, Optional<GenerationTrace> trace) {
        this.times = times;
        this.request = request;
        this.trace = trace;
        submitted = System.nanoTime();
        trace.ifPresent(each -> each.enter(Stage.QUEUE, submitted));
    }

    /** Records that the restore of a cached prefix begins. */
    void restore() {
        if (stage == Stage.QUEUE) {
            long now = System.nanoTime();
            times.observe(Interval.QUEUE, now - submitted);
            enter(Stage.RESTORE, now);
        }
    }

    /**
     * Records that prefill begins; {@code cachedTokens} tokens of the prompt come from the prefix
     * cache.
     */
    void start(int cachedTokens) {
        if (stage == Stage.PREFILL || stage == Stage.DECODE) {
            // The generation continues on another replica.
            return;
        }
        long now = System.nanoTime();
        if (stage == Stage.QUEUE) {
            times.observe(Interval.QUEUE, now - submitted);
        }
        started = now;
        enter(Stage.PREFILL, now);
        trace.ifPresent(each -> each.cached(cachedTokens));
    }

    /** Records a generated token. */
    void token() {
        long now = System.nanoTime();
        if (stage == Stage.DECODE) {
            times.observe(Interval.TOKEN_GAP, now - lastToken);
        } else {
            times.observe(Interval.FIRST_TOKEN, now - request);
            times.observe(Interval.PREFILL, now - started);
            firstToken = now;
            enter(Stage.DECODE, now);
        }
        lastToken = now;
    }

    private void enter(Stage next, long now) {
        stage = next;
        if (trace.isPresent()) {
            trace.get().enter(next, now);
        }
    }

    /** Records that the generation ended. */
    void end(GenerationEnd end) {
        long now = System.nanoTime();
        times.observe(Interval.REQUEST, now - request);
        if (stage == Stage.DECODE) {
            times.observe(Interval.DECODE, now - firstToken);
        }
        trace.ifPresent(each -> each.end(end, now));
    }

    /** Records that the generation failed or was cancelled. */
    void fail(VarveException error) {
        if (error.kind() == VarveException.Kind.CANCELLED) {
            times.countCancelled(stage);
        }
        trace.ifPresent(each -> each.fail(error.kind(), System.nanoTime()));
    }
}

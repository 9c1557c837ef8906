package dev.varve.platform.http.answer;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.http.metrics.GenerationLatencyRecorder.Stage;
import dev.varve.platform.http.trace.OpenSpan;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Traces one generation of a request: its stages, and the work of each shard during them. A shard's
 * work covers all requests, since they share batches. Only for the engine's thread.
 */
final class GenerationTrace {
    private final Engine engine;
    private final OpenSpan generationSpan;
    private Optional<OpenSpan> stage = Optional.empty();
    private boolean computed;
    private long entered;
    private List<ShardStatus> before = List.of();

    /** Begins a child span of {@code request}. */
    GenerationTrace(OpenSpan request, int index, Engine engine) {
        this.engine = engine;
        generationSpan = request.child("generate", System.nanoTime()).put("varve.choice", index);
    }

    /** Ends the current stage and begins the next one. */
    void enter(Stage next, long now) {
        leave(now);
        stage = Optional.of(generationSpan.child(next.name().toLowerCase(Locale.ROOT), now));
        computed = next == Stage.PREFILL || next == Stage.DECODE;
        entered = now;
        before = computed ? engine.status().shards() : List.of();
    }

    private void leave(long now) {
        stage.ifPresent(
                span -> {
                    if (computed) {
                        recordShards(span, now);
                    }
                    span.end(now);
                });
    }

    private void recordShards(OpenSpan span, long now) {
        List<ShardStatus> after = engine.status().shards();
        for (int i = 0; i < Math.min(before.size(), after.size()); i++) {
            ShardStatus shard = after.get(i);
            ShardStatus.ForwardTotals done = shard.work();
            ShardStatus.ForwardTotals earlier = before.get(i).work();
            OpenSpan child =
                    span.child("shard", entered)
                            .put("varve.shard.index", i)
                            .put("varve.shard.device", shard.device())
                            .put("varve.shard.first_layer", shard.range().begin())
                            .put("varve.shard.end_layer", shard.range().end())
                            .put("varve.shard.forwards", done.forwards() - earlier.forwards())
                            .put("varve.shard.tokens", done.tokens() - earlier.tokens())
                            .put(
                                    "varve.shard.busy_ms",
                                    done.forwardMillis() - earlier.forwardMillis())
                            .put(
                                    "varve.shard.boundary_ms",
                                    done.boundaryMillis() - earlier.boundaryMillis());
            child.end(now);
        }
    }

    /** Records the number of cached tokens of the prompt. */
    void cached(int tokens) {
        generationSpan.put("varve.cached_tokens", tokens);
    }

    /** Ends the trace of a completed generation. */
    void end(GenerationEnd end, long now) {
        generationSpan
                .put("gen_ai.usage.input_tokens", end.tokens().prompt())
                .put("gen_ai.usage.output_tokens", end.tokens().generated())
                .put("varve.cached_tokens", end.tokens().cached())
                .put("varve.end", end.reason().name().toLowerCase(Locale.ROOT));
        if (end.speculation().verifySteps() > 0) {
            generationSpan
                    .put("varve.spec.draft_tokens", end.speculation().drafted())
                    .put("varve.spec.accepted_tokens", end.speculation().accepted());
        }
        leave(now);
        generationSpan.end(now);
    }

    /** Ends the trace of a failed or cancelled generation. */
    void fail(VarveException.Kind kind, long now) {
        String word = kind.name().toLowerCase(Locale.ROOT);
        leave(now);
        generationSpan.fail(word, now);
    }
}

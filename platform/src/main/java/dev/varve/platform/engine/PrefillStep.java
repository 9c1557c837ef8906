package dev.varve.platform.engine;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.sequence.Advance;
import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.sequence.CutList;
import dev.varve.platform.sequence.TokenOutput;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.ShardResult;

import java.util.List;
import java.util.Optional;

/**
 * Prefill chunks of the running requests, which take turns. What was computed before is computed
 * again with the same cuts.
 */
final class PrefillStep {
    private final EngineState state;
    private final RunningRequests running;
    private final Flights flights;
    private final WaitingLine line;
    private final int depth;

    /** Place among the running requests of the one whose chunk is next. */
    private int next;

    /**
     * A chunk of a request.
     *
     * @param end position behind it
     * @param keepsState whether its end is the stable prefix, which is worth a checkpoint
     * @param outputs what is wanted of its last token, NONE unless it ends what is known
     */
    private record Chunk(
            Request request, int end, Phase phase, boolean keepsState, OutputRows outputs) {
        boolean isLast() {
            return end == request.known();
        }
    }

    /**
     * @param line those that may wait for the same prompt
     * @param depth batches that keep all shards busy
     */
    PrefillStep(EngineState state, WaitingLine line, int depth) {
        this.state = state;
        this.line = line;
        this.depth = depth;
        running = state.running();
        flights = state.flights();
    }

    /**
     * Sends chunks on their way, as many as keep all shards busy, and waits for the oldest of them.
     */
    void run() {
        boolean shared = running.anyMatch(Request::isInDecode);
        // Beside decode one chunk may be under way: the next token waits behind it.
        int limit = shared ? 1 : depth;
        Optional<Request> request = nextRequest();
        while (request.isPresent() && flights.size() < limit) {
            advance(request.get(), shared);
            request = nextRequest();
        }
        boolean overlaps = shared && depth > 1;
        if (!flights.isEmpty() && !overlaps) {
            flights.settle();
        }
    }

    private Optional<Request> nextRequest() {
        for (int i = 0; i < running.size(); i++) {
            Request candidate = running.get((next + i) % running.size());
            if (candidate.isInPrefill() && candidate.sequence().computed() < candidate.known()) {
                next = (next + i + 1) % running.size();
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    private void advance(Request request, boolean shared) {
        boolean replays = request.sequence().computed() < request.replay().end();
        if (!replays && request.isGenerating()) {
            // Everything is as it was: the last token is fed like any other.
            request.decode();
            return;
        }
        Chunk chunk = replays ? replayed(request) : planned(request, shared);
        if (chunk.isLast()) {
            flights.settleOutputs();
            if (!request.isRunning()) {
                return;
            }
        }
        submit(chunk);
    }

    private Chunk replayed(Request request) {
        CutList replay = request.replay();
        int begin = request.sequence().computed();
        return chunk(request, replay.next(begin), replay.phaseAt(begin));
    }

    private Chunk planned(Request request, boolean shared) {
        int end =
                ChunkPlan.next(
                        request.sequence().computed(),
                        request.known(),
                        checkpoint(request),
                        shared);
        return chunk(request, end, Phase.PREFILL);
    }

    /** Where a checkpoint is of use: not where any position can be gone back to. */
    private int checkpoint(Request request) {
        return state.cache().canCutBack() ? 0 : request.stablePrefix();
    }

    private Chunk chunk(Request request, int end, Phase phase) {
        return new Chunk(
                request,
                end,
                phase,
                end == checkpoint(request),
                end == request.known() ? lastOutputs(request) : OutputRows.NONE);
    }

    /** What the request wants of its last token, or more where others wait for that. */
    private OutputRows lastOutputs(Request request) {
        OutputRows twins = request.isGenerating() ? OutputRows.NONE : line.wantedByTwins(request);
        return twins == OutputRows.LAST ? OutputRows.LAST : request.wanted();
    }

    private void submit(Chunk chunk) {
        Request request = chunk.request();
        CachedSequence sequence = request.sequence();
        Advance advance =
                new Advance(
                        sequence,
                        request.arrival(),
                        request.tokensUpTo(chunk.end()),
                        chunk.outputs(),
                        chunk.keepsState());
        boolean last = chunk.isLast();
        flights.submit(
                List.of(request),
                state.cache().advance(List.of(advance), chunk.phase()),
                result -> {
                    // It may run again by now, in another place.
                    if (request.isRunning()
                            && request.sequence() == sequence
                            && report(request, chunk.end())
                            && last) {
                        end(chunk, result);
                    }
                });
    }

    private boolean report(Request request, int end) {
        int done = Math.min(end, request.promptLength());
        return !request.reachPrefill(done)
                || running.guard(
                        request, () -> request.listener().onPrefill(done, request.promptLength()));
    }

    private void end(Chunk chunk, ShardResult result) {
        Request request = chunk.request();
        TokenOutput output = state.choice().output(result, 0, chunk.outputs());
        request.decode();
        if (!request.isGenerating() && line.wantedByTwins(request) != OutputRows.NONE) {
            state.cache().keepCopy(request.sequence(), state.choice().copy(output));
        }
        state.chooseFirst(request, output);
    }
}

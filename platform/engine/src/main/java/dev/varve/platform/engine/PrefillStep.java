package dev.varve.platform.engine;

import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.sequence.ChunkBoundaries;
import dev.varve.platform.sequence.ChunkKind;
import dev.varve.platform.sequence.ScheduledTokens;
import dev.varve.platform.sequence.TokenLogits;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.ShardResult;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Prefill of the running requests: windows, or pieces of them beside streams that wait for their
 * next token. What was computed before is computed again with the same cuts.
 *
 * <p>The request with the fewest tokens to go comes first, since it is the soonest to answer, and
 * the oldest every other time, so that it is not held up for good.
 */
final class PrefillStep {
    private static final Comparator<Request> SHORTEST =
            Comparator.comparingInt(Request::tokensToCompute).thenComparingLong(Request::arrival);

    /** Columns that are multiplied well together. */
    private static final int GROUP = 8;

    private final EngineContext state;
    private final RunningRequests running;
    private final InFlightBatches flights;
    private final WaitingRequests line;
    private final StepTokenBudget pace;
    private final int columnGroup;
    private boolean oldestFirst;

    /**
     * A chunk of a request.
     *
     * @param windowEnd where its window ends
     * @param keepsState whether its end is a boundary, which is worth a checkpoint
     * @param outputs what is wanted of its last token, NONE unless it ends what is known
     */
    private record Chunk(
            Request request,
            ChunkPlan plan,
            int windowEnd,
            boolean keepsState,
            OutputRows outputs) {
        int end() {
            return plan.end();
        }

        boolean isLast() {
            return end() == request.known();
        }
    }

    /**
     * @param line those that may wait for the same prompt
     * @param pace how much may be computed beside streams
     * @param columnGroup tokens in whose multiples a window may be cut into pieces
     */
    PrefillStep(EngineContext state, WaitingRequests line, StepTokenBudget pace, int columnGroup) {
        this.state = state;
        this.line = line;
        this.pace = pace;
        this.columnGroup = columnGroup;
        running = state.running();
        flights = state.flights();
    }

    /**
     * What is computed together with rows of decode: beside them pieces that take no longer than
     * streams may wait; without them a whole window, and further ones only if all of them take no
     * longer.
     *
     * @param rows columns of the batch that are taken
     */
    List<BatchEntry> besideRows(int rows) {
        List<BatchEntry> works = new ArrayList<>();
        int limit = Math.clamp(pace.columns(), rows + ChunkPlan.PIECE, ChunkPlan.WINDOW);
        int columns = rows;
        for (Request request : inOrder()) {
            boolean whole = works.isEmpty() && rows == 0;
            if (!whole && limit - columns < Math.min(ChunkPlan.PIECE, request.tokensToCompute())) {
                break;
            }
            Optional<BatchEntry> work =
                    next(request, whole ? ChunkPlan.WINDOW : piece(limit, columns));
            work.ifPresent(works::add);
            columns += work.map(BatchEntry::tokens).orElse(0);
        }
        return works;
    }

    /**
     * Tokens of a piece behind other columns of a batch. Where any number is possible the batch is
     * filled up to whole groups: each column that is left over costs as much as a step of decode.
     */
    private int piece(int limit, int columns) {
        int tokens =
                columnGroup == 1
                        ? limit / GROUP * GROUP - columns
                        : (limit - columns) / ChunkPlan.PIECE * ChunkPlan.PIECE;
        return Math.max(tokens, ChunkPlan.PIECE);
    }

    /**
     * Sends chunks on their way, as many as keep all shards busy, and waits for the oldest of them.
     *
     * @param depth batches that keep all shards busy
     */
    void keepBusy(int depth) {
        // Who waits for scores of its pages awaits no token.
        boolean shared = running.anyMatch(request -> request.isInDecode() && !request.isHeld());
        // Beside decode one chunk may be under way: the next token waits behind it.
        int limit = shared ? 1 : depth;
        int most = shared ? piece(pace.columnsBesideStep(), 0) : ChunkPlan.WINDOW;
        while (flights.size() < limit) {
            List<Request> requests = inOrder();
            if (requests.isEmpty()) {
                break;
            }
            next(requests.getFirst(), most).ifPresent(work -> flights.submit(List.of(work)));
        }
        boolean overlaps = shared && depth > 1;
        if (!flights.isEmpty() && !overlaps) {
            flights.settle();
        }
    }

    /** Requests with tokens to compute; the order of the next call is another one. */
    private List<Request> inOrder() {
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < running.size(); i++) {
            Request request = running.get(i);
            if (request.isInPrefill()
                    && request.tokensToCompute() > 0
                    && !state.pages().holds(request)) {
                requests.add(request);
            }
        }
        requests.sort(SHORTEST);
        if (oldestFirst && requests.size() > 1) {
            Request oldest =
                    requests.stream().min(Comparator.comparingLong(Request::arrival)).orElseThrow();
            requests.remove(oldest);
            requests.addFirst(oldest);
        }
        oldestFirst = !oldestFirst;
        return requests;
    }

    /** Nothing for a request that goes on with decode, or that ended. */
    private Optional<BatchEntry> next(Request request, int most) {
        boolean replays = request.sequence().computed() < request.replay().end();
        if (!replays && request.isGenerating()) {
            // Everything is as it was: the last token is fed like any other.
            request.decode();
            return Optional.empty();
        }
        if (!looksOut(request)) {
            return Optional.empty();
        }
        Chunk chunk = replays ? replayed(request, most) : planned(request, most);
        if (chunk.isLast()) {
            flights.settleOutputs();
            if (!request.isRunning()) {
                return Optional.empty();
            }
        }
        return Optional.of(work(chunk));
    }

    /**
     * Has the pages of a long prompt chosen by what its last tokens look for, before these are
     * computed.
     *
     * @return whether the request still runs
     */
    private boolean looksOut(Request request) {
        if (request.mayLookOut()
                && state.cache().asksShards()
                && state.cache().choosesPages(request.promptLength())) {
            request.lookOut();
            flights.settleAll();
            if (request.isRunning()) {
                int end = request.promptLength();
                flights.tryOut(request, end, end);
            }
        }
        return request.isRunning();
    }

    private Chunk replayed(Request request, int most) {
        ChunkBoundaries replay = request.replay();
        int begin = request.sequence().computed();
        int end = replay.next(begin);
        ChunkKind stretch = replay.stretchAt(begin);
        return chunk(
                request,
                stretch == ChunkKind.ROWS
                        ? new ChunkPlan(end, stretch)
                        : piece(request, end, stretch, most),
                end);
    }

    private Chunk planned(Request request, int most) {
        int begin = request.sequence().computed();
        int window = ChunkPlan.windowEnd(begin, request.known(), checkpoint(request));
        int end = ChunkPlan.boundedEnd(begin, window, state.cache().mostSlots(request.known()));
        boolean stops =
                begin < request.lookout() && state.cache().choosesPages(request.promptLength());
        int stop = stops ? Math.min(end, request.lookout()) : end;
        return chunk(request, piece(request, stop, ChunkKind.WINDOW, most), stop);
    }

    private ChunkPlan piece(Request request, int windowEnd, ChunkKind window, int most) {
        CachedSequence sequence = request.sequence();
        int begin = sequence.computed();
        // A sequence that goes on behind a piece of another one may end its window earlier, and a
        // window of less than a tile is computed otherwise.
        boolean divided =
                sequence.cuts().endsInPiece()
                        && windowEnd - sequence.cuts().lastBegin() >= ChunkPlan.TILE;
        boolean continues = divided || cutsTile(request, begin, windowEnd);
        return ChunkPlan.next(begin, windowEnd, window, continues, most);
    }

    /**
     * Whether a checkpoint or a resumed prefix leaves less than a tile of a window that a prefill
     * without any cache attends in tiles. Such a rest is attended in a tile too: F16 rows have
     * other numbers otherwise. Behind decoded tokens there is no such prefill to be like.
     */
    private boolean cutsTile(Request request, int begin, int windowEnd) {
        int end = Math.max(request.promptLength(), windowEnd);
        int slots = state.cache().mostSlots(request.known());
        int first = ChunkPlan.windowBegin(begin, end, slots);
        int last = ChunkPlan.boundedEnd(begin, ChunkPlan.windowEnd(begin, end, 0), slots);
        if (state.cache().choosesPages(request.promptLength())) {
            if (begin < request.lookout()) {
                last = Math.min(last, request.lookout());
            } else {
                first = Math.max(first, request.lookout());
            }
        }
        return windowEnd - begin < ChunkPlan.TILE
                && last - first >= ChunkPlan.TILE
                && !request.sequence().cuts().hasRowsBehind(first);
    }

    /** Where a checkpoint is of use: not where any position can be gone back to. */
    private int checkpoint(Request request) {
        return state.cache().canCutBack() ? 0 : request.nextStop(state.prefix().hasHost());
    }

    private Chunk chunk(Request request, ChunkPlan plan, int windowEnd) {
        return new Chunk(
                request,
                plan,
                windowEnd,
                plan.end() == checkpoint(request),
                plan.end() == request.known() ? lastOutputs(request) : OutputRows.NONE);
    }

    /** What the request wants of its last token, or more where others wait for that. */
    private OutputRows lastOutputs(Request request) {
        OutputRows twins = request.isGenerating() ? OutputRows.NONE : line.wantedByTwins(request);
        return twins == OutputRows.LAST ? OutputRows.LAST : request.wanted();
    }

    private BatchEntry work(Chunk chunk) {
        Request request = chunk.request();
        CachedSequence sequence = request.sequence();
        ScheduledTokens advance =
                new ScheduledTokens(
                                sequence,
                                request.arrival(),
                                request.tokensUpTo(chunk.end()),
                                chunk.outputs(),
                                chunk.plan().stretch(),
                                chunk.keepsState(),
                                0)
                        .reserving(
                                state.cache()
                                        .reservedEnd(
                                                sequence,
                                                request.promptLength(),
                                                chunk.windowEnd()));
        boolean last = chunk.isLast();
        return new BatchEntry(
                request,
                advance,
                (result, row, column) -> {
                    // It may run again by now, in another place.
                    if (request.isRunning()
                            && request.sequence() == sequence
                            && report(request, chunk.end())
                            && last) {
                        end(chunk, result, row);
                    }
                });
    }

    private boolean report(Request request, int end) {
        int done = Math.min(end, request.promptLength());
        return !request.reachPrefill(done)
                || running.guard(
                        request, () -> request.listener().onPrefill(done, request.promptLength()));
    }

    private void end(Chunk chunk, ShardResult result, int row) {
        Request request = chunk.request();
        TokenLogits output = state.choice().output(result, row, chunk.outputs());
        request.decode();
        if (!request.isGenerating() && line.wantedByTwins(request) != OutputRows.NONE) {
            state.cache().keepCopy(request.sequence(), state.choice().copy(output));
        }
        state.chooseFirst(request, output);
    }
}

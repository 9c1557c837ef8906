package dev.varve.platform.engine;

import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.sequence.ChunkKind;
import dev.varve.platform.sequence.ScheduledTokens;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.sequence.TokenLogits;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.ShardResult;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Schedules the prefill of the running requests: whole windows, or pieces of them beside streams.
 * Requeued requests are computed again with the same chunk boundaries. {@link PrefillOrder} sorts
 * them.
 */
final class PrefillScheduler {
    private final EngineContext state;
    private final RunningRequests running;
    private final InFlightBatches inFlight;
    private final QueueAccess queue;
    private final StepTokenBudget tokenBudget;
    private final ShardPipeline pipeline;

    /** Whether batches overlap, so that equal batches keep all shards busy. */
    private final boolean overlaps;

    /** Whether a batch may have tokens of a sequence before and after a checkpoint. */
    private final boolean continuesCheckpoints;

    private final PrefillOrder<Request> order =
            new PrefillOrder<>(Request::tokensToCompute, Request::arrival);

    /**
     * A chunk of a request.
     *
     * @param begin position of its first token
     * @param windowEnd end of its window
     * @param savesCheckpoint whether a checkpoint is kept at its end
     * @param outputs output rows of its last token; NONE unless it ends the known tokens
     */
    private record Chunk(
            Request request,
            int begin,
            PlannedChunk plan,
            int windowEnd,
            boolean savesCheckpoint,
            RequestedOutput outputs) {
        int end() {
            return plan.end();
        }

        boolean isLast() {
            return end() == request.known();
        }
    }

    /**
     * @param queue the queued requests, which may have the same prompt
     * @param tokenBudget limits the columns beside streams
     * @param pipeline computes the batches
     * @param slides whether the model has layers with a sliding window, whose rows are moved to a
     *     checkpoint before a batch
     */
    PrefillScheduler(
            EngineContext state,
            QueueAccess queue,
            StepTokenBudget tokenBudget,
            ShardPipeline pipeline,
            boolean slides) {
        this.state = state;
        this.queue = queue;
        this.tokenBudget = tokenBudget;
        this.pipeline = pipeline;
        overlaps = pipeline.depth() > 1;
        continuesCheckpoints = !slides && state.cache().pagePolicy().isEmpty();
        running = state.running();
        inFlight = state.inFlight();
    }

    /**
     * Returns the prefill entries of a batch that may have decode rows. Beside rows, they are
     * pieces within the time limit of streams. If the batch has no rows and no batch in flight has
     * decode rows either, the first piece is a whole window; further pieces must fit the limit. A
     * request has two entries in succession if it continues after a checkpoint.
     *
     * @param rows columns of the batch that decode uses
     */
    List<BatchEntry> chunksBesideDecode(int rows) {
        List<BatchEntry> entries = new ArrayList<>();
        int limit = PlannedChunk.columnLimit(tokenBudget.columns(), rows);
        int columns = rows;
        for (Request request : inOrder()) {
            boolean whole = entries.isEmpty() && rows == 0 && inFlight.withRows() == 0;
            if (!whole
                    && limit - columns < Math.min(PlannedChunk.PIECE, request.tokensToCompute())) {
                break;
            }
            // Alone beside rows it exceeds the limit, rather than wait for the end of all streams.
            if (!entries.isEmpty() && request.indivisibleTokens() > limit - columns) {
                break;
            }
            Optional<BatchEntry> entry =
                    next(request, whole ? PlannedChunk.WINDOW : piece(limit, columns));
            if (entry.isEmpty()) {
                continue;
            }
            entries.add(entry.get());
            columns += entry.get().tokens();
            int room = (whole ? PlannedChunk.WINDOW : limit) - columns;
            Optional<BatchEntry> rest = afterCheckpoint(entry.get(), room);
            rest.ifPresent(entries::add);
            columns += rest.map(BatchEntry::tokens).orElse(0);
        }
        return entries;
    }

    /**
     * Returns the entry for the rest of a window after the checkpoint at which another entry of the
     * batch ends, if it fits. The end of a prompt is often a few tokens after its last checkpoint;
     * a batch of their own would read all weights again. Overlapping batches of many tokens stay
     * apart.
     *
     * @param room most tokens
     */
    private Optional<BatchEntry> afterCheckpoint(BatchEntry entry, int room) {
        Request request = entry.request();
        int computed = request.sequence().computed();
        int begin = computed + entry.tokens();
        boolean continues =
                continuesCheckpoints
                        && entry.advance().savesCheckpoint()
                        && entry.advance().kind() != ChunkKind.PIECE
                        && computed >= request.replay().end()
                        && begin < request.known()
                        && request.images().isEmpty();
        if (!continues) {
            return Optional.empty();
        }
        int stop = checkpoint(request, begin);
        int end = PlannedChunk.windowEnd(begin, request.known(), stop);
        int most = overlaps ? Math.min(room, PlannedChunk.TILE - 1) : room;
        if (end == stop || end - begin > most) {
            return Optional.empty();
        }
        PlannedChunk plan =
                PlannedChunk.next(
                        begin,
                        end,
                        ChunkKind.WINDOW,
                        cutsTile(request, begin, end),
                        PlannedChunk.WINDOW);
        return Optional.of(entry(chunk(request, begin, plan, end)));
    }

    private int piece(int limit, int columns) {
        return PlannedChunk.pieceIn(limit, columns, pipeline.columnGroup());
    }

    /**
     * Returns the prefill entry of a batch without decode rows; it fits the time limit if requests
     * stream.
     *
     * @param beside whether there are streams
     */
    List<BatchEntry> chunkApart(boolean beside) {
        int most = beside ? piece(tokenBudget.columnsBesideStep(), 0) : PlannedChunk.WINDOW;
        for (Request request : inOrder()) {
            Optional<BatchEntry> entry = next(request, most);
            if (entry.isPresent()) {
                return List.of(entry.get());
            }
        }
        return List.of();
    }

    /** Returns whether a request has prompt tokens that are in no batch. */
    static boolean hasChunk(Request request) {
        return request.isInPrefill() && request.tokensToCompute() > 0;
    }

    /** Returns the requests with tokens to compute; the order alternates between calls. */
    private List<Request> inOrder() {
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < running.size(); i++) {
            Request request = running.get(i);
            if (hasChunk(request) && !state.pages().mustWait(request)) {
                requests.add(request);
            }
        }
        order.sort(requests);
        return requests;
    }

    /** Returns the next entry; empty for a request that continues in decode, or has ended. */
    private Optional<BatchEntry> next(Request request, int most) {
        boolean replays = request.sequence().computed() < request.replay().end();
        if (!replays && request.isGenerating()) {
            // All earlier tokens are computed again: the last one is decoded like any other.
            request.decode();
            return Optional.empty();
        }
        if (!scoresTail(request)) {
            return Optional.empty();
        }
        Chunk chunk = replays ? replayed(request, most) : planned(request, most);
        return Optional.of(entry(chunk));
    }

    /**
     * Selects the pages of a long prompt by the scores for its last tokens, before these are
     * computed.
     *
     * @return whether the request is still running
     */
    private boolean scoresTail(Request request) {
        if (request.isTailScoringDue()
                && state.cache().needsShardScores()
                && state.cache().choosesPages(request.promptLength())) {
            request.markTailScored();
            inFlight.awaitAll();
            if (request.isRunning()) {
                int end = request.promptLength();
                inFlight.scorePages(request, end, end);
            }
        }
        return request.isRunning();
    }

    private Chunk replayed(Request request, int most) {
        ChunkHistory replay = request.replay();
        int begin = request.sequence().computed();
        int end = request.images().batchEnd(begin, replay.next(begin));
        ChunkKind kind = replay.kindAt(begin);
        return chunk(
                request,
                begin,
                kind == ChunkKind.ROWS
                        ? new PlannedChunk(end, kind)
                        : piece(request, end, kind, most),
                end);
    }

    private Chunk planned(Request request, int most) {
        int begin = request.sequence().computed();
        int window = PlannedChunk.windowEnd(begin, request.known(), checkpoint(request, begin));
        int end = PlannedChunk.boundedEnd(begin, window, state.cache().mostSlots(request.known()));
        boolean stops =
                begin < request.tailBegin() && state.cache().choosesPages(request.promptLength());
        int stop =
                request.images().batchEnd(begin, stops ? Math.min(end, request.tailBegin()) : end);
        return chunk(request, begin, piece(request, stop, ChunkKind.WINDOW, most), stop);
    }

    private PlannedChunk piece(Request request, int windowEnd, ChunkKind window, int most) {
        SequenceCache sequence = request.sequence();
        int begin = sequence.computed();
        if (request.indivisibleTokens() > 1) {
            return new PlannedChunk(windowEnd, window);
        }
        // A sequence that resumes after a piece of another one may end its window earlier, and a
        // window of less than a tile is computed differently.
        boolean divided =
                sequence.chunkHistory().endsInPiece()
                        && windowEnd - sequence.chunkHistory().lastBegin() >= PlannedChunk.TILE;
        boolean continues = divided || cutsTile(request, begin, windowEnd);
        int tokens = overlaps ? PlannedChunk.evenPiece(windowEnd - begin, most) : most;
        return PlannedChunk.next(begin, windowEnd, window, continues, tokens);
    }

    /**
     * Returns whether a checkpoint or a resumed prefix leaves less than a tile of a window that an
     * uncached prefill computes in tiles. Such a remainder uses a tile too: F16 rows give other
     * bits. After decoded tokens there is no uncached prefill to match. An image that is computed
     * alone ends a window like the end of the prompt.
     */
    private boolean cutsTile(Request request, int begin, int windowEnd) {
        int end = Math.max(request.promptLength(), windowEnd);
        int slots = state.cache().mostSlots(request.known());
        int first = PlannedChunk.windowBegin(begin, end, slots);
        int last = PlannedChunk.boundedEnd(begin, PlannedChunk.windowEnd(begin, end, 0), slots);
        if (state.cache().choosesPages(request.promptLength())) {
            if (begin < request.tailBegin()) {
                last = Math.min(last, request.tailBegin());
            } else {
                first = Math.max(first, request.tailBegin());
            }
        }
        first = request.images().batchBegin(first, begin);
        last = request.images().batchEnd(begin, last);
        return windowEnd - begin < PlannedChunk.TILE
                && last - first >= PlannedChunk.TILE
                && !request.sequence().chunkHistory().hasRowsBehind(first);
    }

    /**
     * Returns the checkpoint position after another position; 0 for none, or if sequences can be
     * cut back to any position.
     */
    private int checkpoint(Request request, int position) {
        return state.cache().canRollBack()
                ? 0
                : request.nextStop(position, state.prefix().hasHost());
    }

    private Chunk chunk(Request request, int begin, PlannedChunk plan, int windowEnd) {
        return new Chunk(
                request,
                begin,
                plan,
                windowEnd,
                plan.end() == checkpoint(request, begin),
                plan.end() == request.known() ? lastOutputs(request) : RequestedOutput.NONE);
    }

    /**
     * Returns the output rows of the last token: those of the request, or LAST if a queued request
     * with the same prompt needs them.
     */
    private RequestedOutput lastOutputs(Request request) {
        RequestedOutput twins =
                request.isGenerating() ? RequestedOutput.NONE : queue.outputOfDuplicates(request);
        return twins == RequestedOutput.LAST ? RequestedOutput.LAST : request.requestedOutput();
    }

    private BatchEntry entry(Chunk chunk) {
        Request request = chunk.request();
        SequenceCache sequence = request.sequence();
        ScheduledTokens advance =
                new ScheduledTokens(
                                sequence,
                                request.arrival(),
                                request.tokens().range(chunk.begin(), chunk.end()),
                                chunk.outputs(),
                                chunk.plan().kind(),
                                chunk.savesCheckpoint(),
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
                    // The request may have been requeued, and run with another sequence.
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
        TokenLogits output = state.selector().output(result, row, chunk.outputs());
        request.decode();
        if (!request.isGenerating() && queue.outputOfDuplicates(request) != RequestedOutput.NONE) {
            state.cache().retainCopy(request.sequence(), state.selector().copy(output));
        }
        state.chooseFirst(request, output);
    }
}

package dev.varve.fleet;

import dev.varve.platform.engine.PlannedChunk;
import dev.varve.platform.engine.PrefillOrder;
import dev.varve.platform.engine.StepTokenBudget;
import dev.varve.platform.replica.CachedPrefixEstimate;
import dev.varve.platform.replica.PrefixEstimate;
import dev.varve.platform.replica.RoutingTarget;
import dev.varve.platform.sequence.ChunkKind;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A replica: its queue, the requests that it computes, and its prefix cache. A step has a row for
 * each request in decode and prefill chunks as the engine's scheduler chooses them.
 */
final class SimReplica implements RoutingTarget {
    private final Fleet fleet;
    private final boolean forPrefill;
    private final StepCosts costs;
    private final FleetOptions.ReplicaLimits limits;
    private final ArrayDeque<SimRequest> queue = new ArrayDeque<>();

    /** Requests that wait for the store or for another replica, and have a place here. */
    private final List<SimRequest> loading = new ArrayList<>();

    private final List<SimRequest> prefill = new ArrayList<>();
    private final List<SimRequest> decode = new ArrayList<>();
    private final PrefillOrder<SimRequest> order =
            new PrefillOrder<>(SimRequest::tokensToCompute, SimRequest::number);
    private final List<Piece> pieces = new ArrayList<>();
    private final SequenceLru cache;
    private final CachedPrefixEstimate estimate;
    private final EventView view;
    private StepTokenBudget budget;
    private long owed;
    private int epoch;
    private int rows;
    private boolean stepping;
    private boolean up = true;

    private record Piece(SimRequest request, int end) {}

    /**
     * @param forPrefill whether it computes prompts only, which it gets from other replicas
     */
    SimReplica(Fleet fleet, FleetOptions options, boolean forPrefill) {
        this.fleet = fleet;
        this.forPrefill = forPrefill;
        costs =
                forPrefill
                        ? options.handOff().orElseThrow().costs(options.costs())
                        : options.costs();
        limits = options.replica();
        view = new EventView(limits.cacheTokens());
        cache = new SequenceLru(limits.cacheTokens(), this::cacheChanged);
        estimate = new CachedPrefixEstimate(limits.cacheTokens());
        budget = new StepTokenBudget(Duration.ofNanos(limits.maxGapNanos()));
    }

    /** Returns a number that grows with each failure. */
    int epoch() {
        return epoch;
    }

    boolean isUp() {
        return up;
    }

    boolean hasQueueRoom() {
        return queue.size() < limits.maxQueue();
    }

    int queued() {
        return queue.size();
    }

    CachedPrefixEstimate estimate() {
        return estimate;
    }

    EventView view() {
        return view;
    }

    @Override
    public long owedTokens() {
        return owed;
    }

    @Override
    public PrefixEstimate prefixEstimate() {
        return fleet.usesEvents() && !forPrefill ? view : estimate;
    }

    private void cacheChanged(long text, int before, int after) {
        fleet.cacheChanged(this, text, before, after);
    }

    /** Returns the prompt tokens of its running requests that are still to be computed here. */
    long promptTokensOwed() {
        return prefill.stream().mapToLong(SimRequest::tokensToCompute).sum();
    }

    /** Queues a request that was assigned to this replica. */
    void submit(SimRequest request) {
        owed += request.owed();
        queue.add(request);
        wake();
    }

    /** Starts a step if none runs and there is work. */
    void wake() {
        if (up && !stepping) {
            admit();
            startStep();
        }
    }

    private void admit() {
        while (!queue.isEmpty()
                && loading.size() + prefill.size() + decode.size() < limits.parallel()) {
            SimRequest request = queue.poll();
            int cached = Math.min(cache.lookup(request.turn()), request.turn().promptTokens() - 1);
            request.setComputed(cached);
            fleet.started(this, request, cached);
            update(request);
            if (fleet.awaitsPrefix(this, request)) {
                loading.add(request);
            } else {
                prefill.add(request);
            }
        }
    }

    /** Continues a request with the tokens that a transfer brought. */
    void loaded(SimRequest request, int computed) {
        loading.remove(request);
        request.setComputed(Math.max(computed, request.computed()));
        update(request);
        prefill.add(request);
        wake();
    }

    private void update(SimRequest request) {
        owed += request.updateOwed();
    }

    private void startStep() {
        rows = decode.size();
        pieces.clear();
        int columns = choosePieces();
        if (rows + columns == 0) {
            return;
        }
        stepping = true;
        int begun = epoch;
        long nanos = costs.of(rows, columns);
        fleet.events()
                .at(
                        fleet.events().now() + nanos,
                        () -> {
                            if (epoch == begun) {
                                endStep(columns, nanos);
                            }
                        });
    }

    /** Chooses the chunks of a step by the rules of the engine; returns their tokens. */
    private int choosePieces() {
        if (prefill.isEmpty()) {
            return 0;
        }
        order.sort(prefill);
        int limit = PlannedChunk.columnLimit(budget.columns(), rows);
        int columns = rows;
        for (SimRequest request : prefill) {
            boolean whole = pieces.isEmpty() && rows == 0;
            if (!whole
                    && limit - columns < Math.min(PlannedChunk.PIECE, request.tokensToCompute())) {
                break;
            }
            int most =
                    whole
                            ? PlannedChunk.WINDOW
                            : PlannedChunk.pieceIn(limit, columns, limits.columnGroup());
            int begin = request.computed();
            int windowEnd = PlannedChunk.windowEnd(begin, request.known(), 0);
            int end = PlannedChunk.next(begin, windowEnd, ChunkKind.WINDOW, false, most).end();
            pieces.add(new Piece(request, end));
            columns += end - begin;
        }
        return columns - rows;
    }

    private void endStep(int columns, long nanos) {
        stepping = false;
        if (columns > 0) {
            budget.record(rows + columns, nanos);
        } else {
            budget.recordRows(nanos);
        }
        List<SimRequest> ended = new ArrayList<>();
        endRows(ended);
        endPieces(ended);
        for (SimRequest request : ended) {
            cache.add(request.turn(), request.known());
            fleet.ended(this, request);
        }
        wake();
    }

    private void endRows(List<SimRequest> ended) {
        int kept = 0;
        for (int i = 0; i < decode.size(); i++) {
            SimRequest request = decode.get(i);
            request.setComputed(request.known());
            request.addToken(fleet.events().now());
            if (request.isDone()) {
                leave(request, ended);
            } else {
                update(request);
                decode.set(kept++, request);
            }
        }
        decode.subList(kept, decode.size()).clear();
    }

    private void endPieces(List<SimRequest> ended) {
        for (Piece piece : pieces) {
            SimRequest request = piece.request();
            request.setComputed(piece.end());
            if (request.tokensToCompute() > 0) {
                update(request);
                continue;
            }
            prefill.remove(request);
            if (!request.isPrefillOnly()) {
                request.addToken(fleet.events().now());
            }
            if (request.isDone()) {
                leave(request, ended);
            } else {
                update(request);
                decode.add(request);
            }
        }
    }

    private void leave(SimRequest request, List<SimRequest> ended) {
        owed -= request.owed();
        ended.add(request);
    }

    /**
     * Fails the replica; returns its requests.
     *
     * @param warm whether the prefix cache survives
     */
    List<SimRequest> fail(boolean warm) {
        List<SimRequest> lost = new ArrayList<>(decode);
        lost.addAll(prefill);
        lost.addAll(loading);
        lost.addAll(queue);
        decode.clear();
        prefill.clear();
        loading.clear();
        queue.clear();
        pieces.clear();
        owed = 0;
        epoch++;
        stepping = false;
        up = false;
        estimate.clear();
        view.clear();
        if (!warm) {
            cache.clear();
        }
        return lost;
    }

    /** Starts again after a failure. */
    void restart() {
        up = true;
        budget = new StepTokenBudget(Duration.ofNanos(limits.maxGapNanos()));
        cache.report();
    }
}

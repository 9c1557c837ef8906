package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlotSpan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The running sequences and their steps. Only the engine's thread uses it. Runs per token: plain
 * loops.
 */
final class StepRunner {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** Losses in a row that a request survives without getting further. */
    private static final int MOST_LOSSES = 5;

    /** Whether a request may run. */
    enum Admission {
        ADMITTED,
        /** A running request computes the same prompt, which need not be done twice. */
        AWAITS_TWIN,
        NO_ROOM
    }

    private final ShardPipeline pipeline;
    private final EngineOptions options;
    private final boolean forgets;
    private final int vocabulary;
    private final CacheRoom room;
    private final Flights flights;
    private final TokenChoice choice;
    private final WaitingLine line;
    private final List<Request> running = new ArrayList<>();
    private int turn;
    private long promptTokens;
    private long cachedTokens;
    private long preemptions;
    private long replays;
    private int failuresInARow;

    StepRunner(
            ShardPipeline pipeline,
            EngineOptions options,
            boolean forgets,
            int vocabulary,
            WaitingLine line) {
        this.pipeline = pipeline;
        this.options = options;
        this.forgets = forgets;
        this.vocabulary = vocabulary;
        this.line = line;
        room = new CacheRoom(options, forgets);
        flights = new Flights(pipeline, this::endFailed);
        choice = new TokenChoice(vocabulary);
    }

    static VarveException cancelled() {
        return new VarveException(VarveException.Kind.CANCELLED, "the request was cancelled");
    }

    boolean isIdle() {
        return running.isEmpty() && flights.isEmpty();
    }

    boolean isRunning(Request request) {
        return running.contains(request);
    }

    boolean hasPlace() {
        return running.size() < options.parallel();
    }

    /** Steps that failed, each with other requests, since one of them chose a token. */
    int failuresInARow() {
        return failuresInARow;
    }

    void removeCancelled() {
        if (running.stream().anyMatch(Request::isCancelled)) {
            // What is kept of them must have been computed.
            flights.settleAll();
        }
        for (Request request : List.copyOf(running)) {
            if (request.isCancelled() && running.remove(request)) {
                room.keep(request.state);
                fail(request, cancelled());
            }
        }
    }

    /** Lets a request in if there is room for it and for the next block of every other sequence. */
    Admission admit(Request request) {
        if (running.stream().anyMatch(each -> each.computesPromptOf(request))) {
            return Admission.AWAITS_TWIN;
        }
        Optional<SequenceState> state =
                room.begin(request.cacheRequest(), running.size() * SlotSpan.BLOCK);
        if (state.isEmpty()) {
            return Admission.NO_ROOM;
        }
        running.add(request);
        boolean starts = request.admit(state.get());
        if (starts) {
            promptTokens += request.promptLength;
            cachedTokens += request.cachedTokens();
        }
        if (starts && !guard(request, () -> request.listener.onStart(request.cachedTokens()))) {
            return Admission.ADMITTED;
        }
        if (request.state.computed == request.known()) {
            request.phase = Request.Phase.DECODE;
            choose(request, request.state.output.orElseThrow());
        }
        return Admission.ADMITTED;
    }

    /** One token for every sequence in decode. */
    void decode() {
        flights.settleOutputs();
        for (Request request : List.copyOf(running)) {
            if (request.phase == Request.Phase.DECODE) {
                makeRoom(request);
            }
        }
        List<Request> batch = new ArrayList<>();
        for (Request request : running) {
            if (request.phase == Request.Phase.DECODE) {
                batch.add(request);
            }
        }
        if (batch.isEmpty()) {
            return;
        }
        // Neighbouring state rows let one operator take several sequences.
        batch.sort(Comparator.comparingInt((Request request) -> request.state.row));
        List<Slice> slices = new ArrayList<>(batch.size());
        for (Request request : batch) {
            SequenceState state = request.state;
            slices.add(slice(request, state.computed + 1, room.nextRow(state), request.wanted()));
        }
        submit(batch, slices, Phase.DECODE, result -> chooseAll(batch, result));
        flights.settleAll();
    }

    private void chooseAll(List<Request> batch, ShardResult result) {
        for (int i = 0; i < batch.size(); i++) {
            Request request = batch.get(i);
            if (running.contains(request)) {
                choose(request, TokenOutput.of(result, i, vocabulary, request.wanted()));
            }
        }
    }

    /** Finds room for one more token, at the price of the youngest sequences if need be. */
    private void makeRoom(Request request) {
        while (running.contains(request)
                && !room.ensure(request.state, request.state.computed + 1)) {
            Request youngest =
                    running.stream()
                            .max(Comparator.comparingLong(each -> each.arrival))
                            .orElseThrow();
            running.remove(youngest);
            room.drop(youngest.state);
            youngest.loseState();
            preemptions++;
            line.requeue(youngest);
        }
    }

    /**
     * Sends prefill chunks on their way, as many as keep all shards busy, and waits for the oldest
     * of them. Sequences take turns.
     */
    void prefill() {
        boolean shared = running.stream().anyMatch(each -> each.phase == Request.Phase.DECODE);
        // Beside decode one chunk may be under way: the next token waits behind it.
        int limit = shared ? 1 : pipeline.depth();
        Request request = nextInPrefill();
        while (request != null && flights.size() < limit) {
            submitChunk(request, shared);
            request = nextInPrefill();
        }
        boolean overlaps = shared && pipeline.depth() > 1;
        if (!flights.isEmpty() && !overlaps) {
            flights.settle();
        }
    }

    private void submitChunk(Request request, boolean shared) {
        SequenceState state = request.state;
        int begin = state.computed;
        int known = request.known();
        boolean replays = begin < request.replay.end();
        if (!replays && request.isGenerating()) {
            // Everything is as it was: the last token is fed like any other.
            request.phase = Request.Phase.DECODE;
            return;
        }
        int stable = forgets ? request.request.stablePrefix() : 0;
        int end =
                replays ? request.replay.next(begin) : ChunkPlan.next(begin, known, stable, shared);
        Phase phase = replays ? request.replay.phaseAt(begin) : Phase.PREFILL;
        boolean checkpoint = end == stable;
        boolean last = end == known;
        if (last) {
            flights.settleOutputs();
            if (!running.contains(request)) {
                return;
            }
        }
        OutputRows outputs = last ? lastOutputs(request) : OutputRows.NONE;
        if (checkpoint) {
            // First, so that no sequence ever holds more than two rows.
            room.dropCheckpoint(state);
        }
        int target = checkpoint ? room.takeCheckpointRow() : room.nextRow(state);
        submit(
                List.of(request),
                List.of(slice(request, end, target, outputs)),
                phase,
                result -> {
                    if (running.contains(request)
                            && request.state == state
                            && reportPrefill(request, end)
                            && last) {
                        endPrefill(request, TokenOutput.of(result, 0, vocabulary, outputs));
                    }
                });
        if (checkpoint) {
            state.checkpointRow = state.row;
            state.checkpoint = end;
        }
    }

    /** What the request wants of its last token, or more where others wait for that. */
    private OutputRows lastOutputs(Request request) {
        OutputRows twins = request.isGenerating() ? OutputRows.NONE : line.wantedByTwins(request);
        return twins == OutputRows.LAST ? OutputRows.LAST : request.wanted();
    }

    private void endPrefill(Request request, TokenOutput output) {
        request.phase = Request.Phase.DECODE;
        if (!request.isGenerating() && line.wantedByTwins(request) != OutputRows.NONE) {
            room.keepCopy(request.state, output.copy(vocabulary));
        }
        choose(request, output);
    }

    private boolean reportPrefill(Request request, int end) {
        int done = Math.min(end, request.promptLength);
        if (done <= request.reportedPrefill) {
            return true;
        }
        request.reportedPrefill = done;
        return guard(request, () -> request.listener.onPrefill(done, request.promptLength));
    }

    private Request nextInPrefill() {
        for (int i = 0; i < running.size(); i++) {
            Request candidate = running.get((turn + i) % running.size());
            if (candidate.phase == Request.Phase.PREFILL
                    && candidate.state.computed < candidate.known()) {
                turn = (turn + i + 1) % running.size();
                return candidate;
            }
        }
        return null;
    }

    private static Slice slice(Request request, int end, int target, OutputRows outputs) {
        SequenceState state = request.state;
        return new Slice(
                request.arrival,
                request.tokens.range(state.computed, end),
                state.computed,
                state.span,
                state.row,
                target,
                outputs);
    }

    /**
     * Sends a batch on its way. What it will write counts as written at once: the shards work in
     * order, and if it fails, its sequences lose their state anyway.
     */
    private void submit(
            List<Request> requests,
            List<Slice> slices,
            Phase phase,
            Consumer<ShardResult> success) {
        Batch batch = new Batch(room.takeCopies(), slices, phase, List.of());
        flights.submit(requests, batch, success);
        for (int i = 0; i < requests.size(); i++) {
            SequenceState state = requests.get(i).state;
            Slice slice = slices.get(i);
            state.extend(slice.firstPosition() + slice.tokens().length, phase);
            room.enterRow(state, slice.writeRow());
        }
    }

    /**
     * Ends the requests of a failed batch. A batch behind it of the same sequence does not fit what
     * the caches hold; a shard says so as it likes.
     */
    private void endFailed(Flights.Failure failure) {
        boolean ends = false;
        for (Request request : failure.requests()) {
            if (running.remove(request)) {
                ends = true;
                room.drop(request.state);
                fail(request, failure.reason());
            }
        }
        // Chunks behind a failed one of their request say nothing new.
        failuresInARow += ends ? 1 : 0;
        if (failure.copiedRows()) {
            // Some shards may have copied rows of other sequences and some not.
            LOG.log(System.Logger.Level.WARNING, "all running requests are computed anew");
            loseAll();
        }
    }

    /** Ends all running requests, since nobody knows how far a step came. */
    void endAll(VarveException reason) {
        failuresInARow++;
        flights.abandon();
        List<Request> ended = List.copyOf(running);
        running.clear();
        room.clear();
        for (Request request : ended) {
            fail(request, reason);
        }
    }

    /**
     * Takes back all running sequences, since caches are gone or unsound, and puts their requests
     * to the front of the queue. They will be computed again as they were; what was streamed of
     * them stays as it is. One that gets no further however often it is tried ends: it may be what
     * kills the shard.
     */
    void loseAll() {
        flights.abandon();
        room.clear();
        List<Request> lost =
                running.stream()
                        .sorted(Comparator.comparingLong((Request each) -> each.arrival).reversed())
                        .toList();
        running.clear();
        for (Request request : lost) {
            if (request.countLoss() > MOST_LOSSES) {
                fail(
                        request,
                        new ShardLostException(
                                "the model was lost "
                                        + MOST_LOSSES
                                        + " times in a row before the request got further"));
                continue;
            }
            request.loseState();
            replays++;
            line.requeue(request);
        }
    }

    private void choose(Request request, TokenOutput output) {
        failuresInARow = 0;
        guard(
                request,
                () -> choice.choose(request, output).ifPresent(reason -> finish(request, reason)));
    }

    private void finish(Request request, GenerationEnd.Reason reason) {
        running.remove(request);
        room.keep(request.state);
        request.listener.onEnd(request.end(reason));
    }

    /**
     * Runs what may throw for one request; a failure ends that request only. Returns whether it
     * went well.
     */
    private boolean guard(Request request, Runnable action) {
        try {
            action.run();
            return true;
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.WARNING, "a request failed", e);
            if (running.remove(request)) {
                room.drop(request.state);
                fail(request, StepFailure.of(e));
            }
            return false;
        }
    }

    void fail(Request request, VarveException reason) {
        try {
            request.listener.onError(reason);
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.WARNING, "a listener failed", e);
        }
    }

    EngineStatus status(EngineOptions sizes, int waiting) {
        ShardMemory memory = pipeline.memory();
        return new EngineStatus(
                sizes.contextTokens(),
                sizes.parallel(),
                waiting,
                running.size(),
                room.totalSlots(),
                room.usedSlots(),
                room.residentSlots(),
                memory.weights() + memory.mappedWeights(),
                memory.mappedWeights(),
                memory.kv(),
                memory.compute(),
                promptTokens,
                cachedTokens,
                choice.tokens(),
                preemptions,
                replays,
                flights.submitted(),
                pipeline.status());
    }
}

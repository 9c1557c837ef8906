package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.sampling.TokenLogprobs;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlotSpan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The running sequences and their steps. Only the engine's thread uses it. Runs per token: plain
 * loops.
 */
final class StepRunner {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    private final ShardPipeline pipeline;
    private final EngineOptions options;
    private final boolean forgets;
    private final int vocabulary;
    private final CacheRoom room;
    private final Consumer<Request> requeue;
    private final List<Request> running = new ArrayList<>();
    private final Deque<Flight> flights = new ArrayDeque<>();
    private int turn;
    private long promptTokens;
    private long cachedTokens;
    private long generatedTokens;
    private long preemptions;
    private long replays;
    private long stepCount;

    /**
     * A batch under way.
     *
     * @param states what the requests' sequences were when it was submitted
     */
    private record Flight(
            List<Request> requests,
            List<SequenceState> states,
            boolean hasOutputs,
            CompletableFuture<ShardResult> result,
            Consumer<ShardResult> success) {}

    StepRunner(
            ShardPipeline pipeline,
            EngineOptions options,
            boolean forgets,
            int vocabulary,
            Consumer<Request> requeue) {
        this.pipeline = pipeline;
        this.options = options;
        this.forgets = forgets;
        this.vocabulary = vocabulary;
        this.requeue = requeue;
        room = new CacheRoom(pipeline, options, forgets);
    }

    static VarveException cancelled() {
        return new VarveException(VarveException.Kind.CANCELLED, "the request was cancelled");
    }

    boolean isIdle() {
        return running.isEmpty() && flights.isEmpty();
    }

    boolean hasPlace() {
        return running.size() < options.parallel();
    }

    void removeCancelled() {
        if (running.stream().anyMatch(Request::isCancelled)) {
            // What is kept of them must have been computed.
            settleAll();
        }
        for (Request request : List.copyOf(running)) {
            if (request.isCancelled()) {
                running.remove(request);
                room.keep(request.state);
                fail(request, cancelled());
            }
        }
    }

    /** Lets a request in if there is room for it and for the next block of every other sequence. */
    boolean admit(Request request) {
        SequenceState state = room.begin(request.tokens, request.replay);
        boolean fits = room.ensure(state, request.tokens.size() + 1);
        int spare = room.totalSlots() - room.usedSlots();
        if (!fits || (!running.isEmpty() && spare < running.size() * SlotSpan.BLOCK)) {
            room.keep(state);
            return false;
        }
        running.add(request);
        if (request.admit(state)) {
            promptTokens += request.promptLength;
            cachedTokens += request.cachedTokens();
            guard(request, () -> request.listener.onStart(request.cachedTokens()));
        }
        return true;
    }

    /** One token for every sequence in decode. */
    void decode() {
        settleOutputs();
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
            int target = state.mustKeepRow() ? room.takeRow() : state.row;
            slices.add(slice(request, state.computed + 1, target, request.wanted()));
        }
        submit(batch, new Batch(slices, Phase.DECODE), result -> chooseAll(batch, result));
        settleAll();
    }

    private void chooseAll(List<Request> batch, ShardResult result) {
        for (int i = 0; i < batch.size(); i++) {
            if (running.contains(batch.get(i))) {
                choose(batch.get(i), result, i);
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
            requeue.accept(youngest);
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
            settle();
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
            settleOutputs();
            if (!running.contains(request)) {
                return;
            }
        }
        if (checkpoint) {
            // First, so that no sequence ever holds more than two rows.
            room.dropCheckpoint(state);
        }
        int target =
                checkpoint
                        ? room.takeCheckpointRow()
                        : state.mustKeepRow() ? room.takeRow() : state.row;
        Slice slice = slice(request, end, target, last ? request.wanted() : OutputRows.NONE);
        submit(
                List.of(request),
                new Batch(List.of(slice), phase),
                result -> {
                    if (running.contains(request)
                            && request.state == state
                            && reportPrefill(request, end)
                            && last) {
                        request.phase = Request.Phase.DECODE;
                        choose(request, result, 0);
                    }
                });
        if (checkpoint) {
            state.checkpointRow = state.row;
            state.checkpoint = end;
        }
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
    private void submit(List<Request> requests, Batch batch, Consumer<ShardResult> success) {
        stepCount++;
        flights.addLast(
                new Flight(
                        requests,
                        requests.stream().map(request -> request.state).toList(),
                        batch.outputs() > 0,
                        pipeline.submit(batch),
                        success));
        for (int i = 0; i < requests.size(); i++) {
            Slice slice = batch.slices().get(i);
            advance(requests.get(i).state, slice, batch.phase());
        }
    }

    private void advance(SequenceState state, Slice slice, Phase phase) {
        state.extend(slice.firstPosition() + slice.tokens().length, phase);
        if (slice.writeRow() != state.row) {
            if (state.row != state.checkpointRow) {
                room.releaseRow(state.row);
            }
            state.row = slice.writeRow();
        }
    }

    /** The logits of a batch must be used before another one may ask for some. */
    private void settleOutputs() {
        while (flights.stream().anyMatch(Flight::hasOutputs)) {
            settle();
        }
    }

    private void settleAll() {
        while (!flights.isEmpty()) {
            settle();
        }
    }

    /**
     * Waits for the oldest batch and takes in its result; a failure ends its requests.
     *
     * @throws ShardLostException if a shard is gone
     */
    private void settle() {
        Flight flight = flights.removeFirst();
        ShardResult result;
        try {
            result = ShardPipeline.join(flight.result());
        } catch (ShardLostException e) {
            throw e;
        } catch (RuntimeException thrown) {
            LOG.log(System.Logger.Level.ERROR, "a step failed", thrown);
            // A batch behind a failed one of its sequence does not fit what the caches hold; a
            // shard says so as it likes.
            VarveException e =
                    thrown instanceof VarveException known
                            ? known
                            : new VarveException(
                                    VarveException.Kind.BACKEND_FAILED, "a step failed", thrown);
            for (int i = 0; i < flight.requests().size(); i++) {
                Request request = flight.requests().get(i);
                if (request.state == flight.states().get(i) && running.remove(request)) {
                    room.drop(request.state);
                    fail(request, e);
                }
            }
            return;
        }
        flight.success().accept(result);
    }

    /**
     * Takes back all running sequences, since a shard and its caches are gone, and puts their
     * requests to the front of the queue. They will be computed again as they were; what was
     * streamed of them stays as it is.
     */
    void loseAll() {
        for (Flight flight : flights) {
            // None may be under way when the caches are used anew.
            flight.result().exceptionally(e -> null).join();
        }
        flights.clear();
        room.clear();
        List<Request> lost =
                running.stream()
                        .sorted(Comparator.comparingLong((Request each) -> each.arrival).reversed())
                        .toList();
        running.clear();
        for (Request request : lost) {
            request.loseState();
            replays++;
            requeue.accept(request);
        }
    }

    private void choose(Request request, ShardResult result, int row) {
        float[] logits = result.logits();
        int offset = row * vocabulary;
        boolean sound =
                guard(
                        request,
                        () -> {
                            int token = next(request, result, row);
                            request.countToken();
                            generatedTokens++;
                            if (request.isEndToken(token)) {
                                finish(request, GenerationEnd.Reason.END_TOKEN);
                                return;
                            }
                            request.sampler.accept(token);
                            request.request.guide().accept(token);
                            request.tokens.add(token);
                            int top = request.request.topLogprobs();
                            Optional<TokenLogprobs> logprobs =
                                    top < 0
                                            ? Optional.empty()
                                            : Optional.of(
                                                    request.sampler.logprobs(
                                                            logits, offset, token, top));
                            if (!request.listener.onToken(new GeneratedToken(token, logprobs))) {
                                finish(request, GenerationEnd.Reason.STOPPED);
                            } else if (request.generated >= request.request.maxTokens()) {
                                finish(request, GenerationEnd.Reason.LENGTH);
                            }
                        });
        if (!sound) {
            turn = 0;
        }
    }

    private int next(Request request, ShardResult result, int row) {
        OptionalInt forced = request.request.guide().forced();
        if (forced.isPresent()) {
            return requireKnown(forced.getAsInt());
        }
        return request.wanted() == OutputRows.BEST
                ? requireNumber(result.best()[row])
                : request.sampler.sample(result.logits(), row * vocabulary);
    }

    /** A tokenizer may know more tokens than the model has rows. */
    private int requireKnown(int token) {
        if (token < 0 || token >= vocabulary) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "token " + token + " is outside the model's vocabulary of " + vocabulary);
        }
        return token;
    }

    private static int requireNumber(int best) {
        if (best < 0) {
            throw new VarveException(
                    VarveException.Kind.BACKEND_FAILED,
                    "the model produced a logit that is not a number");
        }
        return best;
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
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a request failed", e);
            if (running.remove(request)) {
                room.drop(request.state);
                fail(
                        request,
                        e instanceof VarveException known
                                ? known
                                : new VarveException(
                                        VarveException.Kind.BACKEND_FAILED,
                                        "the request failed",
                                        e));
            }
            return false;
        }
    }

    void fail(Request request, VarveException reason) {
        try {
            request.listener.onError(reason);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a listener failed", e);
        }
    }

    void failAll(VarveException reason) {
        for (Request request : running) {
            fail(request, reason);
        }
        running.clear();
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
                generatedTokens,
                preemptions,
                replays,
                stepCount,
                pipeline.status());
    }
}

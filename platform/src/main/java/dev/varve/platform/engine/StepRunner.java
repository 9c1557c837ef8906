package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.sampling.TokenLogprobs;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlotSpan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
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
    private final List<Request> batch = new ArrayList<>();
    private int turn;
    private long promptTokens;
    private long cachedTokens;
    private long generatedTokens;
    private long preemptions;
    private long stepCount;

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
        return running.isEmpty();
    }

    boolean hasPlace() {
        return running.size() < options.parallel();
    }

    void removeCancelled() {
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
        SequenceState state = room.begin(request.tokens);
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
        for (Request request : List.copyOf(running)) {
            if (request.phase == Request.Phase.DECODE) {
                makeRoom(request);
            }
        }
        batch.clear();
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
        forward(slices, Phase.DECODE)
                .ifPresent(
                        result -> {
                            List<Request> stepped = List.copyOf(batch);
                            for (int i = 0; i < stepped.size(); i++) {
                                advance(stepped.get(i).state, slices.get(i));
                                choose(stepped.get(i), result, i);
                            }
                        });
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
            youngest.state = null;
            youngest.phase = Request.Phase.WAITING;
            preemptions++;
            requeue.accept(youngest);
        }
    }

    /** One chunk of one sequence in prefill; sequences take turns. */
    void prefill() {
        Request request = nextInPrefill();
        if (request == null) {
            return;
        }
        SequenceState state = request.state;
        int known = request.tokens.size();
        boolean shared = running.stream().anyMatch(each -> each.phase == Request.Phase.DECODE);
        int stable = forgets ? request.request.stablePrefix() : 0;
        int end = ChunkPlan.next(state.computed, known, stable, shared);
        boolean checkpoint = end == stable;
        boolean last = end == known;
        if (checkpoint) {
            // First, so that no sequence ever holds more than two rows.
            room.dropCheckpoint(state);
        }
        int target =
                checkpoint
                        ? room.takeCheckpointRow()
                        : state.mustKeepRow() ? room.takeRow() : state.row;
        Slice slice = slice(request, end, target, last ? request.wanted() : OutputRows.NONE);
        batch.clear();
        batch.add(request);
        forward(List.of(slice), Phase.PREFILL)
                .ifPresent(
                        result -> {
                            advance(state, slice);
                            if (checkpoint) {
                                state.checkpointRow = state.row;
                                state.checkpoint = end;
                            }
                            if (guard(
                                            request,
                                            () ->
                                                    request.listener.onPrefill(
                                                            Math.min(end, request.promptLength),
                                                            request.promptLength))
                                    && last) {
                                request.phase = Request.Phase.DECODE;
                                choose(request, result, 0);
                            }
                        });
    }

    private Request nextInPrefill() {
        for (int i = 0; i < running.size(); i++) {
            Request candidate = running.get((turn + i) % running.size());
            if (candidate.phase == Request.Phase.PREFILL) {
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

    /** Runs the slices of {@link #batch}; on failure ends their requests. */
    private Optional<ShardResult> forward(List<Slice> slices, Phase phase) {
        try {
            stepCount++;
            return Optional.of(pipeline.forward(new Batch(slices, phase)));
        } catch (VarveException e) {
            LOG.log(System.Logger.Level.ERROR, "a step failed", e);
            for (int i = 0; i < slices.size(); i++) {
                Request request = batch.get(i);
                if (slices.get(i).writeRow() != request.state.row) {
                    room.releaseRow(slices.get(i).writeRow());
                }
                running.remove(request);
                room.drop(request.state);
                fail(request, e);
            }
            return Optional.empty();
        }
    }

    /** Accepts what a forward wrote as the sequence's state. */
    private void advance(SequenceState state, Slice slice) {
        state.computed += slice.tokens().length;
        if (slice.writeRow() != state.row) {
            if (state.row != state.checkpointRow) {
                room.releaseRow(state.row);
            }
            state.row = slice.writeRow();
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
                stepCount);
    }
}

package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.prefix.SnapshotExport;
import dev.varve.platform.sequence.ScheduledTokens;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardResult;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Holds the batches that were submitted and have not returned, oldest first. Only the engine's
 * thread uses it.
 */
final class InFlightBatches {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    private final ShardPipeline pipeline;
    private final PrefixCache cache;
    private final StepTokenBudget pace;
    private final SpeculativeDecoding drafting;
    private final Consumer<Failure> onFailure;
    private final Deque<Flight> inFlight = new ArrayDeque<>();
    private long submitted;

    /** Cache changes since the latest batch, as they complete; empty without changes. */
    private Optional<CompletableFuture<Void>> changed = Optional.empty();

    /** Time at which the latest batch returned, in ns. */
    private long settledAt = System.nanoTime();

    /**
     * An in-flight batch.
     *
     * @param places sequences of the requests when it was submitted
     * @param exports snapshot exports of states that it computes
     * @param changes whether it also changes rows of other sequences
     */
    private record Flight(
            List<BatchEntry> works,
            List<SequenceCache> places,
            List<SnapshotExport> exports,
            Batch batch,
            boolean changes,
            CompletableFuture<ShardResult> result,
            long submittedAt) {
        boolean hasOutputs() {
            return batch.outputs() > 0;
        }

        /** Returns whether several requests share it that could be computed separately. */
        boolean isMixed() {
            return batch.phase() == Phase.PREFILL && works.size() > 1;
        }
    }

    /**
     * A failed batch.
     *
     * @param requests its requests that still have the sequence that was computed
     * @param changedOthers whether it was to change rows of other sequences as well
     * @param mixed whether each of the requests can be computed without the others
     */
    record Failure(
            List<Request> requests, boolean changedOthers, boolean mixed, VarveException reason) {}

    /**
     * @param cache builds the batches
     * @param pace records how long batches take
     * @param drafting receives the features of computed tokens
     * @param onFailure receives each failed batch, unless a shard was lost
     */
    InFlightBatches(
            ShardPipeline pipeline,
            PrefixCache cache,
            StepTokenBudget pace,
            SpeculativeDecoding drafting,
            Consumer<Failure> onFailure) {
        this.pipeline = pipeline;
        this.cache = cache;
        this.pace = pace;
        this.drafting = drafting;
        this.onFailure = onFailure;
    }

    /** Returns the number of batches so far. */
    long submitted() {
        return submitted;
    }

    int size() {
        return inFlight.size();
    }

    boolean isEmpty() {
        return inFlight.isEmpty();
    }

    /** Submits a batch; each request has at most one entry in it. */
    void submit(List<BatchEntry> works) {
        List<SequenceCache> places = new ArrayList<>(works.size());
        List<ScheduledTokens> advances = new ArrayList<>(works.size());
        for (BatchEntry work : works) {
            places.add(work.request().sequence());
            advances.add(work.advance());
        }
        Batch batch = cache.devices().advance(advances, drafting.captures(works));
        submitted++;
        long now = System.nanoTime();
        inFlight.addLast(
                new Flight(
                        works,
                        places,
                        exports(advances),
                        batch,
                        changed.isPresent() || !batch.changes().isEmpty(),
                        afterChanges(pipeline.submit(batch)),
                        now));
    }

    /** Applies pending cache changes now, rather than with the next batch. */
    void change() {
        CacheChanges changes = cache.devices().takeChanges();
        if (!changes.isEmpty()) {
            CompletableFuture<Void> made = pipeline.change(changes);
            changed =
                    Optional.of(
                            changed.map(each -> CompletableFuture.allOf(each, made)).orElse(made));
        }
    }

    /** Makes a batch fail if the cache changes before it fail. */
    private CompletableFuture<ShardResult> afterChanges(CompletableFuture<ShardResult> result) {
        Optional<CompletableFuture<Void>> before = changed;
        changed = Optional.empty();
        return before.map(made -> made.thenCombine(result, (nothing, found) -> found))
                .orElse(result);
    }

    private List<SnapshotExport> exports(List<ScheduledTokens> advances) {
        List<SnapshotExport> exports = new ArrayList<>();
        for (ScheduledTokens advance : advances) {
            if (advance.savesCheckpoint()) {
                cache.exportEnd(advance.sequence()).ifPresent(exports::add);
            }
        }
        return exports;
    }

    /**
     * Waits for batches with outputs: their logits must be used before another one requests some.
     */
    void settleOutputs() {
        while (inFlight.stream().anyMatch(Flight::hasOutputs)) {
            settle();
        }
    }

    void settleAll() {
        while (!inFlight.isEmpty()) {
            settle();
        }
    }

    /**
     * Waits for the oldest batch and processes its result.
     *
     * @throws ShardLostException if a shard was lost
     */
    void settle() {
        Flight flight = inFlight.removeFirst();
        ShardResult result;
        long begin;
        try {
            result = ShardPipeline.join(flight.result());
        } catch (ShardLostException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a step failed", e);
            flight.exports().forEach(cache::dropExport);
            onFailure.accept(
                    new Failure(
                            stillComputed(flight),
                            flight.changes(),
                            flight.isMixed(),
                            StepErrorMapper.of(e)));
            return;
        } finally {
            // A batch behind another one begins when that one ends.
            begin = Math.max(flight.submittedAt(), settledAt);
            settledAt = System.nanoTime();
        }
        measure(flight.batch(), settledAt - begin);
        // First, since a sequence that is kept below must have these features.
        keepFeatures(flight, result);
        flight.exports().forEach(SnapshotExport::markComputed);
        int row = 0;
        int column = 0;
        for (int i = 0; i < flight.works().size(); i++) {
            BatchEntry work = flight.works().get(i);
            take(flight, i, result, row, column);
            row += work.outputs();
            column += work.tokens();
        }
    }

    /** Passes a result to its request; an exception fails this request only. */
    private void take(Flight flight, int index, ShardResult result, int row, int column) {
        BatchEntry work = flight.works().get(index);
        try {
            work.taker().take(result, row, column);
            choosePages(flight, index, result);
            show(flight, index, result, column);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a request failed after its step", e);
            onFailure.accept(
                    new Failure(List.of(work.request()), false, false, StepErrorMapper.of(e)));
        }
    }

    /** Selects the pages of a sequence by the scores, if it has reached the expected position. */
    private void choosePages(Flight flight, int index, ShardResult result) {
        Request request = flight.works().get(index).request();
        SequenceCache place = flight.places().get(index);
        SequenceChunk chunk = flight.batch().chunks().get(index);
        List<PageQuery> queries = flight.batch().queries();
        boolean goesOn =
                request.isRunning()
                        && request.sequence() == place
                        && place.computed() == chunk.firstPosition() + chunk.tokens().length;
        for (int number = 0; number < queries.size(); number++) {
            PageQuery query = queries.get(number);
            if (goesOn && query.chunkIndex() == index) {
                cache.devices()
                        .choosePages(
                                place,
                                result.scoresOf(number),
                                query.pages().size(),
                                place.computed());
            }
        }
    }

    /**
     * Scores the pages of a sequence for its next tokens, and selects pages by the scores. No batch
     * may be in flight.
     *
     * @param windowEnd position up to which slots are ensured
     * @throws ShardLostException if a shard was lost
     */
    void scorePages(Request request, int end, int windowEnd) {
        SequenceCache place = request.sequence();
        Batch batch =
                cache.devices()
                        .pageScoringBatch(
                                place, request.arrival(), request.tokensUpTo(end), windowEnd);
        submitted++;
        boolean changes = changed.isPresent() || !batch.changes().isEmpty();
        try {
            ShardResult result = ShardPipeline.join(afterChanges(pipeline.submit(batch)));
            int asked = batch.queries().getFirst().pages().size();
            cache.devices().choosePages(place, result.scoresOf(0), asked, end);
        } catch (ShardLostException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a step failed", e);
            onFailure.accept(new Failure(List.of(request), changes, false, StepErrorMapper.of(e)));
        }
    }

    private void keepFeatures(Flight flight, ShardResult result) {
        if (result.features().isEmpty()) {
            return;
        }
        int column = 0;
        for (int i = 0; i < flight.works().size(); i++) {
            int tokens = flight.works().get(i).tokens();
            cache.recordFeatures(
                    flight.places().get(i),
                    flight.batch().chunks().get(i).firstPosition(),
                    result.features(),
                    column,
                    tokens);
            column += tokens;
        }
    }

    /** Passes the features of the accepted tokens of a request to the speculator. */
    private void show(Flight flight, int index, ShardResult result, int column) {
        Request request = flight.works().get(index).request();
        SequenceCache place = flight.places().get(index);
        if (!result.features().isEmpty() && request.isRunning() && request.sequence() == place) {
            int first = flight.batch().chunks().get(index).firstPosition();
            int computed = Math.min(place.computed() - first, flight.works().get(index).tokens());
            drafting.observe(request, first, computed, result.features(), column);
        }
    }

    private void measure(Batch batch, long nanos) {
        if (batch.phase() == Phase.PREFILL) {
            pace.record(batch.tokens(), nanos);
        } else {
            pace.recordRows(nanos);
            drafting.measured(batch.tokens(), nanos);
        }
    }

    private static List<Request> stillComputed(Flight flight) {
        return IntStream.range(0, flight.works().size())
                .filter(i -> flight.works().get(i).request().sequence() == flight.places().get(i))
                .mapToObj(i -> flight.works().get(i).request())
                .toList();
    }

    /** Waits for all batches and discards their results. */
    void abandon() {
        for (Flight flight : inFlight) {
            // No batch may be in flight when the caches are reused.
            flight.result().exceptionally(e -> null).join();
        }
        inFlight.clear();
        changed.ifPresent(made -> made.exceptionally(e -> null).join());
        changed = Optional.empty();
    }
}

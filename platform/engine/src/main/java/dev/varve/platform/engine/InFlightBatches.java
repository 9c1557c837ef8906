package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.prefix.SnapshotExportTask;
import dev.varve.platform.sequence.ChunkKind;
import dev.varve.platform.sequence.ScheduledTokens;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.ExpertCounts;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.TopTokens;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Holds the batches that were submitted and have not returned, oldest first. Only the engine's
 * thread uses it.
 */
final class InFlightBatches {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    private final ShardPipeline pipeline;
    private final PrefixCache cache;
    private final StepTokenBudget tokenBudget;
    private final DraftProposer draftProposer;
    private final TokenSelector selector;
    private final Consumer<Failure> onFailure;
    private final Deque<InFlightBatch> batches = new ArrayDeque<>();
    private final ExpertShares experts;
    private long submitted;

    /** Cache changes since the latest batch, as they complete; empty without changes. */
    private Optional<CompletableFuture<Void>> changed = Optional.empty();

    /** Time at which the latest batch returned, in ns. */
    private long returnedAt = System.nanoTime();

    private long waitedNanos;

    /**
     * An in-flight batch.
     *
     * @param places sequences of the requests when it was submitted
     * @param exports snapshot exports of states that it computes
     * @param changes whether it also changes rows of other sequences
     */
    private record InFlightBatch(
            List<BatchEntry> entries,
            List<SequenceCache> places,
            List<SnapshotExportTask> exports,
            Batch batch,
            boolean changes,
            CompletableFuture<ShardResult> result,
            long submittedAt) {
        boolean hasRows() {
            return entries.stream().anyMatch(entry -> entry.advance().kind() == ChunkKind.ROWS);
        }

        boolean isOf(Predicate<Request> condition) {
            return entries.stream().anyMatch(entry -> condition.test(entry.request()));
        }

        /** Returns whether several requests share it that could be computed separately. */
        boolean isMixed() {
            return batch.phase() == Phase.PREFILL
                    && entries.stream().map(BatchEntry::request).distinct().count() > 1;
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
     * @param tokenBudget records how long batches take
     * @param draftProposer receives the features of computed tokens
     * @param selector knows whether the best tokens of a row decide a choice
     * @param onFailure receives each failed batch, unless a shard was lost
     */
    InFlightBatches(
            ShardPipeline pipeline,
            PrefixCache cache,
            StepTokenBudget tokenBudget,
            DraftProposer draftProposer,
            TokenSelector selector,
            Consumer<Failure> onFailure) {
        this.pipeline = pipeline;
        this.cache = cache;
        this.tokenBudget = tokenBudget;
        this.draftProposer = draftProposer;
        this.selector = selector;
        this.onFailure = onFailure;
        experts = new ExpertShares(pipeline::experts);
    }

    /** Returns the number of batches so far. */
    long submitted() {
        return submitted;
    }

    /** Returns the time spent so far on waiting for results, in nanoseconds. */
    long waitedNanos() {
        return waitedNanos;
    }

    int size() {
        return batches.size();
    }

    boolean isEmpty() {
        return batches.isEmpty();
    }

    /** Returns the number of batches with decode rows. */
    int withRows() {
        int count = 0;
        for (InFlightBatch batch : batches) {
            count += batch.hasRows() ? 1 : 0;
        }
        return count;
    }

    /**
     * Submits a batch. A request has one entry in it, or two in succession for tokens before and
     * after a checkpoint.
     */
    void submit(List<BatchEntry> entries) {
        List<SequenceCache> places = new ArrayList<>(entries.size());
        List<ScheduledTokens> advances = new ArrayList<>(entries.size());
        for (BatchEntry entry : entries) {
            entry.request().enterBatch(submitted + 1);
            places.add(entry.request().sequence());
            advances.add(entry.advance());
        }
        Batch batch =
                checked(
                        entries,
                        cache.devices().advance(advances, draftProposer.captures(entries)));
        submitted++;
        long now = System.nanoTime();
        batches.addLast(
                new InFlightBatch(
                        entries,
                        places,
                        exports(advances),
                        batch,
                        changed.isPresent() || !batch.changes().isEmpty(),
                        afterChanges(pipeline.submit(batch)),
                        now));
    }

    /**
     * Returns whether batches are computed by the engine's thread, so that it knows the state of
     * requests while results are read.
     */
    boolean areInline() {
        return pipeline.depth() == 1;
    }

    private Batch checked(List<BatchEntry> entries, Batch batch) {
        for (BatchEntry entry : entries) {
            if (entry.advance().outputs().isTop() && !entry.request().needsTopOnly()) {
                return batch.checking((chunk, top) -> suffices(entries.get(chunk).request(), top));
            }
        }
        return batch;
    }

    private boolean suffices(Request request, TopTokens top) {
        try {
            return request.needsTopOnly() || selector.isDecidedBy(request, top);
        } catch (RuntimeException e) {
            // The choice from the whole row fails in the same way, and fails this request only.
            return false;
        }
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

    private List<SnapshotExportTask> exports(List<ScheduledTokens> advances) {
        List<SnapshotExportTask> exports = new ArrayList<>();
        for (ScheduledTokens advance : advances) {
            if (advance.savesCheckpoint()) {
                cache.exportCheckpoint(advance.sequence()).ifPresent(exports::add);
            }
        }
        return exports;
    }

    /** Waits until no request for which a condition holds is in a batch. */
    void awaitAll(Predicate<Request> condition) {
        while (anyOf(condition)) {
            awaitOldest();
        }
    }

    private boolean anyOf(Predicate<Request> condition) {
        for (InFlightBatch batch : batches) {
            if (batch.isOf(condition)) {
                return true;
            }
        }
        return false;
    }

    void awaitAll() {
        while (!batches.isEmpty()) {
            awaitOldest();
        }
    }

    /**
     * Waits for the oldest batch and processes its result.
     *
     * @throws ShardLostException if a shard was lost
     */
    void awaitOldest() {
        InFlightBatch pending = batches.removeFirst();
        ShardResult result;
        long begin;
        long waitsFrom = System.nanoTime();
        try {
            result = ShardPipeline.join(pending.result());
        } catch (ShardLostException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a step failed", e);
            pending.exports().forEach(cache::dropExport);
            countExperts(pending.entries());
            onFailure.accept(
                    new Failure(
                            stillComputed(pending),
                            pending.changes(),
                            pending.isMixed(),
                            StepErrorMapper.of(e)));
            return;
        } finally {
            // A batch behind another one begins when that one ends.
            begin = Math.max(pending.submittedAt(), returnedAt);
            returnedAt = System.nanoTime();
            waitedNanos += returnedAt - waitsFrom;
        }
        // Batches overlap. A stream waits for its own batch, and each batch without rows takes a
        // share of that time.
        measure(
                pending.batch(),
                Math.min(
                        returnedAt - pending.submittedAt(),
                        pipeline.overlapping() * (returnedAt - begin)));
        countExperts(pending.entries());
        // First, since a sequence that is kept below must have these features.
        recordFeatures(pending, result);
        pending.exports().forEach(SnapshotExportTask::markComputed);
        int row = 0;
        int column = 0;
        for (int i = 0; i < pending.entries().size(); i++) {
            BatchEntry entry = pending.entries().get(i);
            deliver(pending, i, result, row, column);
            row += entry.outputs();
            column += entry.tokens();
        }
    }

    /** Adds the experts since the batch before to the requests of a batch that returned. */
    private void countExperts(List<BatchEntry> entries) {
        List<ExpertCounts> shares =
                experts.divide(entries.stream().mapToInt(BatchEntry::tokens).toArray());
        for (int i = 0; i < shares.size(); i++) {
            entries.get(i).request().addExperts(shares.get(i));
        }
    }

    /** Passes a result to its request; an exception fails this request only. */
    private void deliver(
            InFlightBatch pending, int index, ShardResult result, int row, int column) {
        BatchEntry entry = pending.entries().get(index);
        try {
            entry.consumer().accept(result, row, column);
            choosePages(pending, index, result);
            show(pending, index, result, column);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a request failed after its step", e);
            onFailure.accept(
                    new Failure(List.of(entry.request()), false, false, StepErrorMapper.of(e)));
        }
    }

    /** Selects the pages of a sequence by the scores, if it has reached the expected position. */
    private void choosePages(InFlightBatch pending, int index, ShardResult result) {
        Request request = pending.entries().get(index).request();
        SequenceCache place = pending.places().get(index);
        SequenceChunk chunk = pending.batch().chunks().get(index);
        List<PageQuery> queries = pending.batch().queries();
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
            experts.divide(1).forEach(request::addExperts);
            int asked = batch.queries().getFirst().pages().size();
            cache.devices().choosePages(place, result.scoresOf(0), asked, end);
        } catch (ShardLostException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a step failed", e);
            onFailure.accept(new Failure(List.of(request), changes, false, StepErrorMapper.of(e)));
        }
    }

    private void recordFeatures(InFlightBatch pending, ShardResult result) {
        if (result.features().isEmpty()) {
            return;
        }
        int column = 0;
        for (int i = 0; i < pending.entries().size(); i++) {
            int tokens = pending.entries().get(i).tokens();
            cache.recordFeatures(
                    pending.places().get(i),
                    pending.batch().chunks().get(i).firstPosition(),
                    result.features(),
                    column,
                    tokens);
            column += tokens;
        }
    }

    /** Passes the features of the accepted tokens of a request to the speculator. */
    private void show(InFlightBatch pending, int index, ShardResult result, int column) {
        Request request = pending.entries().get(index).request();
        SequenceCache place = pending.places().get(index);
        if (!result.features().isEmpty() && request.isRunning() && request.sequence() == place) {
            int first = pending.batch().chunks().get(index).firstPosition();
            int computed =
                    Math.min(place.computed() - first, pending.entries().get(index).tokens());
            draftProposer.observe(request, first, computed, result.features(), column);
        }
    }

    private void measure(Batch batch, long nanos) {
        if (batch.phase() == Phase.PREFILL) {
            tokenBudget.record(batch.tokens(), nanos);
        } else {
            tokenBudget.recordRows(nanos);
            draftProposer.measured(batch.tokens(), nanos);
        }
    }

    private static List<Request> stillComputed(InFlightBatch pending) {
        return IntStream.range(0, pending.entries().size())
                .filter(
                        i ->
                                pending.entries().get(i).request().sequence()
                                        == pending.places().get(i))
                .mapToObj(i -> pending.entries().get(i).request())
                .distinct()
                .toList();
    }

    /** Waits for all batches and discards their results. */
    void abandon() {
        for (InFlightBatch pending : batches) {
            // No batch may be in flight when the caches are reused.
            pending.result().exceptionally(e -> null).join();
        }
        batches.clear();
        changed.ifPresent(made -> made.exceptionally(e -> null).join());
        changed = Optional.empty();
    }
}

package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.prefix.SnapshotExport;
import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.sequence.ScheduledTokens;
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

/** The batches under way, oldest first. Only the engine's thread uses it. */
final class InFlightBatches {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    private final ShardPipeline pipeline;
    private final PrefixCache cache;
    private final StepTokenBudget pace;
    private final SpeculativeDecoding drafting;
    private final Consumer<Failure> onFailure;
    private final Deque<Flight> flights = new ArrayDeque<>();
    private long submitted;

    /** What caches were changed with since the latest batch; empty if with nothing. */
    private Optional<CompletableFuture<Void>> changed = Optional.empty();

    /** When the latest batch came back. */
    private long settledAt = System.nanoTime();

    /**
     * A batch under way.
     *
     * @param places where the requests were computed when it was submitted
     * @param departures states that it leaves for others
     * @param changes whether rows of other sequences change with it
     */
    private record Flight(
            List<BatchEntry> works,
            List<CachedSequence> places,
            List<SnapshotExport> departures,
            Batch batch,
            boolean changes,
            CompletableFuture<ShardResult> result,
            long submittedAt) {
        boolean hasOutputs() {
            return batch.outputs() > 0;
        }

        /** Whether requests share it that would not need to. */
        boolean isMixed() {
            return batch.phase() == Phase.PREFILL && works.size() > 1;
        }
    }

    /**
     * A batch that failed.
     *
     * @param requests those of its requests whose sequences are still the ones that were computed
     * @param changedOthers whether rows of other sequences were to be changed with it
     * @param mixed whether each of the requests can be computed without the others
     */
    record Failure(
            List<Request> requests, boolean changedOthers, boolean mixed, VarveException reason) {}

    /**
     * @param cache makes the batches
     * @param pace hears how long those with prompt tokens take
     * @param drafting sees what tokens were to the model
     * @param onFailure hears of each batch that failed, unless a shard was lost
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

    /** Batches so far. */
    long submitted() {
        return submitted;
    }

    int size() {
        return flights.size();
    }

    boolean isEmpty() {
        return flights.isEmpty();
    }

    /** Sends a batch on its way; each request has at most one part in it. */
    void submit(List<BatchEntry> works) {
        List<CachedSequence> places = new ArrayList<>(works.size());
        List<ScheduledTokens> advances = new ArrayList<>(works.size());
        for (BatchEntry work : works) {
            places.add(work.request().sequence());
            advances.add(work.advance());
        }
        Batch batch = cache.devices().advance(advances, drafting.captures(works));
        submitted++;
        long now = System.nanoTime();
        flights.addLast(
                new Flight(
                        works,
                        places,
                        departures(advances),
                        batch,
                        changed.isPresent() || !batch.changes().isEmpty(),
                        behindChanges(pipeline.submit(batch)),
                        now));
    }

    /** Makes the changes that the next batch would make already now. */
    void change() {
        CacheChanges changes = cache.devices().takeChanges();
        if (!changes.isEmpty()) {
            CompletableFuture<Void> made = pipeline.change(changes);
            changed =
                    Optional.of(
                            changed.map(each -> CompletableFuture.allOf(each, made)).orElse(made));
        }
    }

    /** A batch is as good as what lies before it. */
    private CompletableFuture<ShardResult> behindChanges(CompletableFuture<ShardResult> result) {
        Optional<CompletableFuture<Void>> before = changed;
        changed = Optional.empty();
        return before.map(made -> made.thenCombine(result, (nothing, found) -> found))
                .orElse(result);
    }

    private List<SnapshotExport> departures(List<ScheduledTokens> advances) {
        List<SnapshotExport> departures = new ArrayList<>();
        for (ScheduledTokens advance : advances) {
            if (advance.keepState()) {
                cache.passes(advance.sequence()).ifPresent(departures::add);
            }
        }
        return departures;
    }

    /** The logits of a batch must be used before another one may ask for some. */
    void settleOutputs() {
        while (flights.stream().anyMatch(Flight::hasOutputs)) {
            settle();
        }
    }

    void settleAll() {
        while (!flights.isEmpty()) {
            settle();
        }
    }

    /**
     * Waits for the oldest batch and takes in its result.
     *
     * @throws ShardLostException if a shard is gone
     */
    void settle() {
        Flight flight = flights.removeFirst();
        ShardResult result;
        long begin;
        try {
            result = ShardPipeline.join(flight.result());
        } catch (ShardLostException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a step failed", e);
            flight.departures().forEach(cache::forget);
            onFailure.accept(
                    new Failure(
                            stillComputed(flight),
                            flight.changes(),
                            flight.isMixed(),
                            StepErrorMapper.of(e)));
            return;
        } finally {
            // What is behind another batch begins when that one ends.
            begin = Math.max(flight.submittedAt(), settledAt);
            settledAt = System.nanoTime();
        }
        measure(flight.batch(), settledAt - begin);
        // Before anything becomes of the sequences: what is kept of them has these states.
        keepFeatures(flight, result);
        flight.departures().forEach(SnapshotExport::markComputed);
        int row = 0;
        int column = 0;
        for (int i = 0; i < flight.works().size(); i++) {
            BatchEntry work = flight.works().get(i);
            take(flight, i, result, row, column);
            row += work.outputs();
            column += work.tokens();
        }
    }

    /** Gives a request what was computed for it; a failure of that is the request's alone. */
    private void take(Flight flight, int index, ShardResult result, int row, int column) {
        BatchEntry work = flight.works().get(index);
        try {
            work.taker().take(result, row, column);
            choosePages(flight, index, result);
            show(flight, index, result, column);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a request failed behind its step", e);
            onFailure.accept(
                    new Failure(List.of(work.request()), false, false, StepErrorMapper.of(e)));
        }
    }

    /** A sequence that got as far as was asked for has its pages chosen by the answers. */
    private void choosePages(Flight flight, int index, ShardResult result) {
        Request request = flight.works().get(index).request();
        CachedSequence place = flight.places().get(index);
        SequenceChunk slice = flight.batch().slices().get(index);
        List<PageQuery> queries = flight.batch().queries();
        boolean goesOn =
                request.isRunning()
                        && request.sequence() == place
                        && place.computed() == slice.firstPosition() + slice.tokens().length;
        for (int number = 0; number < queries.size(); number++) {
            PageQuery query = queries.get(number);
            if (goesOn && query.slice() == index) {
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
     * Learns what the next tokens of a sequence look for, and has its pages chosen by that. Nothing
     * may be under way.
     *
     * @param windowEnd position up to which slots are seen to
     * @throws ShardLostException if a shard is gone
     */
    void tryOut(Request request, int end, int windowEnd) {
        CachedSequence place = request.sequence();
        Batch batch =
                cache.devices()
                        .tryOut(place, request.arrival(), request.tokensUpTo(end), windowEnd);
        submitted++;
        boolean changes = changed.isPresent() || !batch.changes().isEmpty();
        try {
            ShardResult result = ShardPipeline.join(behindChanges(pipeline.submit(batch)));
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
            cache.saw(
                    flight.places().get(i),
                    flight.batch().slices().get(i).firstPosition(),
                    result.features(),
                    column,
                    tokens);
            column += tokens;
        }
    }

    /** Shows whoever guesses those tokens of a request that are its own for good. */
    private void show(Flight flight, int index, ShardResult result, int column) {
        Request request = flight.works().get(index).request();
        CachedSequence place = flight.places().get(index);
        if (!result.features().isEmpty() && request.isRunning() && request.sequence() == place) {
            int first = flight.batch().slices().get(index).firstPosition();
            int computed = Math.min(place.computed() - first, flight.works().get(index).tokens());
            drafting.observe(request, first, computed, result.features(), column);
        }
    }

    private void measure(Batch batch, long nanos) {
        if (batch.phase() == Phase.PREFILL) {
            pace.took(batch.tokens(), nanos);
        } else {
            pace.tookRows(nanos);
            drafting.measured(batch.tokens(), nanos);
        }
    }

    private static List<Request> stillComputed(Flight flight) {
        return IntStream.range(0, flight.works().size())
                .filter(i -> flight.works().get(i).request().sequence() == flight.places().get(i))
                .mapToObj(i -> flight.works().get(i).request())
                .toList();
    }

    /** Waits for all batches and does without their results. */
    void abandon() {
        for (Flight flight : flights) {
            // None may be under way when the caches are used anew.
            flight.result().exceptionally(e -> null).join();
        }
        flights.clear();
        changed.ifPresent(made -> made.exceptionally(e -> null).join());
        changed = Optional.empty();
    }
}

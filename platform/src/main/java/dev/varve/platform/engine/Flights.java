package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardResult;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The batches under way, oldest first. Only the engine's thread uses it. */
final class Flights {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    private final ShardPipeline pipeline;
    private final Consumer<Failure> onFailure;
    private final Deque<Flight> flights = new ArrayDeque<>();
    private long submitted;

    /**
     * A batch under way.
     *
     * @param places where the requests were computed when it was submitted
     */
    private record Flight(
            List<Request> requests,
            List<CachedSequence> places,
            Batch batch,
            CompletableFuture<ShardResult> result,
            Consumer<ShardResult> success) {
        boolean hasOutputs() {
            return batch.outputs() > 0;
        }
    }

    /**
     * A batch that failed.
     *
     * @param requests those of its requests whose sequences are still the ones that were computed
     * @param copiedRows whether rows of other sequences were to be copied with it
     */
    record Failure(List<Request> requests, boolean copiedRows, VarveException reason) {}

    /**
     * @param onFailure hears of each batch that failed, unless a shard was lost
     */
    Flights(ShardPipeline pipeline, Consumer<Failure> onFailure) {
        this.pipeline = pipeline;
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

    /**
     * Sends a batch on its way.
     *
     * @param requests one for each slice
     */
    void submit(List<Request> requests, Batch batch, Consumer<ShardResult> success) {
        submitted++;
        flights.addLast(
                new Flight(
                        requests,
                        requests.stream().map(Request::sequence).toList(),
                        batch,
                        pipeline.submit(batch),
                        success));
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
        try {
            result = ShardPipeline.join(flight.result());
        } catch (ShardLostException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a step failed", e);
            onFailure.accept(
                    new Failure(
                            stillComputed(flight),
                            !flight.batch().copies().isEmpty(),
                            StepFailure.of(e)));
            return;
        }
        flight.success().accept(result);
    }

    private static List<Request> stillComputed(Flight flight) {
        return IntStream.range(0, flight.requests().size())
                .filter(i -> flight.requests().get(i).sequence() == flight.places().get(i))
                .mapToObj(flight.requests()::get)
                .toList();
    }

    /** Waits for all batches and does without their results. */
    void abandon() {
        for (Flight flight : flights) {
            // None may be under way when the caches are used anew.
            flight.result().exceptionally(e -> null).join();
        }
        flights.clear();
    }
}

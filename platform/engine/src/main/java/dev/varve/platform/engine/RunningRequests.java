package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.ShardLostException;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Holds the running requests, which have sequences in the caches, and removes those that end, fail,
 * are cancelled or requeued. Only the engine's thread uses it.
 */
final class RunningRequests {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** Most losses in a row that a request survives without progress. */
    private static final int MOST_LOSSES = 5;

    /** Most failed steps in a row that a request survives, each in another engine. */
    private static final int MOST_MOVES = 2;

    private final PrefixCache cache;
    private final QueueAccess queue;
    private final DraftProposer draftProposer;
    private final RequestFailover failover;
    private final FailureCounter failures;
    private final List<Request> requests = new ArrayList<>();
    private long preemptions;
    private long replays;

    /**
     * @param failover accepts requests that cannot continue here
     * @param failures counts drafts that could not continue
     */
    RunningRequests(
            PrefixCache cache,
            QueueAccess queue,
            DraftProposer draftProposer,
            RequestFailover failover,
            FailureCounter failures) {
        this.failover = failover;
        this.failures = failures;
        this.cache = cache;
        this.queue = queue;
        this.draftProposer = draftProposer;
    }

    int size() {
        return requests.size();
    }

    boolean isEmpty() {
        return requests.isEmpty();
    }

    /** Returns all requests in a new list. */
    List<Request> all() {
        return List.copyOf(requests);
    }

    /** Returns a request, in the order of admission. */
    Request get(int index) {
        return requests.get(index);
    }

    boolean anyMatch(Predicate<Request> condition) {
        for (Request request : requests) {
            if (condition.test(request)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the requests in decode in a new list. */
    List<Request> inDecode() {
        List<Request> result = new ArrayList<>(requests.size());
        for (Request request : requests) {
            if (request.isInDecode()) {
                result.add(request);
            }
        }
        return result;
    }

    /** Returns the slots of the blocks that the sequences may need next. */
    int nextBlocks() {
        int slots = 0;
        for (Request request : requests) {
            slots += Math.min(KvSlotSpan.BLOCK, request.remainingSlots(cache.devices()));
        }
        return slots;
    }

    /** Returns the number of sequences that were preempted for lack of slots. */
    long preemptions() {
        return preemptions;
    }

    /**
     * Returns the number of sequences that were requeued after a lost shard, a failed step or a
     * failed restore.
     */
    long replays() {
        return replays;
    }

    /** Adds a request, which runs with its sequence. */
    void add(Request request, SequenceCache place) {
        requests.add(request);
        request.run(place);
    }

    /** Passes the stored features of a resumed prefix to the speculator. */
    void resumeSpeculation(Request request) {
        cache.features(request.sequence())
                .ifPresent(
                        states ->
                                failures.guard(
                                        "speculative decoding could not resume from stored"
                                                + " features",
                                        () -> draftProposer.resumeSpeculation(request, states)));
    }

    /** Passes the stored features of all requests to the speculator again. */
    void replayFeatures() {
        for (Request request : requests) {
            draftProposer.restart(request);
            if (!request.isRestoring()) {
                resumeSpeculation(request);
            }
        }
    }

    /** Completes a request and keeps its sequence. */
    void finish(Request request, GenerationEnd.Reason reason) {
        remove(request);
        GenerationEnd end = request.end(reason, cache.devices().pagePolicy());
        cache.computed(end.tokens().prompt() - end.tokens().cached(), end.times().prefillMillis());
        cache.retain(request.sequence());
        request.listener().onEnd(end);
    }

    /** Returns the cancelled requests in a new list. */
    List<Request> cancelled() {
        List<Request> cancelled = new ArrayList<>(0);
        for (Request request : requests) {
            if (request.isCancelled()) {
                cancelled.add(request);
            }
        }
        return cancelled;
    }

    /** Ends cancelled requests that still run, and keeps their computed sequences. */
    void removeCancelled(List<Request> cancelled) {
        for (Request request : cancelled) {
            if (request.isRunning()) {
                boolean whole = !request.isRestoring();
                remove(request);
                if (whole) {
                    cache.retain(request.sequence());
                } else {
                    cache.drop(request.sequence());
                }
                fail(request, cancellation());
            }
        }
    }

    static VarveException cancellation() {
        return new VarveException(VarveException.Kind.CANCELLED, "the request was cancelled");
    }

    /**
     * Fails a request and drops its sequence. Does nothing if it does not run any more.
     *
     * @return whether it was running
     */
    boolean end(Request request, VarveException reason) {
        if (!request.isRunning()) {
            return false;
        }
        remove(request);
        cache.drop(request.sequence());
        fail(request, reason);
        return true;
    }

    /**
     * Moves a request to another engine, or fails it, and drops its sequence here.
     *
     * @return whether it was running
     */
    boolean endOrMove(Request request, VarveException reason) {
        if (!request.isRunning()) {
            return false;
        }
        requests.remove(request);
        draftProposer.remove(request);
        cache.drop(request.sequence());
        moveOrFail(request, reason);
        return true;
    }

    private void moveOrFail(Request request, VarveException reason) {
        boolean mayMove = RequestFailover.helps(reason) && request.countLoss() <= MOST_MOVES;
        if (mayMove) {
            request.dropSequence();
        }
        if (!mayMove || !failover.accept(request, reason)) {
            fail(request, reason);
        }
    }

    private void remove(Request request) {
        requests.remove(request);
        request.markEnded();
        draftProposer.remove(request);
    }

    /**
     * Runs an action for one request; an exception fails that request only. Returns whether it
     * succeeded.
     */
    boolean guard(Request request, Runnable action) {
        try {
            action.run();
            return true;
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.WARNING, "a request failed", e);
            end(request, StepErrorMapper.of(e));
            return false;
        }
    }

    /**
     * Ends a request, queued or running, and notifies its listener that it failed. Host memory that
     * is reserved for its prefix stays so until then.
     */
    static void fail(Request request, VarveException reason) {
        request.markEnded();
        try {
            request.listener().onError(reason);
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.WARNING, "a listener failed", e);
        }
    }

    /** Preempts the youngest request: requeues it and frees its slots. */
    void preemptNewest() {
        Request youngest =
                requests.stream().max(Comparator.comparingLong(Request::arrival)).orElseThrow();
        if (!guard(youngest, () -> youngest.listener().onPreempt())) {
            // The request has ended, which freed its slots.
            return;
        }
        preemptions++;
        requeue(youngest, cache::preempt);
    }

    /**
     * Requeues all requests, the first admitted one at the front, and keeps their computed
     * sequences as those of finished requests: nothing waits for a copy. None of them may be in a
     * batch.
     */
    void requeueAllAndRetain() {
        for (Request request : all().reversed()) {
            requeue(request, cache::retain);
        }
    }

    /**
     * Requeues a request without its sequence.
     *
     * @param keeper receives the sequence unless it is incomplete
     */
    private void requeue(Request request, Consumer<SequenceCache> keeper) {
        requests.remove(request);
        SequenceCache place = request.sequence();
        boolean whole = !request.isRestoring();
        request.dropSequence();
        draftProposer.remove(request);
        // First, so that the request is not lost if the cache fails.
        queue.requeue(request);
        if (whole) {
            keeper.accept(place);
        } else {
            cache.drop(place);
        }
    }

    /** Fails all requests, or moves them to other engines; the content of the caches is unknown. */
    void endAll(VarveException reason) {
        List<Request> ended = List.copyOf(requests);
        requests.clear();
        cache.clearDevices();
        for (Request request : ended) {
            draftProposer.remove(request);
            moveOrFail(request, reason);
        }
    }

    /**
     * Drops all sequences, since caches are lost or invalid, and requeues their requests at the
     * front. They are computed again with the same chunk boundaries; streamed tokens stay valid. A
     * request that repeatedly makes no progress fails: it may be the cause of the lost shard.
     */
    void requeueAll() {
        cache.clearDevices();
        List<Request> lost = List.copyOf(requests);
        requests.clear();
        requeue(lost);
    }

    /** Drops some sequences in the same way; other sequences stay in the caches. */
    void dropAndRequeue(List<Request> some) {
        List<Request> lost = some.stream().filter(Request::isRunning).toList();
        requests.removeAll(lost);
        lost.forEach(request -> cache.drop(request.sequence()));
        requeue(lost);
    }

    private void requeue(List<Request> lost) {
        List<Request> youngestFirst =
                lost.stream()
                        .sorted(Comparator.comparingLong(Request::arrival).reversed())
                        .toList();
        for (Request request : youngestFirst) {
            draftProposer.remove(request);
            if (request.countLoss() > MOST_LOSSES) {
                fail(
                        request,
                        new ShardLostException(
                                "shards of the model were lost "
                                        + MOST_LOSSES
                                        + " times in a row before the request made progress"));
                continue;
            }
            request.dropSequence();
            replays++;
            queue.requeue(request);
        }
    }
}

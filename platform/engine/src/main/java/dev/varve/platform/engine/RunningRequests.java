package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.SlotSpan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * The requests that have a place in the caches, and all ways in which they lose it: they end, fail,
 * are cancelled, or go back to the queue. Only the engine's thread uses it.
 */
final class RunningRequests {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** Losses in a row that a request survives without getting further. */
    private static final int MOST_LOSSES = 5;

    /** Failed steps in a row that a request survives, each in another engine. */
    private static final int MOST_MOVES = 2;

    private final PrefixCache cache;
    private final WaitingRequests line;
    private final SpeculativeDecoding drafting;
    private final RequestFailover refuge;
    private final FailureCounter failures;
    private final List<Request> requests = new ArrayList<>();
    private long preemptions;
    private long replays;

    /**
     * @param refuge takes what cannot go on here
     * @param failures counts drafts that could not continue
     */
    RunningRequests(
            PrefixCache cache,
            WaitingRequests line,
            SpeculativeDecoding drafting,
            RequestFailover refuge,
            FailureCounter failures) {
        this.refuge = refuge;
        this.failures = failures;
        this.cache = cache;
        this.line = line;
        this.drafting = drafting;
    }

    int size() {
        return requests.size();
    }

    boolean isEmpty() {
        return requests.isEmpty();
    }

    /** All of them, in a list of its own. */
    List<Request> all() {
        return List.copyOf(requests);
    }

    /** In the order in which they were admitted. */
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

    /** Those that await their next token, in a list of its own. */
    List<Request> inDecode() {
        List<Request> result = new ArrayList<>(requests.size());
        for (Request request : requests) {
            if (request.isInDecode()) {
                result.add(request);
            }
        }
        return result;
    }

    /** Slots of the blocks that the sequences may need next. */
    int nextBlocks() {
        int slots = 0;
        for (Request request : requests) {
            slots += Math.min(SlotSpan.BLOCK, request.slotsToCome(cache.devices()));
        }
        return slots;
    }

    /** Sequences that were put back to the queue for want of room. */
    long preemptions() {
        return preemptions;
    }

    /** Sequences that were computed again because a shard was lost. */
    long replays() {
        return replays;
    }

    /** Lets a request run in its place. */
    void add(Request request, CachedSequence place) {
        requests.add(request);
        request.run(place);
    }

    /** A request goes on behind what was computed earlier: guesses go by that as well. */
    void goesOn(Request request) {
        cache.seen(request.sequence())
                .ifPresent(
                        states ->
                                failures.guard(
                                        "drafts could not continue",
                                        () -> drafting.goesOn(request, states)));
    }

    /** Whoever guesses is shown again what is kept of all of them. */
    void showAgain() {
        for (Request request : requests) {
            drafting.beginAnew(request);
            if (!request.isRestoring()) {
                goesOn(request);
            }
        }
    }

    /** A request has all of its tokens; what was computed for it stays. */
    void finish(Request request, GenerationEnd.Reason reason) {
        leave(request);
        GenerationEnd end = request.end(reason, cache.devices().pagePolicy());
        cache.computed(end.tokens().prompt() - end.tokens().cached(), end.times().prefillMillis());
        cache.keep(request.sequence());
        request.listener().onEnd(end);
    }

    /** Ends those that nobody waits for; what was computed for them stays. */
    void removeCancelled() {
        for (Request request : List.copyOf(requests)) {
            if (request.isCancelled()) {
                boolean whole = !request.isRestoring();
                leave(request);
                if (whole) {
                    cache.keep(request.sequence());
                } else {
                    cache.drop(request.sequence());
                }
                fail(request, cancelled());
            }
        }
    }

    static VarveException cancelled() {
        return new VarveException(VarveException.Kind.CANCELLED, "the request was cancelled");
    }

    /**
     * Ends a request with a failure, and what was computed for it is gone. Does nothing if it does
     * not run any more.
     *
     * @return whether it ran
     */
    boolean end(Request request, VarveException reason) {
        if (!request.isRunning()) {
            return false;
        }
        leave(request);
        cache.drop(request.sequence());
        fail(request, reason);
        return true;
    }

    /**
     * Likewise, unless the request can go on in another engine.
     *
     * @return whether it ran
     */
    boolean endOrMove(Request request, VarveException reason) {
        if (!request.isRunning()) {
            return false;
        }
        requests.remove(request);
        drafting.forget(request);
        cache.drop(request.sequence());
        moveOrFail(request, reason);
        return true;
    }

    private void moveOrFail(Request request, VarveException reason) {
        boolean mayMove = RequestFailover.helps(reason) && request.countLoss() <= MOST_MOVES;
        if (mayMove) {
            request.loseSequence();
        }
        if (!mayMove || !refuge.takes(request, reason)) {
            request.leave();
            fail(request, reason);
        }
    }

    private void leave(Request request) {
        requests.remove(request);
        request.leave();
        drafting.forget(request);
    }

    /**
     * Runs what may throw for one request; a failure ends that request only. Returns whether it
     * went well.
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

    /** Tells a request's listener that it ended, wherever it was. */
    static void fail(Request request, VarveException reason) {
        try {
            request.listener().onError(reason);
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.WARNING, "a listener failed", e);
        }
    }

    /** Puts the request that came last back to the queue, and frees its place. */
    void preemptYoungest() {
        Request youngest =
                requests.stream().max(Comparator.comparingLong(Request::arrival)).orElseThrow();
        requests.remove(youngest);
        CachedSequence place = youngest.sequence();
        boolean whole = !youngest.isRestoring();
        youngest.loseSequence();
        drafting.forget(youngest);
        if (whole) {
            cache.putAside(place);
        } else {
            cache.drop(place);
        }
        preemptions++;
        line.requeue(youngest);
    }

    /** Ends all, or has them go on in other engines; nobody knows what the caches hold. */
    void endAll(VarveException reason) {
        List<Request> ended = List.copyOf(requests);
        requests.clear();
        cache.lose();
        for (Request request : ended) {
            drafting.forget(request);
            moveOrFail(request, reason);
        }
    }

    /**
     * Takes back all sequences, since caches are gone or unsound, and puts their requests to the
     * front of the queue. They will be computed again as they were; what was streamed of them stays
     * as it is. One that gets no further however often it is tried ends: it may be what kills the
     * shard.
     */
    void loseAll() {
        cache.lose();
        List<Request> lost = List.copyOf(requests);
        requests.clear();
        requeue(lost);
    }

    /** Takes back some sequences in the same way; what the caches hold of others stays. */
    void putBack(List<Request> some) {
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
            drafting.forget(request);
            if (request.countLoss() > MOST_LOSSES) {
                request.leave();
                fail(
                        request,
                        new ShardLostException(
                                "the model was lost "
                                        + MOST_LOSSES
                                        + " times in a row before the request got further"));
                continue;
            }
            request.loseSequence();
            replays++;
            line.requeue(request);
        }
    }
}

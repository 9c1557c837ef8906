package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.sampling.Sampler;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

@Timeout(30)
class RequestQueueTest {
    private static final int LIMIT = 3;
    private static final ShardLostException LOSS = new ShardLostException("cpu:0 is gone");

    private final RequestQueue queue = new RequestQueue(LIMIT);
    private long arrivals;

    private Request request(int... prompt) {
        return request(SamplingOptions.greedy(), prompt);
    }

    private Request request(SamplingOptions sampling, int... prompt) {
        GenerationRequest asked =
                GenerationRequest.greedy(prompt, 5).choosing(GenerationRequest.Choice.of(sampling));
        return new Request(
                new Engine.NewRequest(asked, new Collected()),
                arrivals++,
                Integer.MAX_VALUE,
                new Sampler(sampling, 100, new int[0]),
                false,
                new DraftAcceptanceTracker(1),
                false,
                queue::wakeUp);
    }

    private static CompletableFuture<Boolean> inBackground(Supplier<Boolean> wait) {
        return CompletableFuture.supplyAsync(wait, work -> Thread.ofVirtual().start(work));
    }

    private VarveException refused(Request... requests) {
        return assertThrows(VarveException.class, () -> queue.add(List.of(requests)));
    }

    @Test
    void firstRequestEndsTheIdlePhase() {
        assertTrue(queue.staysIdle(Duration.ofMillis(1)));
        CompletableFuture<Boolean> quiet =
                inBackground(() -> queue.staysIdle(Duration.ofMinutes(1)));

        queue.add(List.of(request(1)));

        assertFalse(quiet.join());
        assertFalse(queue.staysIdle(Duration.ofMinutes(1)));
    }

    /**
     * Host memory keeps the prefix that was read for a request from disk while the request waits.
     */
    @Test
    void rejectedRequestWaitsNoLonger() {
        Request request = request(1);
        queue.add(List.of(request));
        assertTrue(request.isWaiting());

        queue.reject(LOSS, left -> left.forEach(each -> RunningRequests.fail(each, LOSS)));

        assertFalse(request.isWaiting());
    }

    @Test
    void requestsAreFirstInFirstOut() {
        Request first = request(1);
        Request second = request(2);

        queue.add(List.of(first));
        queue.add(List.of(second));

        assertEquals(List.of(first, second), queue.waiting());
    }

    @Test
    void preemptedRequestsComeFirst() {
        Request waiting = request(1);
        Request preempted = request(2);
        queue.add(List.of(waiting));

        queue.requeue(preempted);

        assertEquals(List.of(preempted, waiting), queue.waiting());
    }

    @Test
    void fullQueueReportsItsLength() {
        queue.add(List.of(request(1), request(2), request(3)));

        VarveException refusal = refused(request(4));

        assertEquals(VarveException.Kind.OVERLOADED, refusal.kind());
        assertTrue(refusal.getMessage().contains("3 requests wait"), refusal.getMessage());
        assertEquals(3, queue.waiting().size());
    }

    /** Eight choices are one request of a client. */
    @Test
    void choicesOfOneRequestMayExceedTheQueueLimit() {
        queue.add(List.of(request(1), request(1), request(1), request(1), request(1)));

        assertEquals(5, queue.waiting().size());
    }

    @Test
    void allOrNoneAreQueued() {
        queue.add(List.of(request(1), request(2)));

        refused(request(3), request(4));

        assertEquals(2, queue.waiting().size());
    }

    @Test
    void cancelledRequestsAreRemoved() {
        Request stays = request(1);
        Request goes = request(2);
        queue.add(List.of(stays, goes));

        goes.cancel();

        assertEquals(List.of(goes), queue.removeCancelled());
        assertEquals(List.of(stays), queue.waiting());
        assertEquals(List.of(), queue.removeCancelled());
    }

    @Test
    void shardLossRejectsRequestsUntilTheEngineResumes() {
        Request waiting = request(1);
        queue.add(List.of(waiting));

        List<Request> turnedAway = new ArrayList<>();
        queue.reject(LOSS, turnedAway::addAll);

        assertEquals(List.of(waiting), turnedAway);
        assertTrue(queue.isRejecting());
        VarveException refusal = refused(request(2));
        assertTrue(refusal instanceof ShardLostException, refusal.toString());
        assertTrue(refusal.getMessage().contains(LOSS.getMessage()), refusal.getMessage());
        queue.resume();
        assertFalse(queue.isRejecting());
        queue.add(List.of(request(3)));
    }

    @Test
    void twinsRequestTheMaximumOfBoth() {
        Request leader = request(1, 2, 3);
        queue.add(List.of(request(1, 2)));
        assertEquals(RequestedOutput.NONE, queue.outputOfDuplicates(leader));

        queue.add(List.of(request(1, 2, 3)));
        assertEquals(RequestedOutput.BEST, queue.outputOfDuplicates(leader));

        queue.add(List.of(request(SamplingOptions.greedy().atTemperature(1), 1, 2, 3)));
        assertEquals(RequestedOutput.LAST, queue.outputOfDuplicates(leader));
    }

    @Test
    void engineSleepsUntilARequestArrives() {
        CompletableFuture<Boolean> goesOn = inBackground(() -> queue.awaitWork(() -> true));

        queue.add(List.of(request(1)));

        assertTrue(Await.result(goesOn));
    }

    @Test
    void internalWorkKeepsTheEngineRunning() {
        assertTrue(queue.awaitWork(() -> false));
    }

    @Test
    void closingEndsTheEngineAndRefusesRequests() {
        CompletableFuture<Boolean> goesOn = inBackground(() -> queue.awaitWork(() -> true));

        queue.close();

        assertFalse(Await.result(goesOn));
        assertTrue(queue.isClosed());
        VarveException refusal = refused(request(1));
        assertTrue(refusal instanceof EngineClosedException, refusal.toString());
        assertEquals(VarveException.Kind.UNAVAILABLE, refusal.kind());
        assertFalse(queue.awaitChange(Duration.ofSeconds(20)), "it must not wait any more");
    }

    @Test
    void drainingRefusesNewRequestsAndWaitsForTheOthers() {
        Request waiting = request(1);
        queue.add(List.of(waiting));
        queue.awaitWork(() -> true);
        CompletableFuture<Boolean> drained =
                inBackground(() -> queue.drain(Duration.ofSeconds(20)));
        Await.until("the queue drains", this::refuses);

        queue.remove(waiting);
        CompletableFuture<Boolean> goesOn = inBackground(() -> queue.awaitWork(() -> true));

        assertTrue(Await.result(drained));
        queue.close();
        assertFalse(Await.result(goesOn));
    }

    private boolean refuses() {
        try {
            queue.add(List.of());
            return false;
        } catch (VarveException e) {
            return true;
        }
    }

    @Test
    void drainTimeoutIsReported() {
        queue.add(List.of(request(1)));

        assertFalse(queue.drain(Duration.ZERO));
    }

    @Test
    void remainingRequestsAreReturnedAtTheEnd() {
        Request waiting = request(1);
        queue.add(List.of(waiting));

        List<Request> ended = new ArrayList<>();
        queue.end(ended::addAll);

        assertEquals(List.of(waiting), ended);

        assertEquals(List.of(), queue.waiting());
        assertTrue(queue.drain(Duration.ZERO), "nothing is left to wait for");
    }

    @Test
    void listenersOfEndedRequestsAreCalledWithoutTheLock() {
        queue.add(List.of(request(1)));
        List<Boolean> free = new ArrayList<>();

        queue.reject(LOSS, ended -> free.add(isFree()));
        queue.end(ended -> free.add(isFree()));

        assertEquals(List.of(true, true), free, "free in turnAway, in end");
    }

    /** Returns whether another thread can use the queue; fails after a timeout. */
    private boolean isFree() {
        return Await.result(inBackground(() -> queue.size() == 0));
    }

    @Test
    void drainWaitsForTheListenersOfEndedRequests() {
        queue.add(List.of(request(1)));
        CompletableFuture<Boolean> drained =
                inBackground(() -> queue.drain(Duration.ofSeconds(20)));
        Await.until("the queue drains", this::refuses);
        List<Boolean> early = new ArrayList<>();

        queue.end(
                ended -> {
                    queue.wakeUp();
                    early.add(drained.isDone() || queue.drain(Duration.ZERO));
                });

        assertEquals(List.of(false), early);
        assertTrue(Await.result(drained));
    }

    @Test
    void queriesAreCompletedWithoutTheLock() {
        CompletableFuture<Boolean> free =
                queue.call(() -> 1).handle((answer, failure) -> failure != null && isFree());

        queue.end(ended -> {});

        assertTrue(Await.result(free));
    }

    @Test
    void movedRequestQueriesAllStoresAgain() {
        Request moved = request(1);
        moved.setDiskLoad(Optional.empty());
        moved.setSharedLoad(Optional.empty());

        moved.moveTo(7, queue::wakeUp);

        assertFalse(moved.hasQueriedDisk(), "asked the disk");
        assertFalse(moved.hasQueriedSharedStore(), "asked the shared store");
    }
}

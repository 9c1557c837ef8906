package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.ShardLostException;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Holds the queued requests of an engine. It accepts requests, rejects them while a shard is lost,
 * or is closed. Thread-safe; any thread adds requests, the engine's thread removes them.
 */
final class RequestQueue implements QueueAccess {
    private final int limit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Guarded by the lock, like all fields below. */
    private final Deque<Request> waiting = new ArrayDeque<>();

    private final List<EngineCall<?>> engineCalls = new ArrayList<>();

    /** Why requests are rejected at the moment; empty if they are accepted. */
    private Optional<ShardLostException> refusal = Optional.empty();

    private boolean working;
    private boolean draining;

    /** Whether the requests move to other engines, so that none may be adopted either. */
    private boolean leaving;

    private boolean closed;

    /** Whether listeners of removed requests are being called; a drain waits for that. */
    private boolean notifying;

    /** A call for the engine's thread, and the future of its result. */
    record EngineCall<T>(Supplier<T> task, CompletableFuture<T> result) {
        void run() {
            try {
                result.complete(task.get());
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        }
    }

    /**
     * @param limit most queued requests
     */
    RequestQueue(int limit) {
        this.limit = limit;
    }

    /**
     * Queues requests, all or none.
     *
     * @throws VarveException of kind OVERLOADED if the queue is full, UNAVAILABLE if it accepts
     *     none
     */
    void add(Collection<Request> requests) {
        lock.lock();
        try {
            requireOpen(requests.size());
            waiting.addAll(requests);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Queues a request of another engine at the front, also while this engine drains.
     *
     * @throws VarveException of kind UNAVAILABLE if requests are rejected or leave, or the queue is
     *     closed
     */
    void adopt(Request request) {
        lock.lock();
        try {
            if (closed || leaving) {
                throw ended();
            }
            if (refusal.isPresent()) {
                throw missing(refusal.get());
            }
            waiting.addFirst(request);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen(int count) {
        if (closed || draining || leaving) {
            throw ended();
        }
        if (refusal.isPresent()) {
            throw missing(refusal.get());
        }
        // An empty queue accepts all choices of one request, even beyond the limit.
        if (!waiting.isEmpty() && waiting.size() + count > limit) {
            throw new VarveException(
                    VarveException.Kind.OVERLOADED,
                    "the queue is full: "
                            + waiting.size()
                            + " requests wait already; try again later");
        }
    }

    /** Returns the error for requests that are rejected because of a lost shard. */
    static ShardLostException missing(ShardLostException loss) {
        return new ShardLostException(
                "a shard of the model is missing and has not come back yet: " + loss.getMessage(),
                loss);
    }

    @Override
    public void requeue(Request request) {
        lock.lock();
        try {
            waiting.addFirst(request);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public RequestedOutput outputOfDuplicates(Request request) {
        return waiting().stream()
                .filter(request::hasPromptOf)
                .map(Request::requestedOutput)
                // LAST, which includes more than BEST, is the greater one.
                .max(Comparator.naturalOrder())
                .orElse(RequestedOutput.NONE);
    }

    /** Returns the queued requests, the next one first. */
    List<Request> waiting() {
        lock.lock();
        try {
            return List.copyOf(waiting);
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    void remove(Request request) {
        lock.lock();
        try {
            waiting.remove(request);
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns the cancelled requests. */
    List<Request> removeCancelled() {
        lock.lock();
        try {
            if (waiting.isEmpty()) {
                return List.of();
            }
            List<Request> cancelled = waiting.stream().filter(Request::isCancelled).toList();
            waiting.removeAll(cancelled);
            return cancelled;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Rejects requests until {@link #resume}, and ends the queued ones.
     *
     * @param end notifies them, before a drain returns; called once, without the queue's lock,
     *     possibly with an empty list
     */
    void reject(ShardLostException loss, Consumer<List<Request>> end) {
        lock.lock();
        try {
            refusal = Optional.of(loss);
        } finally {
            lock.unlock();
        }
        endAll(end);
    }

    /** Rejects all further requests, those of other engines included. */
    void leave() {
        lock.lock();
        try {
            leaving = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the queue adopts requests of other engines. */
    boolean isAdopting() {
        lock.lock();
        try {
            return !closed && !leaving && refusal.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns all requests, the next one first. */
    List<Request> takeAll() {
        lock.lock();
        try {
            List<Request> all = List.copyOf(waiting);
            waiting.clear();
            return all;
        } finally {
            lock.unlock();
        }
    }

    boolean isRejecting() {
        lock.lock();
        try {
            return refusal.isPresent();
        } finally {
            lock.unlock();
        }
    }

    /** Accepts requests again. */
    void resume() {
        lock.lock();
        try {
            refusal = Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all requests without the lock, so that a listener may block or call the queue. */
    private void endAll(Consumer<List<Request>> end) {
        List<Request> all = removeAll();
        try {
            end.accept(all);
        } finally {
            lock.lock();
            try {
                notifying = false;
                working = false;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private List<Request> removeAll() {
        lock.lock();
        try {
            notifying = true;
            return takeAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs a call on the engine's thread between two steps.
     *
     * @return fails with a VarveException of kind UNAVAILABLE if the engine ends before that
     */
    <T> CompletableFuture<T> call(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        lock.lock();
        try {
            if (closed) {
                answer.completeExceptionally(ended());
            } else {
                engineCalls.add(new EngineCall<>(question, answer));
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        return answer;
    }

    private static VarveException ended() {
        return new EngineClosedException(VarveException.Kind.UNAVAILABLE);
    }

    /** Removes and returns the calls for the engine's thread. */
    List<EngineCall<?>> drainEngineCalls() {
        lock.lock();
        try {
            List<EngineCall<?>> taken = List.copyOf(engineCalls);
            engineCalls.clear();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void wakeUp() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until there is work.
     *
     * @param idle whether the engine has no work of its own
     * @return whether the engine continues; false if it was closed
     */
    boolean awaitWork(BooleanSupplier idle) {
        lock.lock();
        try {
            while (!closed && waiting.isEmpty() && engineCalls.isEmpty() && idle.getAsBoolean()) {
                working = false;
                changed.signalAll();
                changed.awaitUninterruptibly();
            }
            working = true;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the queue changes, at most for a given time.
     *
     * @return whether the engine continues; false if it was closed or interrupted
     */
    boolean awaitChange(Duration longest) {
        return awaitChange(longest, () -> false);
    }

    /**
     * As above, but does not wait if an event has happened before.
     *
     * @param happened evaluated under the lock, so that no later event is missed
     */
    boolean awaitChange(Duration longest, BooleanSupplier happened) {
        lock.lock();
        try {
            if (!closed && !happened.getAsBoolean()) {
                changed.awaitNanos(longest.toNanos());
            }
            return !closed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Rejects new requests and waits for the accepted ones.
     *
     * @return whether all of them ended within {@code longest}
     */
    boolean drain(Duration longest) {
        long nanos = longest.toNanos();
        lock.lock();
        try {
            draining = true;
            while (working || notifying || !waiting.isEmpty()) {
                if (nanos <= 0 || closed && !notifying) {
                    return false;
                }
                nanos = changed.awaitNanos(nanos);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a first request, at most for a given time.
     *
     * @return whether none arrived in that time
     */
    boolean staysIdle(Duration time) {
        long nanos = time.toNanos();
        lock.lock();
        try {
            while (nanos > 0 && isIdle()) {
                nanos = changed.awaitNanos(nanos);
            }
            return isIdle();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the queue accepts new requests, and has no requests and calls. */
    boolean isIdle() {
        lock.lock();
        try {
            boolean open = !closed && !draining && !leaving;
            return open && waiting.isEmpty() && engineCalls.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Closes the queue and lets the engine's thread end. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes the queue after the engine has stopped, and ends all requests and calls.
     *
     * @param end notifies the queued requests, before a drain returns; called once, without the
     *     queue's lock
     */
    void end(Consumer<List<Request>> end) {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        endAll(end);
        drainEngineCalls().forEach(question -> question.result().completeExceptionally(ended()));
    }
}

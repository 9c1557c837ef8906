package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.OutputRows;
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
 * The requests that wait, in front of an engine that works, waits with them, turns them away or is
 * at its end. Thread-safe; the engine's thread takes what all others put in.
 */
final class RequestQueue implements WaitingRequests {
    private final int limit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Guarded by the lock, as all below. */
    private final Deque<Request> waiting = new ArrayDeque<>();

    private final List<Question<?>> questions = new ArrayList<>();

    /** Why requests are turned away for the time being. */
    private Optional<ShardLostException> refusal = Optional.empty();

    private boolean working;
    private boolean draining;
    private boolean closed;

    /** Listeners are being called with requests that were taken out; a drain waits for that. */
    private boolean notifying;

    /** Something that the engine's thread is to answer, and who waits for it. */
    record Question<T>(Supplier<T> question, CompletableFuture<T> asker) {
        void answer() {
            try {
                asker.complete(question.get());
            } catch (RuntimeException | Error e) {
                asker.completeExceptionally(e);
            }
        }
    }

    /**
     * @param limit most requests that wait
     */
    RequestQueue(int limit) {
        this.limit = limit;
    }

    /**
     * Queues requests, all or none.
     *
     * @throws VarveException of kind OVERLOADED if the queue is full, UNAVAILABLE if it takes none
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
     * Queues a request of another engine in front of the others, also while this one drains.
     *
     * @throws VarveException of kind UNAVAILABLE if requests are turned away, or none is taken
     */
    void adopt(Request request) {
        lock.lock();
        try {
            if (closed) {
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
        if (closed || draining) {
            throw ended();
        }
        if (refusal.isPresent()) {
            throw missing(refusal.get());
        }
        // The choices of one request may be more than the queue takes otherwise.
        if (!waiting.isEmpty() && waiting.size() + count > limit) {
            throw new VarveException(
                    VarveException.Kind.OVERLOADED,
                    "the queue is full: "
                            + waiting.size()
                            + " requests wait already; try again later");
        }
    }

    /** What requests hear that are turned away because of a lost shard. */
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
    public OutputRows wantedByTwins(Request request) {
        return waiting().stream()
                .filter(request::hasPromptOf)
                .map(Request::wanted)
                // LAST, which is more than BEST, comes behind it.
                .max(Comparator.naturalOrder())
                .orElse(OutputRows.NONE);
    }

    /** The requests of this moment, the next one first. */
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

    /** Takes out the requests that nobody waits for any more. */
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
     * Refuses requests until {@link #resume}, and ends those that wait.
     *
     * @param end notifies them, before a drain returns; called once, without the queue's lock,
     *     maybe with none
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

    boolean turnsAway() {
        lock.lock();
        try {
            return refusal.isPresent();
        } finally {
            lock.unlock();
        }
    }

    /** Takes requests again. */
    void resume() {
        lock.lock();
        try {
            refusal = Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** A listener may wait or call the queue without holding up other requests. */
    private void endAll(Consumer<List<Request>> end) {
        List<Request> all = takeAll();
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

    private List<Request> takeAll() {
        lock.lock();
        try {
            List<Request> all = List.copyOf(waiting);
            waiting.clear();
            notifying = true;
            return all;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has the engine's thread answer something between two steps.
     *
     * @return fails with a VarveException of kind UNAVAILABLE if the engine ends before that
     */
    <T> CompletableFuture<T> ask(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        lock.lock();
        try {
            if (closed) {
                answer.completeExceptionally(ended());
            } else {
                questions.add(new Question<>(question, answer));
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

    /** What the engine's thread is to answer. */
    List<Question<?>> takeQuestions() {
        lock.lock();
        try {
            List<Question<?>> taken = List.copyOf(questions);
            questions.clear();
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
     * Waits until there is something to do.
     *
     * @param idle whether the engine has no work of its own
     * @return whether the engine is to go on; not if it was closed
     */
    boolean awaitWork(BooleanSupplier idle) {
        lock.lock();
        try {
            while (!closed && waiting.isEmpty() && questions.isEmpty() && idle.getAsBoolean()) {
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
     * Waits for a while, or until something happens.
     *
     * @return whether the engine is to go on; not if it was closed or interrupted
     */
    boolean awaitChange(Duration longest) {
        return awaitChange(longest, () -> false);
    }

    /**
     * Likewise, unless something has happened before.
     *
     * @param happened asked once nothing new can happen unnoticed
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
     * Refuses new requests and waits for the others.
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
     * Waits for a first request.
     *
     * @return whether none came in that time
     */
    boolean staysQuiet(Duration time) {
        long nanos = time.toNanos();
        lock.lock();
        try {
            while (nanos > 0 && isQuiet()) {
                nanos = changed.awaitNanos(nanos);
            }
            return isQuiet();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Whether nobody wants anything of the engine. */
    boolean isQuiet() {
        lock.lock();
        try {
            return !closed && !draining && waiting.isEmpty() && questions.isEmpty();
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

    /** Takes no requests any more, and lets the engine's thread end. */
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
     * The engine works no more.
     *
     * @param end notifies those that wait, before a drain returns; called once, without the queue's
     *     lock
     */
    void end(Consumer<List<Request>> end) {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        endAll(end);
        takeQuestions().forEach(question -> question.asker().completeExceptionally(ended()));
    }
}

package dev.varve.platform.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A request of the other side; sends its progress and result. */
final class IncomingCall implements CallResponder {
    private final long id;
    private final IncomingCalls calls;
    private final long cost;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final List<Runnable> onCancel = new ArrayList<>();
    private volatile boolean cancelled;

    IncomingCall(long id, long cost, IncomingCalls calls) {
        this.id = id;
        this.cost = cost;
        this.calls = calls;
    }

    long id() {
        return id;
    }

    long cost() {
        return cost;
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public void onCancel(Runnable action) {
        synchronized (onCancel) {
            if (!cancelled) {
                onCancel.add(action);
                return;
            }
        }
        action.run();
    }

    void cancel() {
        List<Runnable> actions;
        synchronized (onCancel) {
            cancelled = true;
            actions = List.copyOf(onCancel);
            onCancel.clear();
        }
        actions.forEach(Runnable::run);
    }

    @Override
    public void progress(Message message) {
        if (ended.get()) {
            throw new IllegalStateException("the call has ended");
        }
        calls.progress(this, message);
    }

    @Override
    public void reply(Message result) {
        end();
        calls.reply(this, result);
    }

    @Override
    public void fail(WireException error) {
        end();
        calls.fail(this, error);
    }

    /** Fails a call whose handler failed, unless it has ended. */
    void failed(Throwable failure) {
        if (ended.compareAndSet(false, true)) {
            calls.fail(this, WireException.of(failure));
        }
    }

    private void end() {
        if (!ended.compareAndSet(false, true)) {
            throw new IllegalStateException("the call has ended already");
        }
    }
}

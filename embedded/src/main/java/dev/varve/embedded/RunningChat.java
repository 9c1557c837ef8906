package dev.varve.embedded;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GenerationHandle;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/**
 * A response that is generated. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RunningChat {
    private final GenerationHandle handle;
    private final CompletableFuture<ChatResponse> done = new CompletableFuture<>();

    private RunningChat(GenerationHandle handle) {
        this.handle = handle;
    }

    /** Starts the thread that collects a response which was submitted. */
    static RunningChat start(GenerationHandle handle, ResponseCollector collector) {
        RunningChat chat = new RunningChat(handle);
        Thread.ofVirtual().name("varve-response").start(() -> chat.run(collector));
        return chat;
    }

    private void run(ResponseCollector collector) {
        try {
            done.complete(collector.collect());
        } catch (InterruptedException e) {
            throw new AssertionError("nothing interrupts this thread", e);
        } catch (RuntimeException | Error e) {
            handle.cancel();
            done.completeExceptionally(e);
        }
    }

    /**
     * Cancels the response; it then fails with an exception of kind CANCELLED, unless it has ended.
     * Never waits.
     */
    public void cancel() {
        handle.cancel();
    }

    /**
     * Waits for the response.
     *
     * @throws VarveException of kind CANCELLED if it is cancelled, or this thread is interrupted,
     *     which cancels it; of another kind if the engine fails
     */
    public ChatResponse await() {
        try {
            return done.get();
        } catch (InterruptedException e) {
            cancel();
            Thread.currentThread().interrupt();
            throw new VarveException(
                    VarveException.Kind.CANCELLED, "the waiting thread was interrupted", e);
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    /** Returns an exception with the stack trace of the waiting thread. */
    private static RuntimeException failure(Throwable cause) {
        if (cause instanceof VarveException error) {
            return new VarveException(error.kind(), error.getMessage(), error);
        }
        return new IllegalStateException("the listener of a response failed", cause);
    }

    /**
     * Returns a stage that completes with the response, or with the exception with which it fails.
     * Actions of the stage may run on the response's thread.
     */
    public CompletionStage<ChatResponse> whenDone() {
        return done.minimalCompletionStage();
    }
}

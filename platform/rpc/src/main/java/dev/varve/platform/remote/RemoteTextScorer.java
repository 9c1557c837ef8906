package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.ImportanceScorer;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.wire.Deadline;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireException;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Text-scoring model in another process. When the process dies, hangs or sends malformed messages,
 * the current text fails with a {@link ShardLostException}, and so do later ones until a new
 * process has loaded the model.
 */
public final class RemoteTextScorer implements ImportanceScorer {
    /** Milliseconds between two checks whether the caller has cancelled. */
    private static final long POLL_MILLIS = 50;

    /** A chunk of one layer takes less, including the first compilation of kernels. */
    private static final Deadline DEADLINE = Deadline.withoutProgress(Duration.ofMinutes(2));

    private final String name;
    private final TextScoreCodec codec;
    private final ShardSupervisor supervisor;

    private RemoteTextScorer(String name, TextScoreCodec codec, ShardSupervisor supervisor) {
        this.name = name;
        this.codec = codec;
        this.supervisor = supervisor;
    }

    /**
     * Connects to a process and loads the model in it.
     *
     * @param device its device, for messages
     * @param link link to the process; owned by this object from now on
     * @param check its tensors; those of the process must match
     * @throws VarveException if the process cannot be reached, refuses, or has other weights
     */
    public static RemoteTextScorer open(
            String device, ShardLink link, TextScorerLoadRequest request, TensorCheck check) {
        String name = "drafter " + request.model().name() + " on " + device;
        ShardSupervisor supervisor =
                ShardSupervisor.started(
                        name, link, request.encode(), check, LoadProgressListener.silent());
        return new RemoteTextScorer(name, TextScoreCodec.of(request), supervisor);
    }

    /** Returns the health of the process. */
    public ShardHealth health() {
        return supervisor.health();
    }

    @Override
    public long readingBytes(int tokens) {
        return 0;
    }

    @Override
    public long weightBytes() {
        return supervisor.loadedMemory().weights();
    }

    @Override
    public float[] read(int[] tokens, BooleanSupplier cancelled) {
        ShardSupervisor.Session session = supervisor.current();
        CompletableFuture<Message> reply =
                session.channel().call(codec.encode(tokens), DEADLINE, progress -> {});
        Message found;
        try {
            found = await(reply, cancelled);
        } catch (ExecutionException e) {
            throw failed(e.getCause(), session);
        }
        float[] scores;
        try {
            scores = codec.decode(tokens.length, found);
        } catch (WireException e) {
            throw failed(new MalformedMessageException(e), session);
        }
        requireNumbers(scores);
        return scores;
    }

    /** Waits for the reply; cancels the request in the process if the caller has cancelled. */
    private static Message await(CompletableFuture<Message> reply, BooleanSupplier cancelled)
            throws ExecutionException {
        try {
            while (true) {
                try {
                    return reply.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    if (cancelled.getAsBoolean()) {
                        throw new CancellationException("the scoring of a text was cancelled");
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while a text was scored");
        } finally {
            reply.cancel(true);
        }
    }

    private RuntimeException failed(Throwable failure, ShardSupervisor.Session session) {
        return CallFailure.meaningOf(failure, supervisor, session);
    }

    private void requireNumbers(float[] scores) {
        for (float score : scores) {
            if (!Float.isFinite(score)) {
                throw new VarveException(
                        VarveException.Kind.BACKEND_FAILED,
                        name + ": expected finite scores, found others");
            }
        }
    }

    @Override
    public void close() {
        supervisor.close();
    }
}

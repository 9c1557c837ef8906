package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImagePixels;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.image.ImageRowEncoder;
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
 * Image encoder in another process. When the process dies, hangs or sends malformed messages, the
 * current image fails with a {@link ShardLostException}, and so do later ones until a new process
 * has loaded the encoder; requests without images go on.
 */
public final class RemoteImageEncoder implements ImageRowEncoder {
    /** Milliseconds between two checks whether the caller has cancelled. */
    private static final long POLL_MILLIS = 20;

    /** A part of an image takes less, including the first compilation of kernels. */
    private static final Deadline DEADLINE = Deadline.withoutProgress(Duration.ofMinutes(2));

    private final String device;
    private final ImageEncoder encoder;
    private final ImageRowsCodec codec;
    private final ShardSupervisor supervisor;

    private RemoteImageEncoder(String device, ImageEncoder encoder, ShardSupervisor supervisor) {
        this.device = device;
        this.encoder = encoder;
        this.supervisor = supervisor;
        codec = new ImageRowsCodec(encoder.width());
    }

    /**
     * Connects to a process and loads the encoder in it.
     *
     * @param encoder the encoder of the same file in this process
     * @param device its device, for messages
     * @param link link to the process; owned by this object from now on
     * @param check its tensors; those of the process must match
     * @throws VarveException if the process cannot be reached, refuses, or has other weights
     */
    public static RemoteImageEncoder open(
            ImageEncoder encoder,
            String device,
            ShardLink link,
            ImageEncoderLoadRequest request,
            TensorCheck check) {
        String name = "image encoder " + request.projector().name() + " on " + device;
        ShardSupervisor supervisor =
                ShardSupervisor.started(
                        name, link, request.encode(), check, LoadProgressListener.silent());
        return new RemoteImageEncoder(device, encoder, supervisor);
    }

    /** Returns the health of the process. */
    public ShardHealth health() {
        return supervisor.health();
    }

    @Override
    public ImageEncoder encoder() {
        return encoder;
    }

    @Override
    public String device() {
        return device;
    }

    @Override
    public float[] encode(ImagePixels pixels, BooleanSupplier cancelled) {
        ShardSupervisor.Session session = supervisor.current();
        CompletableFuture<Message> reply =
                session.channel().call(codec.encode(pixels), DEADLINE, progress -> {});
        try {
            return codec.rows(await(reply, cancelled));
        } catch (ExecutionException e) {
            throw CallFailure.meaningOf(e.getCause(), supervisor, session);
        } catch (WireException e) {
            throw CallFailure.meaningOf(new MalformedMessageException(e), supervisor, session);
        }
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
                        throw new CancellationException("the image is no longer needed");
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while an image was encoded");
        } finally {
            reply.cancel(true);
        }
    }

    @Override
    public void close() {
        supervisor.close();
    }
}

package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.compression.Drafter;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.local.PromptScan;
import dev.varve.platform.tokenizer.Tokenizer;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** A drafter on a device of this process. Reads one text at a time; others wait in their order. */
final class LocalDrafter implements Drafter {
    /** How often who waits looks whether anybody waits for it. */
    private static final long LOOK_MILLIS = 200;

    /** Tokens of a prompt for which there must be room if the drafter is to stay in memory. */
    private static final int USUAL_PROMPT = 65_536;

    private final ModelRange model;
    private final Tokenizer tokenizer;
    private final ComputeDevice device;
    private final PromptScan.Look look;
    private final DraftSettings.Residency residency;
    private final CacheTypes types = CacheTypes.f16();
    private final String identity;
    private final ReentrantLock turn = new ReentrantLock(true);
    private Optional<PromptScan> scan = Optional.empty();
    private boolean persistent;
    private long weightBytes;
    private boolean closed;

    LocalDrafter(
            ModelRange model,
            Tokenizer tokenizer,
            ComputeDevice device,
            PromptScan.Look look,
            DraftSettings.Residency residency) {
        this.model = model;
        this.tokenizer = tokenizer;
        this.device = device;
        this.look = look;
        this.residency = residency;
        identity = identity(model, look);
    }

    private static String identity(ModelRange model, PromptScan.Look look) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            ModelContent.add(digest, model.file());
            return HexFormat.of().formatHex(digest.digest()) + " " + look;
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /** Loads it, and lets it stay if it shall: so that a file of no use is found at the start. */
    void prepare() {
        PromptScan loaded = load();
        weightBytes = loaded.weightBytes();
        persistent =
                switch (residency) {
                    case PERSISTENT -> true;
                    case REQUEST_SCOPED -> false;
                    case AUTO -> needed(USUAL_PROMPT) <= device.info().memoryFreeBytes();
                };
        scan = Optional.of(loaded);
        release();
    }

    private long needed(int tokens) {
        return PromptScan.bytes(model, types, tokens, look.tail());
    }

    private PromptScan load() {
        return PromptScan.load(model, device, types, LoadProgress.silent());
    }

    private void release() {
        if (!persistent) {
            scan.ifPresent(PromptScan::close);
            scan = Optional.empty();
        }
    }

    boolean isPersistent() {
        return persistent;
    }

    /** Bytes of the weights. */
    long weightBytes() {
        return weightBytes;
    }

    /**
     * Bytes that reading a text takes beside what stays in memory, but for the graph of a chunk.
     *
     * @param tokens of the text
     */
    long readingBytes(int tokens) {
        return needed(tokens) + (persistent ? 0 : weightBytes);
    }

    @Override
    public Tokenizer tokenizer() {
        return tokenizer;
    }

    @Override
    public String identity() {
        return identity;
    }

    @Override
    public float[] score(int[] tokens, BooleanSupplier cancelled) {
        await(cancelled);
        try {
            requireOpen();
            if (scan.isEmpty()) {
                scan = Optional.of(load());
            }
            requireRoom(tokens.length);
            return scan.get().read(tokens, look, listener(cancelled));
        } finally {
            release();
            turn.unlock();
        }
    }

    private void await(BooleanSupplier cancelled) {
        try {
            while (!turn.tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (cancelled.getAsBoolean()) {
                    throw new CancellationException("nobody waits for the text's scores");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while others had the drafter");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new VarveException(VarveException.Kind.UNAVAILABLE, "the drafter is closed");
        }
    }

    private void requireRoom(int tokens) {
        long needed = needed(tokens);
        long free = device.info().memoryFreeBytes();
        if (needed > free) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY,
                    "drafter: a prompt of "
                            + tokens
                            + " tokens takes "
                            + needed
                            + " bytes on "
                            + device.info().name()
                            + ", of which "
                            + free
                            + " are free");
        }
    }

    private static PromptScan.Listener listener(BooleanSupplier cancelled) {
        return new PromptScan.Listener() {
            @Override
            public boolean isCancelled() {
                return cancelled.getAsBoolean();
            }

            @Override
            public void onProgress(long done, long all) {
                // Whoever waits learns of the result.
            }
        };
    }

    @Override
    public void close() {
        turn.lock();
        try {
            closed = true;
            scan.ifPresent(PromptScan::close);
            scan = Optional.empty();
        } finally {
            turn.unlock();
        }
    }
}

package dev.varve.platform.wire;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * How one side of a channel behaves. The two sides need not agree, but on the token.
 *
 * @param limits how much this side takes
 * @param patience how long it waits for the other one
 * @param sharedMemory how large payloads travel
 * @param identity what it says of itself
 * @param token secret that the side that connects must know
 */
public record WireOptions(
        WireLimits limits,
        Patience patience,
        SharedMemory sharedMemory,
        Identity identity,
        Optional<String> token) {
    private static final int MIB = 1 << 20;

    /**
     * How long a side waits for the other one.
     *
     * @param heartbeat time between two pings
     * @param misses pings without any sign of life after which the other side is dead
     * @param handshake most time until both sides know each other
     */
    public record Patience(Duration heartbeat, int misses, Duration handshake) {
        /** Checks that the times make sense. */
        public Patience {
            inRange("missed pings", misses, 1, 1000);
            inRange("heartbeat in milliseconds", heartbeat.toMillis(), 1, 3_600_000);
            inRange("handshake limit in milliseconds", handshake.toMillis(), 1, 3_600_000);
        }
    }

    /**
     * How large payloads travel.
     *
     * @param mode whether shared memory is wanted; both sides must want it to use it
     * @param ringBytes size of the shared memory of each direction; the side that connects decides
     */
    public record SharedMemory(SharedMemoryMode mode, long ringBytes) {
        /** Checks that rings of this size can be made. */
        public SharedMemory {
            Objects.requireNonNull(mode);
            inRange("ring bytes", ringBytes, RingFile.MIN_RING_BYTES, RingFile.MAX_RING_BYTES);
        }
    }

    /**
     * What a side says of itself, for people.
     *
     * @param role what it is
     * @param buildId which build it is
     */
    public record Identity(String role, String buildId) {
        /** Checks that the texts fit a greeting. */
        public Identity {
            shortText("role", role);
            shortText("build id", buildId);
        }
    }

    /** Checks that limits and token make sense. */
    public WireOptions {
        inRange("largest frame", limits.maxFrameBytes(), 1024, 64L * MIB);
        inRange("byte credit", limits.byteCredit(), 1024, 1024L * MIB);
        inRange("request credit", limits.requestCredit(), 1, 65536);
        Objects.requireNonNull(patience);
        Objects.requireNonNull(sharedMemory);
        Objects.requireNonNull(identity);
        token.ifPresent(secret -> shortText("token", secret));
    }

    /** Frames of 4 MiB, 64 MiB and 8 requests of credit, 1.5 s until death, nobody known. */
    public static WireOptions defaults() {
        return new WireOptions(
                new WireLimits(4 * MIB, 64L * MIB, 8),
                new Patience(Duration.ofMillis(500), 3, Duration.ofSeconds(10)),
                new SharedMemory(SharedMemoryMode.AUTO, 32L * MIB),
                new Identity("peer", "unknown"),
                Optional.empty());
    }

    /** With another largest frame. */
    public WireOptions withMaxFrameBytes(int bytes) {
        return with(new WireLimits(bytes, limits.byteCredit(), limits.requestCredit()));
    }

    /** With other credits. */
    public WireOptions withCredit(long bytes, int requests) {
        return with(new WireLimits(limits.maxFrameBytes(), bytes, requests));
    }

    private WireOptions with(WireLimits other) {
        return new WireOptions(other, patience, sharedMemory, identity, token);
    }

    /** With another heartbeat. */
    public WireOptions withHeartbeat(Duration period, int missed) {
        return with(new Patience(period, missed, patience.handshake()));
    }

    /** With another limit until both sides know each other. */
    public WireOptions withHandshakeLimit(Duration limit) {
        return with(new Patience(patience.heartbeat(), patience.misses(), limit));
    }

    private WireOptions with(Patience other) {
        return new WireOptions(limits, other, sharedMemory, identity, token);
    }

    /** With another way for large payloads. */
    public WireOptions withSharedMemory(SharedMemoryMode mode, long bytes) {
        return new WireOptions(limits, patience, new SharedMemory(mode, bytes), identity, token);
    }

    /** With something else to say of itself. */
    public WireOptions withIdentity(String ownRole, String ownBuildId) {
        Identity own = new Identity(ownRole, ownBuildId);
        return new WireOptions(limits, patience, sharedMemory, own, token);
    }

    /** With another secret, or none. */
    public WireOptions withToken(Optional<String> secret) {
        return new WireOptions(limits, patience, sharedMemory, identity, secret);
    }

    private static void inRange(String what, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT, "%s must be %d to %d, got %d", what, min, max, value));
        }
    }

    private static void shortText(String what, String text) {
        if (text.length() > 1024) {
            throw new IllegalArgumentException(what + " is longer than 1024 characters");
        }
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "WireOptions["
                + identity
                + ", "
                + limits
                + ", "
                + patience
                + ", "
                + sharedMemory
                + ", token="
                + (token.isPresent() ? "set" : "none")
                + "]";
    }
}

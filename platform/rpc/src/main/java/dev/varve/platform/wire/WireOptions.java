package dev.varve.platform.wire;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Options of one side of a channel. Only the token must be the same on both sides.
 *
 * @param limits how much this side accepts
 * @param timeouts how long it waits for the other one
 * @param sharedMemory transport of large payloads
 * @param identity role and build that it reports
 * @param token secret that the side that connects must know
 */
public record WireOptions(
        WireLimits limits,
        Timeouts timeouts,
        SharedMemory sharedMemory,
        Identity identity,
        Optional<String> token) {
    private static final int MIB = 1 << 20;

    /**
     * How long a side waits for the other side.
     *
     * @param heartbeat time between two pings
     * @param misses pings without any sign of life after which the other side counts as dead
     * @param handshake longest duration of the handshake
     */
    public record Timeouts(Duration heartbeat, int misses, Duration handshake) {
        /** Checks that the times are valid. */
        public Timeouts {
            inRange("missed pings", misses, 1, 1000);
            inRange("heartbeat in milliseconds", heartbeat.toMillis(), 1, 3_600_000);
            inRange("handshake limit in milliseconds", handshake.toMillis(), 1, 3_600_000);
        }
    }

    /**
     * Transport of large payloads.
     *
     * @param mode whether shared memory is used; both sides must enable it
     * @param ringBytes size of the shared memory of each direction; the connecting side decides
     */
    public record SharedMemory(SharedMemoryMode mode, long ringBytes) {
        /** Checks that rings of this size are possible. */
        public SharedMemory {
            Objects.requireNonNull(mode);
            inRange("ring bytes", ringBytes, RingFile.MIN_RING_BYTES, RingFile.MAX_RING_BYTES);
        }
    }

    /**
     * Identity that a side reports, for messages.
     *
     * @param role its role
     * @param buildId its build
     */
    public record Identity(String role, String buildId) {
        /** Checks that the texts fit a hello. */
        public Identity {
            shortText("role", role);
            shortText("build id", buildId);
        }
    }

    /** Checks that limits and token are valid. */
    public WireOptions {
        inRange("largest frame", limits.maxFrameBytes(), 1024, 64L * MIB);
        inRange("byte credit", limits.byteCredit(), 1024, 1024L * MIB);
        inRange("request credit", limits.requestCredit(), 1, 65536);
        Objects.requireNonNull(timeouts);
        Objects.requireNonNull(sharedMemory);
        Objects.requireNonNull(identity);
        token.ifPresent(secret -> shortText("token", secret));
    }

    /**
     * Returns the defaults: frames of 4 MiB, credit of 64 MiB and 8 requests, 1.5 s until the other
     * side counts as dead, no token.
     */
    public static WireOptions defaults() {
        return new WireOptions(
                new WireLimits(4 * MIB, 64L * MIB, 8),
                new Timeouts(Duration.ofMillis(500), 3, Duration.ofSeconds(10)),
                new SharedMemory(SharedMemoryMode.AUTO, 32L * MIB),
                new Identity("peer", "unknown"),
                Optional.empty());
    }

    /** Returns a copy with another largest frame. */
    public WireOptions withMaxFrameBytes(int bytes) {
        return with(new WireLimits(bytes, limits.byteCredit(), limits.requestCredit()));
    }

    /** Returns a copy with other credits. */
    public WireOptions withCredit(long bytes, int requests) {
        return with(new WireLimits(limits.maxFrameBytes(), bytes, requests));
    }

    private WireOptions with(WireLimits other) {
        return new WireOptions(other, timeouts, sharedMemory, identity, token);
    }

    /** Returns a copy with another heartbeat. */
    public WireOptions withHeartbeat(Duration period, int missed) {
        return with(new Timeouts(period, missed, timeouts.handshake()));
    }

    /** Returns a copy with another handshake limit. */
    public WireOptions withHandshakeLimit(Duration limit) {
        return with(new Timeouts(timeouts.heartbeat(), timeouts.misses(), limit));
    }

    private WireOptions with(Timeouts other) {
        return new WireOptions(limits, other, sharedMemory, identity, token);
    }

    /** Returns a copy with another transport of large payloads. */
    public WireOptions withSharedMemory(SharedMemoryMode mode, long bytes) {
        return new WireOptions(limits, timeouts, new SharedMemory(mode, bytes), identity, token);
    }

    /** Returns a copy with another identity. */
    public WireOptions withIdentity(String ownRole, String ownBuildId) {
        Identity own = new Identity(ownRole, ownBuildId);
        return new WireOptions(limits, timeouts, sharedMemory, own, token);
    }

    /** Returns a copy with another secret, or none. */
    public WireOptions withToken(Optional<String> secret) {
        return new WireOptions(limits, timeouts, sharedMemory, identity, secret);
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

    /** Formats the options without the secret. */
    @Override
    public String toString() {
        return "WireOptions["
                + identity
                + ", "
                + limits
                + ", "
                + timeouts
                + ", "
                + sharedMemory
                + ", token="
                + (token.isPresent() ? "set" : "none")
                + "]";
    }
}

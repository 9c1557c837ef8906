package dev.varve.platform.wire;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * How one side of a channel behaves. The two sides need not agree, but on the token.
 *
 * @param maxFrameBytes most payload bytes of one frame; the smaller one of both sides counts
 * @param byteCredit most bytes of requests that this side holds at once, the same again of results;
 *     also the largest message that it takes
 * @param requestCredit most requests that this side works on at once
 * @param heartbeat time between two pings
 * @param misses pings without any sign of life after which the other side is dead
 * @param sharedMemory how large payloads travel; both sides must want shared memory to use it
 * @param ringBytes size of the shared memory of each direction; the side that connects decides
 * @param handshakeLimit most time until both sides know each other
 * @param role what this side is, for people
 * @param buildId which build it is, for people
 * @param token secret that the side that connects must know
 */
public record WireOptions(
        int maxFrameBytes,
        long byteCredit,
        int requestCredit,
        Duration heartbeat,
        int misses,
        SharedMemoryMode sharedMemory,
        long ringBytes,
        Duration handshakeLimit,
        String role,
        String buildId,
        Optional<String> token) {
    private static final int MIB = 1 << 20;

    public WireOptions {
        inRange("largest frame", maxFrameBytes, 1024, 64L * MIB);
        inRange("byte credit", byteCredit, 1024, 1024L * MIB);
        inRange("request credit", requestCredit, 1, 65536);
        inRange("missed pings", misses, 1, 1000);
        inRange("heartbeat in milliseconds", heartbeat.toMillis(), 1, 3_600_000);
        inRange("handshake limit in milliseconds", handshakeLimit.toMillis(), 1, 3_600_000);
        inRange("ring bytes", ringBytes, RingFile.MIN_RING_BYTES, RingFile.MAX_RING_BYTES);
        Objects.requireNonNull(sharedMemory);
        Objects.requireNonNull(token);
        shortText("role", role);
        shortText("build id", buildId);
        token.ifPresent(secret -> shortText("token", secret));
    }

    /** Frames of 4 MiB, 64 MiB and 8 requests of credit, 1.5 s until death, nobody known. */
    public static WireOptions defaults() {
        return new WireOptions(
                4 * MIB,
                64L * MIB,
                8,
                Duration.ofMillis(500),
                3,
                SharedMemoryMode.AUTO,
                32L * MIB,
                Duration.ofSeconds(10),
                "peer",
                "unknown",
                Optional.empty());
    }

    public WireOptions withMaxFrameBytes(int bytes) {
        return new WireOptions(
                bytes,
                byteCredit,
                requestCredit,
                heartbeat,
                misses,
                sharedMemory,
                ringBytes,
                handshakeLimit,
                role,
                buildId,
                token);
    }

    public WireOptions withCredit(long bytes, int requests) {
        return new WireOptions(
                maxFrameBytes,
                bytes,
                requests,
                heartbeat,
                misses,
                sharedMemory,
                ringBytes,
                handshakeLimit,
                role,
                buildId,
                token);
    }

    public WireOptions withHeartbeat(Duration period, int missed) {
        return new WireOptions(
                maxFrameBytes,
                byteCredit,
                requestCredit,
                period,
                missed,
                sharedMemory,
                ringBytes,
                handshakeLimit,
                role,
                buildId,
                token);
    }

    public WireOptions withSharedMemory(SharedMemoryMode mode, long bytes) {
        return new WireOptions(
                maxFrameBytes,
                byteCredit,
                requestCredit,
                heartbeat,
                misses,
                mode,
                bytes,
                handshakeLimit,
                role,
                buildId,
                token);
    }

    public WireOptions withHandshakeLimit(Duration limit) {
        return new WireOptions(
                maxFrameBytes,
                byteCredit,
                requestCredit,
                heartbeat,
                misses,
                sharedMemory,
                ringBytes,
                limit,
                role,
                buildId,
                token);
    }

    public WireOptions withIdentity(String ownRole, String ownBuildId) {
        return new WireOptions(
                maxFrameBytes,
                byteCredit,
                requestCredit,
                heartbeat,
                misses,
                sharedMemory,
                ringBytes,
                handshakeLimit,
                ownRole,
                ownBuildId,
                token);
    }

    public WireOptions withToken(Optional<String> secret) {
        return new WireOptions(
                maxFrameBytes,
                byteCredit,
                requestCredit,
                heartbeat,
                misses,
                sharedMemory,
                ringBytes,
                handshakeLimit,
                role,
                buildId,
                secret);
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
        return "WireOptions[role="
                + role
                + ", buildId="
                + buildId
                + ", maxFrameBytes="
                + maxFrameBytes
                + ", byteCredit="
                + byteCredit
                + ", requestCredit="
                + requestCredit
                + ", heartbeat="
                + heartbeat
                + ", misses="
                + misses
                + ", sharedMemory="
                + sharedMemory
                + ", ringBytes="
                + ringBytes
                + ", token="
                + (token.isPresent() ? "set" : "none")
                + "]";
    }
}

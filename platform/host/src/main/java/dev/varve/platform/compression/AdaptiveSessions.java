package dev.varve.platform.compression;

import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/**
 * What is known of conversations whose requests name them. The one that was not heard of the
 * longest is forgotten when they become too many. Thread-safe.
 */
public final class AdaptiveSessions {
    /** Conversations that are remembered where nobody asked for another number. */
    public static final int USUAL_MOST = 1024;

    private final int most;
    private final SequencedMap<String, AdaptiveKeepRatio> sessions =
            new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Knows nobody yet.
     *
     * @param most conversations, positive
     */
    public AdaptiveSessions(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("expected 1 session or more, found " + most);
        }
        this.most = most;
    }

    /** The name that a request gives its conversation; none if that is no string. */
    public static Optional<String> name(Object given) {
        return given instanceof String name ? Optional.of(name) : Optional.empty();
    }

    /** What is known of a conversation; nothing changes by the first question. */
    public synchronized AdaptiveKeepRatio find(String session) {
        return Optional.ofNullable(sessions.get(session)).orElse(AdaptiveKeepRatio.START);
    }

    /**
     * Learns from a turn.
     *
     * @param acceptance part of its guesses that were right; empty if none were made
     */
    public synchronized void finished(String session, OptionalDouble acceptance) {
        if (acceptance.isPresent()) {
            sessions.put(session, find(session).after(acceptance.getAsDouble()));
            if (sessions.size() > most) {
                sessions.pollFirstEntry();
            }
        }
    }

    /** Conversations that are known. */
    public synchronized int count() {
        return sessions.size();
    }
}

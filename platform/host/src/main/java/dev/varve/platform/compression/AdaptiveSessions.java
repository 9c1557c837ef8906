package dev.varve.platform.compression;

import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/**
 * Keep ratios of conversations whose requests name them. Evicts the least recently used
 * conversation when there are too many. Thread-safe.
 */
public final class AdaptiveSessions {
    /** Default limit for the number of conversations. */
    public static final int USUAL_MOST = 1024;

    private final int most;
    private final SequencedMap<String, AdaptiveKeepRatio> sessions =
            new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Creates an empty store.
     *
     * @param most conversations, positive
     */
    public AdaptiveSessions(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("expected 1 session or more, found " + most);
        }
        this.most = most;
    }

    /** Returns the conversation name of a request; empty if it is no string. */
    public static Optional<String> name(Object given) {
        return given instanceof String name ? Optional.of(name) : Optional.empty();
    }

    /** Returns the state of a conversation; a first lookup stores nothing. */
    public synchronized AdaptiveKeepRatio find(String session) {
        return Optional.ofNullable(sessions.get(session)).orElse(AdaptiveKeepRatio.START);
    }

    /**
     * Updates a conversation after a turn.
     *
     * @param acceptance part of its draft tokens that the model accepted; empty if it had none
     */
    public synchronized void finished(String session, OptionalDouble acceptance) {
        if (acceptance.isPresent()) {
            sessions.put(session, find(session).after(acceptance.getAsDouble()));
            if (sessions.size() > most) {
                sessions.pollFirstEntry();
            }
        }
    }

    /** Returns the number of stored conversations. */
    public synchronized int count() {
        return sessions.size();
    }
}

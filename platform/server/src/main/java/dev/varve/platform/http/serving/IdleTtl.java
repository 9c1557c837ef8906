package dev.varve.platform.http.serving;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;

/**
 * Idle time-to-live: the time after which unused models are unloaded.
 *
 * @param idle time after the last request; empty: models stay loaded until their memory is needed
 * @param clock current time
 */
public record IdleTtl(Optional<Duration> idle, InstantSource clock) {
    /** Checks for null. */
    public IdleTtl {
        Objects.requireNonNull(idle);
        Objects.requireNonNull(clock);
    }

    /** Returns a setting that keeps models loaded until their memory is needed. */
    public static IdleTtl always() {
        return new IdleTtl(Optional.empty(), InstantSource.system());
    }

    /** Returns a setting that keeps models loaded for a time after the last request. */
    public static IdleTtl idle(Duration time) {
        return new IdleTtl(Optional.of(time), InstantSource.system());
    }
}

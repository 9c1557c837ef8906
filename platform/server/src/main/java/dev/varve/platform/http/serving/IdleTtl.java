package dev.varve.platform.http.serving;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;

/**
 * How long models that nobody uses stay loaded.
 *
 * @param idle time after the last request; empty: until their memory is needed
 * @param clock tells the time
 */
public record IdleTtl(Optional<Duration> idle, InstantSource clock) {
    /** Checks that nothing is missing. */
    public IdleTtl {
        Objects.requireNonNull(idle);
        Objects.requireNonNull(clock);
    }

    /** Until their memory is needed. */
    public static IdleTtl always() {
        return new IdleTtl(Optional.empty(), InstantSource.system());
    }

    /** For a time after the last request. */
    public static IdleTtl idle(Duration time) {
        return new IdleTtl(Optional.of(time), InstantSource.system());
    }
}

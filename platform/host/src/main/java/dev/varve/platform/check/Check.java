package dev.varve.platform.check;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * One check of one device.
 *
 * @param name what is checked, unique within the group
 * @param limit time after which a correct result counts as slow; {@link CheckRunner} gives up after
 *     a multiple of it
 * @param body runs the check; an exception is a failure
 * @param details further results of the check, by name; called after it
 */
public record Check(
        CheckGroup group,
        String name,
        Duration limit,
        Callable<Verdict> body,
        Supplier<Map<String, Verdict>> details) {
    /** Time limit of checks that load a small model or less. */
    static final Duration USUAL = Duration.ofSeconds(30);

    /** Checks that nothing is missing. */
    public Check {
        Objects.requireNonNull(group);
        Objects.requireNonNull(name);
        Objects.requireNonNull(limit);
        Objects.requireNonNull(body);
        Objects.requireNonNull(details);
    }

    /** Creates a check without details. */
    public Check(CheckGroup group, String name, Duration limit, Callable<Verdict> body) {
        this(group, name, limit, body, Map::of);
    }

    /** Creates a check with the usual time limit. */
    public Check(CheckGroup group, String name, Callable<Verdict> body) {
        this(group, name, USUAL, body);
    }

    /** Returns the check with another time limit. */
    Check within(Duration other) {
        return new Check(group, name, other, body, details);
    }
}

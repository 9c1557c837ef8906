package dev.varve.plugin.cpu;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/**
 * How many cores nobody uses, by Linux's {@code /proc/stat}: of those that this process may use,
 * whoever keeps the others busy. Reading it takes some tens of microseconds, on large machines
 * milliseconds.
 */
final class IdleCores {
    /** Time that a core was idle, and that it was while a disk was waited for; the name is 0. */
    private static final int IDLE = 4;

    private static final int WAITING = 5;

    /** Linux counts in hundredths of a second, whatever its clock does. */
    private static final long TICK_NANOS = 10_000_000;

    private final Path file;
    private final Set<Integer> processors;
    private Optional<Reading> last = Optional.empty();

    private record Reading(long idleTicks, long now) {}

    /**
     * @param file {@code /proc/stat}
     * @param processors numbers of the cores that count
     */
    IdleCores(Path file, Set<Integer> processors) {
        this.file = file;
        this.processors = processors;
    }

    /**
     * Cores that were idle since the last call, on average.
     *
     * @param now a clock in nanoseconds
     * @return nothing at the first call, and where the system does not tell
     */
    OptionalDouble sinceLast(long now) {
        OptionalLong ticks = idleTicks();
        Optional<Reading> before = last;
        last = ticks.isPresent() ? Optional.of(new Reading(ticks.getAsLong(), now)) : last;
        if (ticks.isEmpty() || before.isEmpty() || now <= before.get().now()) {
            return OptionalDouble.empty();
        }
        long idle = ticks.getAsLong() - before.get().idleTicks();
        return OptionalDouble.of((double) idle * TICK_NANOS / (now - before.get().now()));
    }

    private OptionalLong idleTicks() {
        try {
            long ticks = 0;
            int found = 0;
            for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
                String[] fields = line.split(" ");
                if (counts(fields)) {
                    ticks += Long.parseLong(fields[IDLE]) + Long.parseLong(fields[WAITING]);
                    found++;
                }
            }
            return found > 0 ? OptionalLong.of(ticks) : OptionalLong.empty();
        } catch (IOException | NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** Whether this is a line of a core that counts, such as {@code cpu0 1 2 3 4 5 6}. */
    private boolean counts(String[] fields) {
        return fields.length > WAITING
                && fields[0].matches("cpu\\d{1,6}")
                && processors.contains(Integer.parseInt(fields[0].substring("cpu".length())));
    }
}

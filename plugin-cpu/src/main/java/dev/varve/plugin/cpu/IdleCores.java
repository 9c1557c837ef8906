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
 * Number of idle cores, by Linux's {@code /proc/stat}, among those that this process may use,
 * whichever process loads the others. Reading it takes some tens of microseconds, on large machines
 * milliseconds.
 */
final class IdleCores {
    /**
     * Index of the idle time of a core, followed by its time waiting for a disk; index 0 is the
     * name.
     */
    private static final int IDLE = 4;

    private static final int WAITING = 5;

    /** Linux counts in hundredths of a second, whatever its clock rate. */
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
     * Average number of idle cores since the last call.
     *
     * @param now a clock in nanoseconds
     * @return nothing at the first call, and if the system does not report it
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

    /** Returns whether this is the line of a counted core, such as {@code cpu0 1 2 3 4 5 6}. */
    private boolean counts(String[] fields) {
        return fields.length > WAITING
                && fields[0].matches("cpu\\d{1,6}")
                && processors.contains(Integer.parseInt(fields[0].substring("cpu".length())));
    }
}

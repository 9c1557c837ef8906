package dev.varve.platform.plan;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Supplier;

/**
 * Load by the counters of Linux: {@code stat} has the ticks of all cores, {@code self/stat} those
 * of this process and its ended children. Both are text with numbers separated by spaces.
 */
public final class ProcLoadMeter implements LoadMeter {
    /** Of {@code user nice system idle iowait irq softirq steal}; later ones are part of user. */
    private static final int COUNTERS = 8;

    private static final int IDLE = 3;
    private static final int WAITING = 4;

    /** First of {@code utime stime cutime cstime} behind the name in parentheses. */
    private static final int OWN = 11;

    private static final int OWN_COUNTERS = 4;

    private final Path folder;
    private final Duration pause;

    private record Ticks(long all, long idle, long own) {}

    /** Creates a meter for this machine. */
    public static ProcLoadMeter ofMachine() {
        return new ProcLoadMeter(Path.of("/proc"), Duration.ofMillis(200));
    }

    /**
     * Creates a meter.
     *
     * @param folder {@code /proc}
     * @param pause time of {@link #now}
     */
    ProcLoadMeter(Path folder, Duration pause) {
        this.folder = folder;
        this.pause = pause;
    }

    @Override
    public Supplier<OptionalDouble> begin() {
        Optional<Ticks> before = read();
        return () -> share(before, read());
    }

    @Override
    public OptionalDouble now() {
        Supplier<OptionalDouble> running = begin();
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return OptionalDouble.empty();
        }
        return running.get();
    }

    private static OptionalDouble share(Optional<Ticks> before, Optional<Ticks> after) {
        if (before.isEmpty() || after.isEmpty() || after.get().all() <= before.get().all()) {
            return OptionalDouble.empty();
        }
        long all = after.get().all() - before.get().all();
        long idle = after.get().idle() - before.get().idle();
        long own = after.get().own() - before.get().own();
        return OptionalDouble.of(Math.clamp((double) (all - idle - own) / all, 0, 1));
    }

    private Optional<Ticks> read() {
        try {
            long[] cores = numbers(text("stat").lines().findFirst().orElse(""), 1, COUNTERS);
            String self = text("self/stat");
            long[] own = numbers(self.substring(self.lastIndexOf(')') + 2), OWN, OWN_COUNTERS);
            return Optional.of(
                    new Ticks(
                            Arrays.stream(cores).sum(),
                            cores[IDLE] + cores[WAITING],
                            Arrays.stream(own).sum()));
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    private String text(String file) throws IOException {
        return Files.readString(folder.resolve(file), StandardCharsets.ISO_8859_1);
    }

    private static long[] numbers(String line, int first, int count) {
        return Arrays.stream(line.strip().split("\\s+"), first, first + count)
                .mapToLong(Long::parseLong)
                .toArray();
    }
}

package dev.varve.platform.plan;

import dev.varve.platform.digest.Sha256;
import dev.varve.platform.file.AtomicFile;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Cache of measurements, one file per key in a folder. A file is UTF-8 text, line by line:
 *
 * <pre>
 * varve-device-speed 2
 * the key, on one line
 * time in UTC (ISO 8601) and load from 0 to 1, or - if it is unknown
 * perShard.decodeMillis perShard.prefillMillis
 * decodeMillis prefillMillis     for each kind, if there are any
 * end
 * </pre>
 *
 * A malformed or truncated file, or one of another key or version, counts as missing.
 */
public final class ProbeCache {
    private static final Logger LOG = System.getLogger(ProbeCache.class.getName());
    private static final String MAGIC = "varve-device-speed 2";
    private static final String END = "end";
    private static final String UNKNOWN = "-";

    private final Path folder;

    private final InstantSource clock;

    /**
     * Creates a cache.
     *
     * @param folder folder of the files, which need not exist yet
     * @param clock time, for the age of measurements
     */
    public ProbeCache(Path folder, InstantSource clock) {
        this.folder = folder;
        this.clock = clock;
    }

    InstantSource clock() {
        return clock;
    }

    /** Returns the measurement of a key. */
    public Optional<Measurement> find(String key) {
        try {
            return parse(Files.readAllLines(file(key), StandardCharsets.UTF_8), key);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Optional<Measurement> parse(List<String> lines, String key) {
        if (lines.size() < 5
                || !lines.getFirst().equals(MAGIC)
                || !lines.get(1).equals(key)
                || !lines.getLast().equals(END)) {
            return Optional.empty();
        }
        try {
            List<StepTime> kinds = new ArrayList<>();
            for (String line : lines.subList(4, lines.size() - 1)) {
                kinds.add(time(line));
            }
            String[] when = lines.get(2).split(" ", 2);
            Instant time = Instant.parse(when[0]);
            return Optional.of(
                    new Measurement(
                            new DeviceSpeed(time(lines.get(3)), kinds),
                            time,
                            Duration.between(time, clock.instant()),
                            load(when.length < 2 ? "" : when[1])));
        } catch (IllegalArgumentException | DateTimeException e) {
            LOG.log(Level.DEBUG, "{0} is measured again: {1}", key, e.getMessage());
            return Optional.empty();
        }
    }

    private static OptionalDouble load(String text) {
        if (text.equals(UNKNOWN)) {
            return OptionalDouble.empty();
        }
        double load = Double.parseDouble(text);
        if (!(load >= 0 && load <= 1)) {
            throw new IllegalArgumentException("expected a load from 0 to 1, found " + text);
        }
        return OptionalDouble.of(load);
    }

    private static StepTime time(String line) {
        String[] numbers = line.split(" ", -1);
        if (numbers.length != 2) {
            throw new IllegalArgumentException("expected two numbers, found " + line);
        }
        return new StepTime(Double.parseDouble(numbers[0]), Double.parseDouble(numbers[1]));
    }

    /** Stores a measurement; if the folder is not writable, the next start measures again. */
    public void store(String key, Measurement measurement) {
        DeviceSpeed speed = measurement.speed();
        String load =
                measurement.load().isPresent()
                        ? Double.toString(measurement.load().getAsDouble())
                        : UNKNOWN;
        List<String> lines =
                new ArrayList<>(
                        List.of(
                                MAGIC,
                                key,
                                measurement.time() + " " + load,
                                line(speed.perShard())));
        speed.kinds().forEach(time -> lines.add(line(time)));
        lines.add(END);
        try {
            Files.createDirectories(folder);
            AtomicFile.replace(
                    file(key),
                    AtomicFile.Readers.OWNER,
                    fresh -> Files.write(fresh, lines, StandardCharsets.UTF_8));
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "{0}: a measurement was not stored: {1}", folder, e.toString());
        }
    }

    private static String line(StepTime time) {
        return time.decodeMillis() + " " + time.prefillMillis();
    }

    Path file(String key) {
        return folder.resolve(Sha256.hex(key, 12) + ".probe");
    }
}

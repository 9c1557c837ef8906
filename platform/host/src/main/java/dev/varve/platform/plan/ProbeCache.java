package dev.varve.platform.plan;

import dev.varve.platform.digest.Sha256;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Cache of measurements, one file per key in a folder. A file is UTF-8 text, line by line:
 *
 * <pre>
 * varve-device-speed 1
 * the key, on one line
 * perShard.decodeMillis perShard.prefillMillis
 * decodeMillis prefillMillis     for each kind
 * end
 * </pre>
 *
 * A malformed or truncated file, or one of another key, counts as missing.
 */
public final class ProbeCache {
    private static final Logger LOG = System.getLogger(ProbeCache.class.getName());
    private static final String MAGIC = "varve-device-speed 1";
    private static final String END = "end";

    private final Path folder;

    /** Creates a cache in a folder, which need not exist yet. */
    public ProbeCache(Path folder) {
        this.folder = folder;
    }

    /** Returns the measurement of a key. */
    public Optional<DeviceSpeed> find(String key) {
        try {
            return parse(Files.readAllLines(file(key), StandardCharsets.UTF_8), key);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<DeviceSpeed> parse(List<String> lines, String key) {
        if (lines.size() < 5
                || !lines.getFirst().equals(MAGIC)
                || !lines.get(1).equals(key)
                || !lines.getLast().equals(END)) {
            return Optional.empty();
        }
        try {
            List<StepTime> kinds = new ArrayList<>();
            for (String line : lines.subList(3, lines.size() - 1)) {
                kinds.add(time(line));
            }
            return Optional.of(new DeviceSpeed(time(lines.get(2)), kinds));
        } catch (IllegalArgumentException e) {
            LOG.log(Level.DEBUG, "{0} is measured again: {1}", key, e.getMessage());
            return Optional.empty();
        }
    }

    private static StepTime time(String line) {
        String[] numbers = line.split(" ", -1);
        if (numbers.length != 2) {
            throw new IllegalArgumentException("expected two numbers, found " + line);
        }
        return new StepTime(Double.parseDouble(numbers[0]), Double.parseDouble(numbers[1]));
    }

    /** Stores a measurement; if the folder is not writable, the next start measures again. */
    public void store(String key, DeviceSpeed speed) {
        List<String> lines = new ArrayList<>(List.of(MAGIC, key, line(speed.perShard())));
        speed.kinds().forEach(time -> lines.add(line(time)));
        lines.add(END);
        try {
            Files.createDirectories(folder);
            Path fresh = Files.createTempFile(folder, "probe", ".new");
            try {
                Files.write(fresh, lines, StandardCharsets.UTF_8);
                Files.move(fresh, file(key), StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(fresh);
            }
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

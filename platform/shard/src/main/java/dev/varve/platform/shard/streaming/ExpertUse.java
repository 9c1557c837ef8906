package dev.varve.platform.shard.streaming;

import dev.varve.platform.file.AtomicFile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How often each expert was used, where earlier uses count less. The counts can be kept in a file,
 * which is UTF-8 text, line by line:
 *
 * <pre>
 * varve-expert-use 1
 * identity of the matrices, on one line
 * prefix of a layer's names, and the count of each expert as a decimal, separated by spaces
 * end
 * </pre>
 *
 * A malformed or truncated file, or one of other matrices or another version, is ignored with a log
 * message. Not thread-safe.
 */
final class ExpertUse {
    private static final Logger LOG = System.getLogger(ExpertUse.class.getName());
    private static final String MAGIC = "varve-expert-use 1";
    private static final String END = "end";

    /** Steps of a layer after which its counts are halved. */
    static final int HALVING = 1024;

    private final Map<String, float[]> counts = new TreeMap<>();
    private final Map<String, Integer> steps = new TreeMap<>();

    /** An expert, by the prefix of its layer's names. */
    record Expert(String prefix, int number, float count) {}

    /**
     * Creates counts of 0.
     *
     * @param experts number of experts by the prefix of a layer's names
     */
    ExpertUse(Map<String, Integer> experts) {
        experts.forEach((prefix, count) -> counts.put(prefix, new float[count]));
    }

    /** Counts a step of a layer. */
    void record(String prefix, int[] experts) {
        float[] layer = counts.get(prefix);
        for (int expert : experts) {
            layer[expert]++;
        }
        if (steps.merge(prefix, 1, Integer::sum) % HALVING == 0) {
            for (int i = 0; i < layer.length; i++) {
                layer[i] /= 2;
            }
        }
    }

    /** Returns the experts that were used, those with the highest counts first. */
    List<Expert> hottest() {
        List<Expert> all = new ArrayList<>();
        counts.forEach(
                (prefix, layer) -> {
                    for (int i = 0; i < layer.length; i++) {
                        if (layer[i] > 0) {
                            all.add(new Expert(prefix, i, layer[i]));
                        }
                    }
                });
        all.sort(Comparator.comparingDouble((Expert expert) -> -expert.count()));
        return all;
    }

    /** Reads the counts of a file, unless it is missing, damaged or has another identity. */
    void read(Path file, String identity) {
        try {
            parse(Files.readAllLines(file, StandardCharsets.UTF_8), identity);
        } catch (NoSuchFileException e) {
            LOG.log(Level.DEBUG, "{0}: no use of experts was recorded yet", file);
        } catch (IOException | IllegalArgumentException e) {
            LOG.log(
                    Level.WARNING,
                    "{0}: the recorded use of experts is ignored: {1}",
                    file,
                    e.getMessage());
        }
    }

    private void parse(List<String> lines, String identity) {
        if (lines.size() != counts.size() + 3
                || !lines.getFirst().equals(MAGIC)
                || !lines.get(1).equals(identity)
                || !lines.getLast().equals(END)) {
            throw new IllegalArgumentException(
                    "expected " + MAGIC + ", " + identity + " and " + counts.size() + " layers");
        }
        Map<String, float[]> found = new TreeMap<>();
        lines.subList(2, lines.size() - 1).forEach(line -> parseLayer(line, found));
        counts.putAll(found);
    }

    private void parseLayer(String line, Map<String, float[]> found) {
        String[] fields = line.split(" ", -1);
        float[] known = counts.get(fields[0]);
        if (known == null || fields.length != known.length + 1) {
            throw new IllegalArgumentException("found another layer: " + fields[0]);
        }
        float[] layer = new float[known.length];
        for (int i = 0; i < layer.length; i++) {
            layer[i] = Float.parseFloat(fields[i + 1]);
            if (!(layer[i] >= 0 && layer[i] <= 2 * HALVING)) {
                throw new IllegalArgumentException("found a count of " + fields[i + 1]);
            }
        }
        found.put(fields[0], layer);
    }

    /** Returns the lines of a file. */
    List<String> lines(String identity) {
        List<String> lines = new ArrayList<>(List.of(MAGIC, identity));
        counts.forEach(
                (prefix, layer) -> {
                    StringBuilder line = new StringBuilder(prefix);
                    for (float count : layer) {
                        line.append(' ').append(count);
                    }
                    lines.add(line.toString());
                });
        lines.add(END);
        return lines;
    }

    /** Replaces a file; failures are logged only. */
    static void write(Path file, List<String> lines) {
        try {
            Files.createDirectories(file.getParent());
            AtomicFile.replace(
                    file,
                    AtomicFile.Readers.OWNER,
                    fresh -> Files.write(fresh, lines, StandardCharsets.UTF_8));
        } catch (IOException | UncheckedIOException e) {
            LOG.log(Level.WARNING, "{0}: the use of experts was not recorded: {1}", file, e);
        }
    }
}

package dev.varve.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The outcome of one case of a test that shows a {@link Claim}. Each is a line of a file of its
 * test in the folder {@code varve.test.claims}: claim, architecture, model and outcome, with tabs
 * between them. A test replaces its file when it runs again.
 *
 * @param architecture {@code general.architecture}
 * @param model the random model, or the published chat template
 */
public record ClaimResult(Claim claim, String architecture, String model, Outcome outcome) {
    private static final String SUFFIX = ".tsv";
    private static final Set<Path> STARTED = ConcurrentHashMap.newKeySet();

    /** How a case ended. */
    public enum Outcome {
        PASSED,
        /** The server refuses such requests with a message, as the test expects. */
        REFUSED,
        SKIPPED,
        FAILED
    }

    /**
     * Writes the result; without the folder, does nothing.
     *
     * @param test the name of the test, and of its file
     */
    public void write(String test) {
        String folder = System.getProperty("varve.test.claims", "");
        if (!folder.isEmpty()) {
            append(Path.of(folder, test + SUFFIX));
        }
    }

    private void append(Path file) {
        String line = String.join("\t", claim.name(), architecture, model, outcome.name()) + "\n";
        try {
            Files.createDirectories(file.getParent());
            if (STARTED.add(file)) {
                Files.deleteIfExists(file);
            }
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads all results in a folder; none if there is no such folder. */
    public static List<ClaimResult> readAll(Path folder) {
        List<ClaimResult> results = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return results;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(each -> each.toString().endsWith(SUFFIX)).toList()) {
                Files.readAllLines(file).forEach(line -> results.add(parse(line)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return results;
    }

    private static ClaimResult parse(String line) {
        String[] parts = line.split("\t");
        return new ClaimResult(
                Claim.valueOf(parts[0]), parts[1], parts[2], Outcome.valueOf(parts[3]));
    }
}

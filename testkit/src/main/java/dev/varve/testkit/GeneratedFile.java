package dev.varve.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A text file of the repository that a test generates from code, so that a change of the code is
 * visible in a diff. The test compares the file, or writes it if the system property {@value
 * #WRITE} is {@code true}.
 */
public final class GeneratedFile {
    /** System property that makes tests write generated files. */
    public static final String WRITE = "varve.test.write";

    private static final Path ROOT = Path.of(System.getProperty("varve.test.root", "."));
    private static final int SHOWN = 20;

    private final Path path;

    private GeneratedFile(Path path) {
        this.path = path;
    }

    /** Names a file by its path in the repository, such as {@code docs/flags.md}. */
    public static GeneratedFile of(String path) {
        return new GeneratedFile(Path.of(path));
    }

    /**
     * Compares the whole file, or writes it.
     *
     * @throws AssertionError if the file differs from {@code generated}
     */
    public void check(String generated) {
        compare("", generated);
    }

    /**
     * Compares the part of the file after the line {@code marker}, or writes it. The part up to and
     * with the marker is handwritten and stays.
     *
     * @throws AssertionError if the file has no such line, or differs below it
     */
    public void checkBelow(String marker, String generated) {
        String line = marker + "\n";
        int begin = read().indexOf(line);
        if (begin < 0) {
            throw new AssertionError(path + ": expected the line " + marker + ", found none");
        }
        compare(read().substring(0, begin + line.length()), generated);
    }

    /**
     * Compares the part of the file between two lines, or writes it. The rest is handwritten and
     * stays.
     *
     * @throws AssertionError if the file lacks one of the lines, or differs between them
     */
    public void checkBetween(String begin, String end, String generated) {
        String text = read();
        int from = text.indexOf(begin + "\n");
        int to = text.indexOf("\n" + end + "\n", from + 1);
        if (from < 0 || to < 0) {
            throw new AssertionError(
                    path + ": expected the lines " + begin + " and " + end + ", found one or none");
        }
        compare(text.substring(0, from + begin.length() + 1), generated + text.substring(to + 1));
    }

    private void compare(String kept, String generated) {
        String expected = kept + generated;
        if (Boolean.getBoolean(WRITE)) {
            write(expected);
        } else if (!read().equals(expected)) {
            throw new AssertionError(difference(lines(read()), lines(expected)));
        }
    }

    /** Shows the lines on one side only; if all lines are on both, the order differs. */
    private String difference(List<String> before, List<String> now) {
        List<String> changes =
                Stream.concat(
                                without(before, now).stream().map(line -> "  - " + line),
                                without(now, before).stream().map(line -> "  + " + line))
                        .toList();
        return path
                + " differs from the code:\n"
                + changes.stream().limit(SHOWN).collect(Collectors.joining("\n"))
                + (changes.isEmpty() ? "  (the order of lines)" : "")
                + (changes.size() > SHOWN
                        ? "\n  and " + (changes.size() - SHOWN) + " more lines"
                        : "")
                + "\nIf the change is intended, run the test with -D"
                + WRITE
                + "=true, which writes the file, and commit it.";
    }

    private static List<String> without(List<String> lines, List<String> others) {
        List<String> rest = new ArrayList<>(lines);
        others.forEach(rest::remove);
        return rest;
    }

    private static List<String> lines(String text) {
        return text.lines().toList();
    }

    /** Returns the text; empty if there is no file yet. */
    private String read() {
        Path file = ROOT.resolve(path);
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(String text) {
        try {
            Path file = ROOT.resolve(path);
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

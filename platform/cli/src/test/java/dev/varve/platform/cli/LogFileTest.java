package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

class LogFileTest {
    private final ByteArrayOutputStream problems = new ByteArrayOutputStream();

    @TempDir Path folder;

    private static final Formatter MESSAGES =
            new Formatter() {
                @Override
                public String format(LogRecord line) {
                    return line.getMessage() + '\n';
                }
            };

    private LogFile open(Path file, long bytes, int count) {
        return new LogFile(
                file,
                new LogFile.Rotation(bytes, count),
                MESSAGES,
                new PrintStream(problems, true, StandardCharsets.UTF_8));
    }

    private static void log(LogFile log, String message) {
        log.publish(new LogRecord(Level.INFO, message));
    }

    @Test
    void linesAreAppendedToAFileOfOwnerAndGroup() throws IOException {
        Path file = folder.resolve("varve.log");
        try (var log = new Closing(open(file, 0, 1))) {
            log(log.file(), "one");
        }
        try (var log = new Closing(open(file, 0, 1))) {
            log(log.file(), "two");
        }

        assertEquals(List.of("one", "two"), Files.readAllLines(file));
        String permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        assertTrue(permissions.startsWith("rw-") && permissions.endsWith("---"), permissions);
    }

    @Test
    void rotationKeepsEveryRecentLineInOrder() throws IOException {
        Path file = folder.resolve("varve.log");
        try (var log = new Closing(open(file, 20, 2))) {
            for (int i = 10; i < 30; i++) {
                log(log.file(), "line " + i);
            }
        }

        List<String> kept = new ArrayList<>();
        for (String name : List.of("varve.log.2", "varve.log.1", "varve.log")) {
            assertTrue(Files.size(folder.resolve(name)) <= 20, name);
            kept.addAll(Files.readAllLines(folder.resolve(name)));
        }
        assertEquals(
                List.of("line 24", "line 25", "line 26", "line 27", "line 28", "line 29"), kept);
        assertFalse(Files.exists(folder.resolve("varve.log.3")));
    }

    @Test
    void lineLongerThanTheLimitIsWrittenWhole() throws IOException {
        Path file = folder.resolve("varve.log");
        try (var log = new Closing(open(file, 10, 1))) {
            log(log.file(), "x".repeat(100));
        }

        assertEquals(101, Files.size(file));
    }

    @Test
    void movedFileIsFollowedByANewOne() throws IOException {
        Path file = folder.resolve("varve.log");
        try (var log = new Closing(open(file, 0, 1))) {
            log(log.file(), "before");
            Files.move(file, folder.resolve("archived"));
            log(log.file(), "after");
        }

        assertEquals(List.of("before"), Files.readAllLines(folder.resolve("archived")));
        assertEquals(List.of("after"), Files.readAllLines(file));
    }

    @Test
    void missingFolderAndFolderAsFileAreErrors() {
        VarveException missing =
                assertThrows(
                        VarveException.class,
                        () -> open(folder.resolve("none").resolve("varve.log"), 0, 1));
        VarveException directory = assertThrows(VarveException.class, () -> open(folder, 0, 1));

        assertTrue(
                missing.getMessage()
                        .matches("--log-file: .*varve.log cannot be written: .*folder.*"),
                missing.getMessage());
        assertTrue(
                directory.getMessage().endsWith(folder + " cannot be written: it is a folder"),
                directory.getMessage());
    }

    @Test
    void fullDiskDropsLinesAndIsReportedOnce() {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "this system has no /dev/full");
        try (var log = new Closing(open(full, 10, 1))) {
            log(log.file(), "one");
            log(log.file(), "two");
        }

        String reported = problems.toString(StandardCharsets.UTF_8);
        assertEquals(1, reported.lines().count(), reported);
        assertEquals(
                "varve: --log-file: /dev/full cannot be written: the disk is full; log lines are"
                        + " dropped until it can",
                reported.strip());
    }

    @Test
    void linesAfterAnOutageSayHowManyWereDropped() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/full")), "this system has no /dev/full");
        Path file = Files.createSymbolicLink(folder.resolve("log"), Path.of("/dev/full"));
        try (var log = new Closing(open(file, 0, 1))) {
            log(log.file(), "lost");
            log(log.file(), "lost too");
            Files.delete(file);
            log(log.file(), "again");
        }

        assertEquals(List.of("", "2 log lines were dropped", "again"), Files.readAllLines(file));
    }

    @Test
    void interruptedRotationIsCompletedWithoutLoss() throws IOException {
        Path file = folder.resolve("varve.log");
        // The third file was moved already; the second is next.
        Files.writeString(folder.resolve("varve.log.rotating"), "4\n");
        Files.writeString(folder.resolve("varve.log.1"), "3\n");
        Files.writeString(folder.resolve("varve.log.3"), "2\n");
        try (var log = new Closing(open(file, 2, 3))) {
            assertEquals(List.of("4"), Files.readAllLines(folder.resolve("varve.log.1")));
            log(log.file(), "5");
        }

        List<String> kept = new ArrayList<>();
        for (String name : List.of("varve.log.3", "varve.log.2", "varve.log.1", "varve.log")) {
            kept.addAll(Files.readAllLines(folder.resolve(name)));
        }
        assertEquals(List.of("2", "3", "4", "5"), kept);
        assertFalse(Files.exists(folder.resolve("varve.log.rotating")));
    }

    @Test
    void rotationThatFailsInTheMiddleLosesNothing() throws IOException {
        Path file = folder.resolve("varve.log");
        Path obstacle = Files.createDirectories(folder.resolve("varve.log.1/folder"));
        try (var log = new Closing(open(file, 2, 1))) {
            log(log.file(), "1");
            log(log.file(), "2");
        }
        assertEquals(List.of("1"), Files.readAllLines(folder.resolve("varve.log.rotating")));
        assertEquals(List.of("2"), Files.readAllLines(file));

        Files.delete(obstacle);
        Files.delete(obstacle.getParent());
        new Closing(open(file, 2, 1)).close();

        assertEquals(List.of("1"), Files.readAllLines(folder.resolve("varve.log.1")));
        assertEquals(List.of("2"), Files.readAllLines(file));
    }

    @Test
    void lineThatCannotBeFormattedIsDropped() throws IOException {
        Path file = folder.resolve("varve.log");
        Formatter failing =
                new Formatter() {
                    @Override
                    public String format(LogRecord line) {
                        if (line.getMessage().equals("bad")) {
                            throw new IllegalStateException("no text\u001b");
                        }
                        return line.getMessage() + '\n';
                    }
                };
        PrintStream reports = new PrintStream(problems, true, StandardCharsets.UTF_8);
        LogFile.Rotation rotation = new LogFile.Rotation(0, 1);
        try (var log = new Closing(new LogFile(file, rotation, failing, reports))) {
            log(log.file(), "bad");
            log(log.file(), "good");
        }

        assertEquals(List.of("", "1 log lines were dropped", "good"), Files.readAllLines(file));
        String reported = problems.toString(StandardCharsets.UTF_8).strip();
        assertTrue(
                reported.endsWith(
                        ": a log line is dropped: java.lang.IllegalStateException: no text"),
                reported);
    }

    /** Closes the file at the end of a test. */
    private record Closing(LogFile file) implements AutoCloseable {
        @Override
        public void close() {
            file.close();
        }
    }
}

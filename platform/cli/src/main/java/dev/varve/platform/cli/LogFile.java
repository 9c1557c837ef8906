package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.log.ControlCharacters;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Appends log lines to a file and rotates it by size: {@code FILE} becomes {@code FILE.1}, which
 * becomes {@code FILE.2}, and so on; the oldest one is deleted. If another program moves or deletes
 * the file, the next line begins a new one. During a rotation the file is {@code FILE.rotating}; a
 * rotation that a crash interrupted is completed when the file is opened. Thread-safe.
 *
 * <p>A line that cannot be written, for example because the disk is full, is dropped and counted:
 * logging never throws. The handler of {@code java.util.logging} would name the current file {@code
 * FILE.0}, cannot set permissions, and writes nothing after a failed rotation.
 */
final class LogFile extends Handler {
    private static final String FLAG = "--log-file";
    private static final String PERMISSIONS = "rw-r-----";
    private static final List<Path> DEVICES = List.of(Path.of("/dev"), Path.of("/proc"));
    private static final Duration RETRY = Duration.ofMinutes(1);

    /**
     * When the file is rotated.
     *
     * @param maxBytes largest size of the file; 0 for no rotation
     * @param count number of rotated files that are kept, at least 1
     */
    record Rotation(long maxBytes, int count) {}

    private final Path file;
    private final Rotation rotation;
    private final PrintStream problems;

    /** Not a channel: an interrupt of the thread that logs would close it. */
    private FileOutputStream out;

    private Optional<Object> key;
    private long dropped;

    /** Time of the last failed rotation, in nanoseconds; empty if the last one succeeded. */
    private OptionalLong failedRotation = OptionalLong.empty();

    /**
     * Opens or creates a file, readable by its owner and group.
     *
     * @param problems receives one line when lines can no longer be written
     * @throws VarveException of kind UNAVAILABLE if the file cannot be written
     */
    LogFile(Path file, Rotation rotation, Formatter format, PrintStream problems) {
        this.file = file;
        this.rotation = rotation;
        this.problems = problems;
        setFormatter(format);
        setLevel(Level.ALL);
        completeInterruptedRotation();
        try {
            open();
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    FLAG + ": " + file + " cannot be written: " + reason(e),
                    e);
        }
    }

    private String reason(IOException failure) {
        if (Files.isDirectory(file)) {
            return "it is a folder";
        }
        return failure instanceof NoSuchFileException
                ? "its folder does not exist"
                : FileErrors.reason(failure);
    }

    private void open() throws IOException {
        try {
            Files.createFile(file, attributes());
        } catch (FileAlreadyExistsException e) {
            if (!Files.isWritable(file)) {
                throw new java.nio.file.AccessDeniedException(file.toString());
            }
        }
        out = new FileOutputStream(file.toFile(), true);
        key = Optional.ofNullable(attributesOf(file).fileKey());
    }

    private static FileAttribute<?>[] attributes() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString(PERMISSIONS))
                }
                : new FileAttribute<?>[0];
    }

    private static BasicFileAttributes attributesOf(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class);
    }

    @Override
    public synchronized void publish(LogRecord line) {
        if (!isLoggable(line)) {
            return;
        }
        try {
            byte[] text = bytes(line);
            prepare(text.length);
            if (dropped > 0) {
                // The last write may have ended inside a line.
                out.write('\n');
                out.write(bytes(new LogRecord(Level.WARNING, dropped + " log lines were dropped")));
                dropped = 0;
            }
            out.write(text);
        } catch (IOException e) {
            drop(" cannot be written: " + reason(e) + "; log lines are dropped until it can");
        } catch (RuntimeException e) {
            // Such as a parameter that cannot be formatted; what logs it goes on.
            drop(": a log line is dropped: " + e);
        }
    }

    private void drop(String why) {
        if (dropped++ == 0) {
            problems.println("varve: " + FLAG + ": " + file + ControlCharacters.remove(why));
        }
    }

    private byte[] bytes(LogRecord line) {
        return getFormatter().format(line).getBytes(StandardCharsets.UTF_8);
    }

    /** Begins a new file if the current one was moved, or is too long for more bytes. */
    private void prepare(int bytes) throws IOException {
        BasicFileAttributes found;
        try {
            found = attributesOf(file);
        } catch (NoSuchFileException e) {
            reopen();
            return;
        }
        if (!Objects.equals(found.fileKey(), key.orElse(null))) {
            reopen();
        } else if (found.isRegularFile()
                && rotation.maxBytes() > 0
                && mayRotate()
                && found.size() > 0
                && found.size() + bytes > rotation.maxBytes()) {
            rotate();
        }
    }

    private void reopen() throws IOException {
        FileOutputStream before = out;
        open();
        before.close();
    }

    /** Devices are not renamed, and a failed rotation is not repeated at once. */
    private boolean mayRotate() {
        return DEVICES.stream().noneMatch(file.toAbsolutePath()::startsWith)
                && (failedRotation.isEmpty()
                        || System.nanoTime() - failedRotation.getAsLong() > RETRY.toNanos());
    }

    private void rotate() {
        try {
            // An earlier rotation may have failed in the middle.
            numberRotating();
            // First: if the file cannot be moved, the others stay as they are.
            move(file, rotating());
            try {
                numberRotating();
            } finally {
                reopen();
            }
            failedRotation = OptionalLong.empty();
        } catch (IOException e) {
            reportFailedRotation(e);
        }
    }

    private void completeInterruptedRotation() {
        try {
            numberRotating();
        } catch (IOException e) {
            reportFailedRotation(e);
        }
    }

    /** The current file goes on to grow, which is better than to lose lines. */
    private void reportFailedRotation(IOException failure) {
        if (failedRotation.isEmpty()) {
            problems.println(
                    "varve: " + FLAG + ": " + file + " cannot be rotated: " + reason(failure));
        }
        failedRotation = OptionalLong.of(System.nanoTime());
    }

    /**
     * Gives a moved file number 1. Moves the files before it only up to the first missing number:
     * an interrupted rotation has moved those behind it.
     */
    private void numberRotating() throws IOException {
        if (!Files.exists(rotating())) {
            return;
        }
        int free = 1;
        while (free < rotation.count() && Files.exists(numbered(free))) {
            free++;
        }
        for (int number = free - 1; number >= 1; number--) {
            move(numbered(number), numbered(number + 1));
        }
        move(rotating(), numbered(1));
    }

    private Path rotating() {
        return file.resolveSibling(file.getFileName() + ".rotating");
    }

    private static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    private Path numbered(int number) {
        return file.resolveSibling(file.getFileName() + "." + number);
    }

    /** Does nothing: each line is written at once. */
    @Override
    public void flush() {}

    @Override
    public synchronized void close() {
        try {
            out.close();
        } catch (IOException e) {
            problems.println("varve: " + FLAG + ": " + file + ": " + reason(e));
        }
    }
}

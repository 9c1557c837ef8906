package dev.varve.plugin.chronicle.map;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * A small file, named {@code open} while a store has a writer, and {@code closed} after its last
 * writer closed it. It then holds a checksum of the map's index, so that a change on disk since
 * then is detected when the store is opened.
 */
final class UseMark {
    private final Path open;
    private final Path closed;

    UseMark(Path folder) {
        open = folder.resolve("open");
        closed = folder.resolve("closed");
    }

    /** Returns whether there is a writer, or the last one did not close the store. */
    boolean isOpen() {
        return Files.exists(open, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Records a writer, and allocates the space for {@link #setClosed}, because the disk may become
     * full.
     */
    void setOpen() throws IOException {
        if (isFile(closed)) {
            Files.move(closed, open, StandardCopyOption.ATOMIC_MOVE);
        }
        if (!isOpen()) {
            StoreFiles.createFile(open);
        }
        if (!isFile(open)) {
            throw new IOException(open + ": expected a file, found something else");
        }
        if (Files.size(open) < text(0).length()) {
            write(text(0));
        }
    }

    /** Records that the store needs no repair, with its index. */
    void setClosed(Index index) throws IOException {
        write(text(index.checksum()));
        Files.move(open, closed, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Fails if the store was not closed, or its index has changed since. */
    void requireClosed(Index index) throws IOException {
        if (!isFile(closed)) {
            throw new IOException(
                    closed + ": missing, so the last writer may not have closed the store");
        }
        String expected = text(index.checksum());
        String found = Files.size(closed) > expected.length() ? "" : Files.readString(closed);
        if (!found.equals(expected)) {
            throw new IOException(
                    String.format(
                            Locale.ROOT,
                            "%s: expected \"%s\", found \"%s\"",
                            closed,
                            expected.strip(),
                            found.strip()));
        }
    }

    void delete() throws IOException {
        Files.deleteIfExists(open);
        Files.deleteIfExists(closed);
    }

    private static boolean isFile(Path path) {
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static String text(long checksum) {
        return String.format(
                Locale.ROOT,
                "varve chronicle store 1 closed: index with checksum %08x\n",
                checksum);
    }

    /** Overwrites the content, which needs no more space. */
    private void write(String text) throws IOException {
        // no channel: those are closed when their thread is interrupted
        try (RandomAccessFile file = new RandomAccessFile(open.toFile(), "rw")) {
            file.write(text.getBytes(StandardCharsets.US_ASCII));
            file.setLength(text.length());
        }
    }
}

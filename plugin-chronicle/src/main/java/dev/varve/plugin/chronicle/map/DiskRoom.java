package dev.varve.plugin.chronicle.map;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Allocates disk space for parts of a sparse file before they are written through memory: there a
 * full disk ends the process, here it causes an exception. For one thread at a time.
 */
final class DiskRoom implements AutoCloseable {
    private static final int STEP_BYTES = 1 << 20;

    private final Path path;
    private final MapLayout layout;
    private final RandomAccessFile file;
    private byte[] part = new byte[0];
    private long taken;

    DiskRoom(Path path, MapLayout layout) throws IOException {
        this.path = path;
        this.layout = layout;
        // no channel: those are closed when their thread is interrupted
        file = new RandomAccessFile(path.toFile(), "rw");
    }

    /**
     * Records that a number of entries, and all data before them, already have their space. It must
     * not be written back once there are readers, because they change the lock.
     */
    void assume(long entries) {
        taken = layout.before(entries);
    }

    /**
     * Allocates space for a number of entries and for all data before them. The content of the file
     * does not change: it is read and written back, since zeros cannot be distinguished from a
     * hole.
     *
     * @throws IOException if the disk is full
     */
    void take(long entries) throws IOException {
        long stop = layout.behind(entries);
        while (taken < stop) {
            int bytes = (int) Math.min(stop - taken, STEP_BYTES);
            if (part.length < bytes) {
                part = new byte[bytes];
            }
            try {
                file.seek(taken);
                file.readFully(part, 0, bytes);
                file.seek(taken);
                file.write(part, 0, bytes);
            } catch (IOException e) {
                throw new IOException(
                        String.format(
                                Locale.ROOT,
                                "%s: no disk space for %d more bytes (%d are free): %s",
                                path,
                                bytes,
                                path.toFile().getUsableSpace(),
                                e.getMessage()),
                        e);
            }
            taken += bytes;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}

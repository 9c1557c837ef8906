package dev.varve.platform.hub;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Locks of files, between processes. The operating system releases them when a process ends. A lock
 * file is never deleted: another process may wait for it.
 */
final class FileLocks implements AutoCloseable {
    private interface Take {
        void of(FileChannel channel) throws IOException;
    }

    private final List<FileChannel> channels = new ArrayList<>();

    private FileLocks() {}

    /**
     * Waits for a lock and takes it.
     *
     * @param waiting called once if another process has the lock
     * @throws VarveException of kind UNAVAILABLE if this process has the lock already; of kind
     *     UNREADABLE_FILE if the file cannot be locked
     */
    static FileLocks lock(Path file, Runnable waiting) throws InterruptedException {
        FileLocks locks = new FileLocks();
        try {
            locks.take(
                    file,
                    channel -> {
                        if (channel.tryLock() == null) {
                            waiting.run();
                            channel.lock();
                        }
                    });
            return locks;
        } catch (VarveException e) {
            locks.close();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw e;
        }
    }

    /**
     * Takes the locks of downloads without waiting.
     *
     * @param model for the message
     * @throws VarveException of kind UNAVAILABLE if another process has one of them; then none is
     *     taken
     */
    static FileLocks tryLock(List<Path> files, String model) {
        FileLocks locks = new FileLocks();
        try {
            for (Path file : files) {
                locks.take(
                        file,
                        channel -> {
                            if (channel.tryLock() == null) {
                                throw beingDownloaded(model, "another");
                            }
                        });
            }
            return locks;
        } catch (VarveException e) {
            locks.close();
            throw e;
        }
    }

    private void take(Path file, Take take) {
        try {
            Files.createDirectories(file.getParent());
            FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            channels.add(channel);
            take.of(channel);
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    file + ": cannot be locked: " + FileErrors.reason(e),
                    e);
        } catch (OverlappingFileLockException e) {
            throw beingDownloaded(file.toString(), "this");
        }
    }

    private static VarveException beingDownloaded(String model, String process) {
        return new VarveException(
                VarveException.Kind.UNAVAILABLE,
                model + " is being downloaded by " + process + " process");
    }

    /** Releases the locks. */
    @Override
    public void close() {
        for (FileChannel channel : channels) {
            try {
                channel.close();
            } catch (IOException e) {
                // The operating system releases the lock at the end of the process.
            }
        }
    }
}

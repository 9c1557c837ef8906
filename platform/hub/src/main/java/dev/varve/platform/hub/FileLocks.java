package dev.varve.platform.hub;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Locks of files, between processes. The operating system releases them when a process ends. */
final class FileLocks {
    private FileLocks() {}

    /**
     * Waits for a lock and takes it; closing the channel releases it. The lock file stays.
     *
     * @param waiting called once if another process has the lock
     */
    static FileChannel lock(Path file, Runnable waiting) throws InterruptedException {
        try {
            Files.createDirectories(file.getParent());
            FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                if (channel.tryLock() == null) {
                    waiting.run();
                    channel.lock();
                }
                return channel;
            } catch (IOException | OverlappingFileLockException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    file + ": cannot be locked: " + FileErrors.reason(e),
                    e);
        }
    }
}

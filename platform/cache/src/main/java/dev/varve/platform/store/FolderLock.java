package dev.varve.platform.store;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.Setting;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Locks a folder against other writers. The operating system releases the lock when the process
 * ends.
 */
final class FolderLock implements AutoCloseable {
    private static final String NAME = "lock";
    private static final int MOST_TEXT = 32;

    private final FileChannel channel;

    private FolderLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Acquires the lock.
     *
     * @throws VarveException if another process holds it; the message names that process
     * @throws IOException if the folder cannot be used
     */
    static FolderLock acquire(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        PrivateFiles.create(file);
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw locked(folder, file);
            }
            String owner = ProcessHandle.current().pid() + "\n";
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(owner.getBytes(StandardCharsets.US_ASCII)), 0);
            return new FolderLock(channel);
        } catch (OverlappingFileLockException e) {
            channel.close();
            throw locked(folder, file);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static VarveException locked(Path folder, Path file) {
        String owner = "another process";
        try {
            byte[] text = Files.readAllBytes(file);
            if (text.length > 0 && text.length <= MOST_TEXT) {
                owner = "process " + new String(text, StandardCharsets.US_ASCII).strip();
            }
        } catch (IOException e) {
            // The owner is unknown, but the folder is locked.
        }
        return new VarveException(
                VarveException.Kind.UNAVAILABLE,
                Setting.STORE_FOLDER
                        + ": "
                        + folder
                        + " is being written by "
                        + owner
                        + "; a second server may read from it with "
                        + Setting.STORE_MODE
                        + " read");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

package dev.varve.plugin.chronicle.map;

import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;

/** The files of a store, and its write lock, which ends with {@link #close} or with the process. */
final class StoreFiles implements AutoCloseable {
    /**
     * File locks of the system belong to a process, not to a channel: closing a second channel of
     * the same file releases the lock of the first. Therefore no second one is opened while a store
     * is in this set.
     */
    private static final Set<Path> WRITTEN = new HashSet<>();

    private static final int READER_TRIES = 5;

    private final Path folder;
    private final StoreSize size;
    private final UseMark mark;
    private FileChannel lock;
    private Path written;

    private StoreFiles(Path folder, StoreSize size) {
        this.folder = folder;
        this.size = size;
        mark = new UseMark(folder);
    }

    /**
     * Checks an existing store, or creates the folder, and acquires the write lock unless it is
     * opened for reading.
     *
     * @throws IOException if it is no store, of another size, or not in the state that the access
     *     needs
     */
    static StoreFiles open(Path path, StoreSize size, StoreAccess access) throws IOException {
        StoreFiles folder = new StoreFiles(path, size);
        if (access == StoreAccess.CREATE) {
            folder.make();
        } else if (access == StoreAccess.READ) {
            folder.requireReadable();
        } else {
            folder.requireStore(access);
        }
        if (access != StoreAccess.READ) {
            folder.takeLock();
            try {
                if (access == StoreAccess.WRITE && folder.mark.isOpen()) {
                    throw new IOException(
                            path + ": the last writer did not close the store; it needs a repair");
                }
                if (access != StoreAccess.CREATE) {
                    int textBytes = folder.requireStore(access); // its writer may have ended now
                    folder.requireSound(textBytes, access);
                    folder.mark.setOpen();
                }
            } catch (IOException | RuntimeException e) {
                folder.close();
                throw e;
            }
        }
        return folder;
    }

    private void make() throws IOException {
        try {
            Files.createDirectory(
                    folder,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            throw new IOException(
                    folder + ": expected a path that does not exist, found a file or folder", e);
        }
        createFile(values());
        mark.setOpen();
    }

    /** Creates a file that no other user may read. */
    static void createFile(Path file) throws IOException {
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    /** Returns the number of bytes at the map's beginning that are known to be valid. */
    private int requireStore(StoreAccess access) throws IOException {
        if (!Files.isRegularFile(header(), LinkOption.NOFOLLOW_LINKS)
                || !Files.isRegularFile(values(), LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(folder + ": expected a store of kind chronicle, found none");
        }
        return StoreHeader.require(header(), size, values(), access);
    }

    /**
     * Fails if the map's index is damaged. If the last writer did not close it, or has it open,
     * damage is tolerated as long as no position in it leads out of the map.
     *
     * @param textBytes number of bytes at its beginning that are known to be valid
     */
    private void requireSound(int textBytes, StoreAccess access) throws IOException {
        boolean open = mark.isOpen();
        Index index = Index.read(values(), textBytes);
        index.requireInRange();
        if (access == StoreAccess.RECOVER) {
            return; // the lock is repaired
        }
        index.requireLock(open);
        if (!open) {
            mark.requireClosed(index);
        }
    }

    /** Checks more than once, since other processes may open and close it for writing meanwhile. */
    private void requireReadable() throws IOException {
        for (int tries = READER_TRIES; ; tries--) {
            try {
                requireSound(requireStore(StoreAccess.READ), StoreAccess.READ);
                return;
            } catch (IOException e) {
                if (tries == 1) {
                    throw e;
                }
            }
        }
    }

    /**
     * Marks the folder as a store, after all other files exist.
     *
     * @param fixedBytes bytes of the map's beginning that never change
     */
    void complete(int fixedBytes) throws IOException {
        Path fresh = folder.resolve("store.new");
        createFile(fresh);
        Files.writeString(fresh, StoreHeader.text(size, values(), fixedBytes));
        Files.move(fresh, header(), StandardCopyOption.ATOMIC_MOVE);
    }

    private void takeLock() throws IOException {
        Path real = folder.toRealPath();
        synchronized (WRITTEN) {
            if (!WRITTEN.add(real)) {
                throw new IOException(
                        folder + ": this process already has the store open for writing");
            }
        }
        written = real;
        try {
            Path file = folder.resolve("lock");
            if (!Files.exists(file)) {
                createFile(file);
            }
            lock = FileChannel.open(file, StandardOpenOption.WRITE);
            if (lock.tryLock() == null) {
                throw new IOException(folder + ": another process has the store open for writing");
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private Path header() {
        return folder.resolve("store");
    }

    /** The map's file. */
    Path values() {
        return folder.resolve("values");
    }

    /** Records that no repair is needed, with the index. */
    void settle() throws IOException {
        int textBytes = requireStore(StoreAccess.WRITE);
        mark.setClosed(Index.read(values(), textBytes));
    }

    /** Deletes the files that {@link StoreAccess#CREATE} created. */
    void discard() throws IOException {
        for (String name :
                new String[] {
                    "store.new", "store", "values", "lock", "open", "closed.new", "closed"
                }) {
            Files.deleteIfExists(folder.resolve(name));
        }
        mark.delete();
        Files.deleteIfExists(folder);
    }

    /** Releases the write lock. */
    @Override
    public void close() throws IOException {
        try {
            if (lock != null) {
                lock.close();
            }
        } finally {
            if (written != null) {
                synchronized (WRITTEN) {
                    WRITTEN.remove(written);
                }
            }
        }
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}

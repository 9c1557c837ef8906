package dev.varve.plugin.chronicle.map;

import dev.varve.api.FileErrors;
import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;

import net.openhft.chronicle.hash.impl.BigSegmentHeader;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import net.openhft.chronicle.map.VanillaChronicleMap;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Opens stores. The plugin's front creates it in the class loader of the libraries. */
public final class ChronicleStores implements SnapshotStoreProvider {
    /**
     * Disk space for data beside the values, and for concurrent writes of other programs: a map is
     * created through memory, where a full disk ends the process.
     */
    private static final long MARGIN_BYTES = 16 << 20;

    /**
     * Timeout of a lock whose owner was killed: no other owner holds one for longer than a copy
     * takes.
     */
    private static final int LOCK_SECONDS = 1;

    /** Called by the plugin's front. */
    public ChronicleStores() {
        BigSegmentHeader.LOCK_TIMEOUT_SECONDS = LOCK_SECONDS;
    }

    @Override
    public String name() {
        return "chronicle";
    }

    @Override
    public SnapshotStore open(Path path, StoreSize size, StoreAccess access) throws IOException {
        StoreFiles folder = StoreFiles.open(path, size, access);
        try {
            return open(folder, size, access);
        } catch (IOException | RuntimeException | LinkageError | AssertionError e) {
            try (folder) {
                if (access == StoreAccess.CREATE) {
                    folder.discard();
                }
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw new IOException(
                    path + " cannot be opened as a store: " + FileErrors.reason(e), e);
        }
    }

    private static SnapshotStore open(StoreFiles folder, StoreSize size, StoreAccess access)
            throws IOException {
        if (access == StoreAccess.CREATE) {
            requireDiskSpace(folder, size);
        }
        if (access == StoreAccess.RECOVER) {
            StoreHeader.clearRepair(folder.values());
        }
        VanillaChronicleMap<byte[], byte[], ?> map = map(folder.values().toFile(), size, access);
        try {
            MapLayout layout = MapLayout.of(map);
            if (access == StoreAccess.READ) {
                return new MapStore(folder, size, map, Optional.empty());
            }
            DiskRoom room = new DiskRoom(folder.values(), layout);
            if (access == StoreAccess.CREATE) {
                room.take(0);
                folder.complete((int) map.headerSize);
            } else {
                room.assume(map.longSize());
            }
            return new MapStore(folder, size, map, Optional.of(room));
        } catch (IOException | RuntimeException e) {
            map.close();
            throw e;
        }
    }

    /**
     * Builds the map of a store. Its file is sparse, since the library that would allocate all of
     * it is left out; the builder's own setting for sparse files would double the size of an entry.
     */
    private static VanillaChronicleMap<byte[], byte[], ?> map(
            File file, StoreSize size, StoreAccess access) throws IOException {
        ChronicleMapBuilder<byte[], byte[]> builder =
                ChronicleMapBuilder.of(byte[].class, byte[].class)
                        .entries(size.values())
                        .actualSegments(1)
                        .constantKeySizeBySample(new byte[size.keyBytes()])
                        .constantValueSizeBySample(new byte[size.valueBytes()])
                        .maxBloatFactor(1)
                        .checksumEntries(false) // callers validate values
                        .skipCloseOnExitHook(true);
        ChronicleMap<byte[], byte[]> map =
                access == StoreAccess.RECOVER
                        ? builder.recoverPersistedTo(file, true, corruption -> {})
                        : builder.createPersistedTo(file);
        return (VanillaChronicleMap<byte[], byte[], ?>) map;
    }

    private static void requireDiskSpace(StoreFiles folder, StoreSize size) throws IOException {
        long free = Files.getFileStore(folder.values()).getUsableSpace();
        long needed =
                MARGIN_BYTES + size.bytes() / 10 * 11 + size.values() * (size.keyBytes() + 64L);
        if (free < needed) {
            throw new IOException("expected " + needed + " free bytes on the disk, found " + free);
        }
    }
}

package dev.varve.platform.store;

import dev.varve.platform.setting.ByteCount;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Limits the bytes on disk: to the budget, and to the free space minus a reserve. For one thread at
 * a time.
 */
final class DiskBudget {
    private static final int SEGMENTS = 16;
    private static final long MIN_SEGMENT_BYTES = 4L << 20;
    private static final long MAX_SEGMENT_BYTES = 1L << 30;

    /** Minimum free bytes of the disk for a new store. */
    private static final long LEAST_FREE = 32L << 20;

    /** Bytes written between two checks of the free space. */
    private static final long CHECK_INTERVAL_BYTES = 8L << 20;

    /** A segment holds at least this many objects of the size of the one to write. */
    private static final int LEAST_OBJECTS = 2;

    private final ArchiveSettings settings;
    private final StoreFolder folder;
    private final int valueBytes;

    /** Bytes written since the last check of the free space. */
    private long uncheckedBytes = CHECK_INTERVAL_BYTES;

    private boolean diskIsShort;

    /** Bytes of other namespaces; negative if they must be counted again. */
    private long others = -1;

    DiskBudget(ArchiveSettings settings, StoreFolder folder, int valueBytes) {
        this.settings = settings;
        this.folder = folder;
        this.valueBytes = valueBytes;
    }

    /** Bytes on disk of some chunks. */
    long bytes(long chunks) {
        return chunks * (valueBytes + ChunkCodec.KEY_BYTES);
    }

    /**
     * Number of values of a new segment, in which an object of some chunks must fit. A store may
     * allocate all of them at once, and some more.
     */
    long values(int chunks) throws IOException {
        long budget = settings.limits().budget();
        long free = usable() - reserve();
        long usual = Math.min(budget / SEGMENTS, free / 4);
        usual = Math.clamp(usual, MIN_SEGMENT_BYTES, MAX_SEGMENT_BYTES);
        long values = Math.max(usual / bytes(1), (long) LEAST_OBJECTS * chunks);
        return Math.min(values, Math.max(chunks, budget / 2 / bytes(1)));
    }

    /** Whether some bytes in addition to the used ones would exceed a limit. */
    boolean isShort(long used, long more) throws IOException {
        return used + others() + more > settings.limits().budget() || isDiskShort(more);
    }

    private boolean isDiskShort(long more) throws IOException {
        uncheckedBytes += more;
        if (uncheckedBytes >= CHECK_INTERVAL_BYTES || diskIsShort) {
            uncheckedBytes = 0;
            diskIsShort = usable() - more < reserve();
        }
        return diskIsShort;
    }

    /** Forces new checks, after a deletion or some time. */
    void invalidate() {
        uncheckedBytes = CHECK_INTERVAL_BYTES;
        others = -1;
    }

    private long reserve() {
        return Math.max(LEAST_FREE, settings.limits().reserve());
    }

    private long usable() throws IOException {
        return Files.getFileStore(settings.folder()).getUsableSpace();
    }

    /** Description of the exceeded limit, for display. */
    String why(long used, long more) throws IOException {
        return String.format(
                Locale.ROOT,
                "%s of %s are used, %s of the disk are free, of which %s are in reserve, and %s are"
                        + " needed",
                ByteCount.format(used + others()),
                ByteCount.format(settings.limits().budget()),
                ByteCount.format(usable()),
                ByteCount.format(reserve()),
                ByteCount.format(more));
    }

    private List<StoreFolder.NamespaceFolder> otherNamespaces() throws IOException {
        return folder.namespaces().stream()
                .filter(
                        found ->
                                !found.folder()
                                        .getFileName()
                                        .toString()
                                        .equals(settings.namespace().folder()))
                .toList();
    }

    /** Bytes of other namespaces, according to their journals. */
    private long others() throws IOException {
        if (others < 0) {
            long bytes = 0;
            for (StoreFolder.NamespaceFolder found : otherNamespaces()) {
                bytes += NamespaceContents.of(found).bytes();
            }
            others = bytes;
        }
        return others;
    }

    /** Deletes the least recently used other namespace; returns whether there was one. */
    boolean dropOthers(StoreFolder.NamespaceFolder own) throws IOException {
        Optional<NamespaceContents> oldest =
                otherNamespaces().stream()
                        .map(NamespaceContents::of)
                        .min(Comparator.comparingLong(NamespaceContents::lastUse));
        if (oldest.isEmpty() || own.folder().equals(oldest.get().where().folder())) {
            return false;
        }
        PrivateFiles.delete(oldest.get().where().folder());
        invalidate();
        return true;
    }

    /** Finds a segment that may be deleted because it has no objects. */
    Optional<StoreSegment> empty(StoreSegments all, ObjectIndex index) {
        Map<Integer, Long> chunks = index.chunks();
        return all.numbers().stream()
                .filter(number -> !chunks.containsKey(number) && !all.isCurrent(number))
                .findFirst()
                .flatMap(all::find);
    }
}

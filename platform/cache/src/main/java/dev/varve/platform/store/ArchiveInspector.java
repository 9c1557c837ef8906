package dev.varve.platform.store;

import dev.varve.api.VarveException;
import dev.varve.api.snapshot.SnapshotStoreProvider;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/** Lists, verifies and prunes a folder of cached prefixes without a model. */
public final class ArchiveInspector {
    private final Path folder;
    private final InstantSource clock;

    /**
     * Content of one namespace.
     *
     * @param folder its folder
     * @param description description of its model
     * @param readable whether this program can read its format
     * @param objects parents first
     * @param bytes approximate size of its stores
     */
    public record NamespaceSummary(
            Path folder,
            Map<String, String> description,
            boolean readable,
            List<StoredObjectInfo> objects,
            long bytes) {
        /** Number of positions that can be restored. */
        public long checkpoints() {
            return count(ObjectKind.CHECKPOINT);
        }

        /** Number of blocks of tokens. */
        public long blocks() {
            return count(ObjectKind.BLOCK);
        }

        /** Number of blocks and checkpoints with hidden states for a draft model. */
        public long features() {
            return count(ObjectKind.FEATURES);
        }

        private long count(ObjectKind kind) {
            return objects.stream().filter(object -> object.name().kind() == kind).count();
        }

        /** Number of uses of its objects. */
        public long uses() {
            return objects.stream().mapToLong(StoredObjectInfo::uses).sum();
        }

        /** Time of the last use or write of an object, in milliseconds since 1970. */
        public long lastUse() {
            return objects.stream().mapToLong(StoredObjectInfo::lastUse).max().orElse(0);
        }
    }

    /**
     * Result of a verification.
     *
     * @param valid objects with valid content; an object in a store that cannot be opened counts as
     *     neither
     * @param broken problems, a line each
     */
    public record Verdict(long valid, List<String> broken) {}

    /** Creates an inspector of a folder. */
    public ArchiveInspector(Path folder, InstantSource clock) {
        this.folder = folder;
        this.clock = clock;
    }

    /** Lists the content, one entry per namespace; a server may be writing. */
    public List<NamespaceSummary> namespaces() throws IOException {
        return contents().stream()
                .map(
                        content ->
                                new NamespaceSummary(
                                        content.where().folder(),
                                        content.where().namespace().description(),
                                        content.where().isReadable(),
                                        content.objects(),
                                        content.bytes()))
                .toList();
    }

    private List<NamespaceContents> contents() throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    folder + ": expected a folder of the prefix cache, found none");
        }
        return new StoreFolder(folder).namespaces().stream().map(NamespaceContents::of).toList();
    }

    /**
     * Reads and verifies all objects; a server may be writing.
     *
     * @param progress receives the number of processed objects and their total
     */
    public Verdict verify(
            SnapshotStoreProvider provider,
            Optional<ChunkCipher> cipher,
            BiConsumer<Long, Long> progress)
            throws IOException {
        List<NamespaceContents> contents = contents();
        long all = contents.stream().mapToLong(content -> content.objects().size()).sum();
        long done = 0;
        long sound = 0;
        List<String> broken = new ArrayList<>();
        for (NamespaceContents content : contents) {
            if (!content.where().isReadable()) {
                broken.add(content.where().folder() + " has an unsupported format");
                continue;
            }
            try (DiskArchive archive = open(content, provider, cipher)) {
                for (StoredObjectInfo object : content.objects()) {
                    try {
                        archive.read(object.name().key(), new DiscardingTarget());
                        sound++;
                    } catch (ArchiveMissException e) {
                        // An object that was evicted meanwhile is not broken.
                        if (e.reason() != ArchiveMissException.Reason.ABSENT) {
                            broken.add(content.where().folder() + ": " + e.getMessage());
                        }
                    }
                    progress.accept(++done, all);
                }
            }
        }
        return new Verdict(sound, broken);
    }

    private DiskArchive open(
            NamespaceContents content, SnapshotStoreProvider provider, Optional<ChunkCipher> cipher)
            throws IOException {
        return DiskArchive.open(
                new ArchiveSettings(
                        folder,
                        content.where().namespace(),
                        1,
                        true,
                        new ArchiveSettings.Limits(Long.MAX_VALUE, 0, Optional.empty()),
                        cipher,
                        clock),
                provider);
    }

    /** A target that accepts every object. */
    private static final class DiscardingTarget implements ObjectTarget {
        @Override
        public boolean accept(ByteBuffer header, long bytes) {
            return true;
        }

        @Override
        public void write(long offset, ByteBuffer bytes) {
            // The archive has verified its checksum already.
        }
    }

    /**
     * Deletes expired namespaces, and then the least useful content over a budget; no server may be
     * writing.
     *
     * @param budget bytes that may stay
     * @param ttl time without use after which a namespace is deleted
     * @return freed bytes, approximately
     * @throws VarveException if a server is writing
     */
    public long prune(long budget, Optional<Duration> ttl) throws IOException {
        return alone(() -> pruneAlone(budget, ttl));
    }

    private long pruneAlone(long budget, Optional<Duration> ttl) throws IOException {
        long freed = 0;
        long oldest = ttl.map(time -> clock.millis() - time.toMillis()).orElse(Long.MIN_VALUE);
        for (NamespaceContents content : contents()) {
            if (content.lastUse() < oldest) {
                PrivateFiles.delete(content.where().folder());
                freed += content.bytes();
            }
        }
        List<NamespaceContents> left =
                contents().stream()
                        .sorted(Comparator.comparingLong(NamespaceContents::lastUse))
                        .toList();
        long used = left.stream().mapToLong(NamespaceContents::bytes).sum();
        for (NamespaceContents content : left) {
            if (used > budget) {
                long less = content.shrink(used - budget, clock.millis());
                used -= less;
                freed += less;
            }
        }
        return freed;
    }

    /**
     * Deletes everything; no server may be writing.
     *
     * @return freed bytes, approximately
     * @throws VarveException if a server is writing
     */
    public long clear() throws IOException {
        return alone(
                () -> {
                    long freed = 0;
                    for (NamespaceContents content : contents()) {
                        PrivateFiles.delete(content.where().folder());
                        freed += content.bytes();
                    }
                    return freed;
                });
    }

    private interface ArchiveTask {
        long run() throws IOException;
    }

    /** Runs a task while no other process can write. */
    private long alone(ArchiveTask work) throws IOException {
        contents();
        FolderLock lock = FolderLock.acquire(folder);
        try {
            return work.run();
        } finally {
            lock.close();
        }
    }
}

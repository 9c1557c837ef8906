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

/** Looks after a folder of computed prompts without a model. */
public final class ArchiveInspector {
    private final Path folder;
    private final InstantSource clock;

    /**
     * What is kept of one model.
     *
     * @param folder where it lies
     * @param description what was said of the model
     * @param readable whether this program knows its format
     * @param objects parents first
     * @param bytes of its stores, about
     */
    public record Kept(
            Path folder,
            Map<String, String> description,
            boolean readable,
            List<StoredObject> objects,
            long bytes) {
        /** Positions that can be restored. */
        public long checkpoints() {
            return count(ObjectKind.CHECKPOINT);
        }

        /** Blocks of tokens whose rows are kept. */
        public long blocks() {
            return count(ObjectKind.BLOCK);
        }

        /** Blocks and positions whose hidden states are kept for a draft. */
        public long features() {
            return count(ObjectKind.FEATURES);
        }

        private long count(ObjectKind kind) {
            return objects.stream().filter(object -> object.name().kind() == kind).count();
        }

        /** How often something of it was of use. */
        public long uses() {
            return objects.stream().mapToLong(StoredObject::uses).sum();
        }

        /** When something of it was last used or written, in milliseconds since 1970. */
        public long lastUse() {
            return objects.stream().mapToLong(StoredObject::lastUse).max().orElse(0);
        }
    }

    /**
     * What reading everything showed.
     *
     * @param sound objects that are as they were written; what lies in a store that cannot be
     *     opened counts as neither
     * @param broken what is wrong, a line each
     */
    public record Verdict(long sound, List<String> broken) {}

    /** An inspector of a folder. */
    public ArchiveInspector(Path folder, InstantSource clock) {
        this.folder = folder;
        this.clock = clock;
    }

    /** What is kept, model by model; a server may be writing. */
    public List<Kept> kept() throws IOException {
        return contents().stream()
                .map(
                        content ->
                                new Kept(
                                        content.where().folder(),
                                        content.where().namespace().description(),
                                        content.where().isReadable(),
                                        content.objects(),
                                        content.bytes()))
                .toList();
    }

    private List<NamespaceContent> contents() throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    folder + ": expected a folder of computed prompts, found none");
        }
        return new StoreFolder(folder).namespaces().stream().map(NamespaceContent::of).toList();
    }

    /**
     * Reads and checks everything; a server may be writing.
     *
     * @param progress hears of objects that were read, and how many there are
     */
    public Verdict verify(
            SnapshotStoreProvider provider,
            Optional<ChunkCipher> cipher,
            BiConsumer<Long, Long> progress)
            throws IOException {
        List<NamespaceContent> contents = contents();
        long all = contents.stream().mapToLong(content -> content.objects().size()).sum();
        long done = 0;
        long sound = 0;
        List<String> broken = new ArrayList<>();
        for (NamespaceContent content : contents) {
            if (!content.where().isReadable()) {
                broken.add(content.where().folder() + " has another format");
                continue;
            }
            try (SnapshotArchive archive = open(content, provider, cipher)) {
                for (StoredObject object : content.objects()) {
                    try {
                        archive.read(object.name().key(), new Anything());
                        sound++;
                    } catch (ArchiveMissException e) {
                        // What has given way meanwhile is not broken.
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

    private SnapshotArchive open(
            NamespaceContent content, SnapshotStoreProvider provider, Optional<ChunkCipher> cipher)
            throws IOException {
        return SnapshotArchive.open(
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

    /** Takes whatever comes. */
    private static final class Anything implements ObjectTarget {
        @Override
        public boolean accept(ByteBuffer header, long bytes) {
            return true;
        }

        @Override
        public void take(long offset, ByteBuffer bytes) {
            // It was compared with its checksum already.
        }
    }

    /**
     * Deletes what is not worth keeping; no server may be writing.
     *
     * @param budget bytes that may stay
     * @param ttl time without use after which a model's prompts go
     * @return bytes that were freed, about
     * @throws VarveException if a server is writing
     */
    public long prune(long budget, Optional<Duration> ttl) throws IOException {
        return alone(() -> pruneAlone(budget, ttl));
    }

    private long pruneAlone(long budget, Optional<Duration> ttl) throws IOException {
        long freed = 0;
        long oldest = ttl.map(time -> clock.millis() - time.toMillis()).orElse(Long.MIN_VALUE);
        for (NamespaceContent content : contents()) {
            if (content.lastUse() < oldest) {
                PrivateFiles.delete(content.where().folder());
                freed += content.bytes();
            }
        }
        List<NamespaceContent> left =
                contents().stream()
                        .sorted(Comparator.comparingLong(NamespaceContent::lastUse))
                        .toList();
        long used = left.stream().mapToLong(NamespaceContent::bytes).sum();
        for (NamespaceContent content : left) {
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
     * @return bytes that were freed, about
     * @throws VarveException if a server is writing
     */
    public long clear() throws IOException {
        return alone(
                () -> {
                    long freed = 0;
                    for (NamespaceContent content : contents()) {
                        PrivateFiles.delete(content.where().folder());
                        freed += content.bytes();
                    }
                    return freed;
                });
    }

    private interface BatchEntry {
        long run() throws IOException;
    }

    /** Does something while nobody can write. */
    private long alone(BatchEntry work) throws IOException {
        contents();
        FolderLock lock = FolderLock.take(folder);
        try {
            return work.run();
        } finally {
            lock.close();
        }
    }
}

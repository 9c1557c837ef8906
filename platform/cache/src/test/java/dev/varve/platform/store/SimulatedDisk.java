package dev.varve.platform.store;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;
import dev.varve.testkit.simulation.Simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A disk with the folder of an archive. What the archive keeps in files of its own lies in real
 * ones, and is never slow; stores lie in memory, and are slow, full, damaged or fail as the faults
 * say.
 */
public final class SimulatedDisk implements SnapshotStoreProvider, AutoCloseable {
    private static final int BLOCK_BYTES = 1 << 12;
    private static final long LONGEST_CALL = 3_000_000;

    private final Simulation simulation = Simulation.current();
    private final SplittableRandom random = simulation.choices().split();
    private final Faults faults;
    private final long budget;
    private final Path folder;
    private final Map<String, Map<ByteBuffer, byte[]>> stores = new TreeMap<>();

    /**
     * The rates of faults: one in so many calls; 0 for never.
     *
     * @param puts a put fails
     * @param gets a get fails
     * @param opens a store cannot be opened
     * @param damages a value is written with a wrong byte
     * @param full a put finds no room
     */
    public record Faults(int puts, int gets, int opens, int damages, int full) {
        /** Nothing goes wrong. */
        public static final Faults NONE = new Faults(0, 0, 0, 0, 0);
    }

    /** An empty disk. */
    public SimulatedDisk(Faults faults, long budget) {
        this.faults = faults;
        this.budget = budget;
        folder = newFolder();
    }

    private static Path newFolder() {
        try {
            // Thousands of folders are made and deleted: in memory where the system has that.
            Path memory = Path.of("/dev/shm");
            return Files.isWritable(memory)
                    ? Files.createTempDirectory(memory, "simulated")
                    : Files.createTempDirectory("simulated");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The disk as the next process finds it if a kill ends this process now. */
    public SimulatedDisk afterKill() {
        SimulatedDisk copy = new SimulatedDisk(Faults.NONE, budget);
        stores.forEach((name, values) -> copy.stores.put(name, new HashMap<>(values)));
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(each -> !each.equals(folder)).toList()) {
                Path to = copy.folder.resolve(folder.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(to);
                } else {
                    Files.copy(file, to);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return copy;
    }

    /** Opens the archive on it. */
    public DiskArchive open(byte[] namespace) throws IOException {
        return DiskArchive.open(
                new ArchiveSettings(
                        folder,
                        new Namespace(namespace, Map.of()),
                        BLOCK_BYTES,
                        false,
                        new ArchiveSettings.Limits(budget, 0, Optional.empty()),
                        Optional.empty(),
                        InstantSource.system()),
                this);
    }

    @Override
    public String name() {
        return "simulated";
    }

    private boolean isDue(int oneIn) {
        return oneIn > 0 && random.nextInt(oneIn) == 0;
    }

    private void take(String what, int fails) throws IOException {
        simulation.sleep(random.nextLong(LONGEST_CALL));
        if (isDue(fails)) {
            simulation.event("the disk fails to " + what);
            throw new IOException("the disk fails to " + what);
        }
    }

    @Override
    public SnapshotStore open(Path path, StoreSize size, StoreAccess access) throws IOException {
        take("open", faults.opens());
        String name = folder.relativize(path).toString();
        if (access == StoreAccess.CREATE) {
            Files.createFile(path);
            stores.put(name, new HashMap<>());
        } else if (!stores.containsKey(name)) {
            throw new IOException(path + " is no store");
        }
        return new Store(stores.get(name), size, access != StoreAccess.READ);
    }

    /** Deletes the files. */
    @Override
    public void close() {
        try {
            PrivateFiles.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One store that is open. */
    private final class Store implements SnapshotStore {
        private final Map<ByteBuffer, byte[]> values;
        private final StoreSize size;
        private final boolean writes;
        private int underWay;
        private boolean closed;

        Store(Map<ByteBuffer, byte[]> values, StoreSize size, boolean writes) {
            this.values = values;
            this.size = size;
            this.writes = writes;
        }

        private void begin() {
            if (closed) {
                throw new IllegalStateException("the store is closed");
            }
            underWay++;
        }

        @Override
        public boolean put(ByteBuffer key, ByteBuffer value) throws IOException {
            begin();
            try {
                ByteBuffer own = ByteBuffer.allocate(key.remaining()).put(key.duplicate()).flip();
                byte[] bytes = new byte[value.remaining()];
                value.duplicate().get(bytes);
                if (!writes || bytes.length != size.valueBytes()) {
                    throw new IOException("a value of " + bytes.length + " bytes");
                }
                if (isDue(faults.full()) || values.size() >= size.values()) {
                    return values.containsKey(own) && values.replace(own, bytes) != null;
                }
                if (isDue(faults.damages())) {
                    bytes[random.nextInt(bytes.length)] ^= 4;
                }
                // A process that is killed during the write leaves a damaged value.
                byte[] part = bytes.clone();
                part[part.length / 2] ^= 1;
                values.put(own, part);
                take("write", faults.puts());
                values.put(own, bytes);
                return true;
            } finally {
                underWay--;
            }
        }

        @Override
        public boolean get(ByteBuffer key, ByteBuffer target) throws IOException {
            begin();
            try {
                take("read", faults.gets());
                byte[] found = values.get(key);
                if (found != null) {
                    target.put(found, 0, target.remaining());
                }
                return found != null;
            } finally {
                underWay--;
            }
        }

        @Override
        public boolean delete(ByteBuffer key) {
            return values.remove(key) != null;
        }

        @Override
        public void keys(Consumer<ByteBuffer> consumer) {
            values.keySet().forEach(consumer);
        }

        @Override
        public long size() {
            return values.size();
        }

        @Override
        public void close() {
            closed = true;
            while (underWay > 0) {
                simulation.sleep(LONGEST_CALL / 10);
            }
        }
    }
}

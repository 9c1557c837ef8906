package dev.varve.plugin.chronicle;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Damages copies of stores and uses them, in a process of its own, which must not end of it. */
final class DamagedStores {
    static final StoreSize SIZE = new StoreSize(32, 4096, 64);

    /** Length of the header and the start of the index, which most damage hits. */
    private static final int INDEX_BYTES = 5000;

    private static final int PAGE = 4096;

    private static final List<StoreAccess> ACCESSES =
            List.of(StoreAccess.READ, StoreAccess.WRITE, StoreAccess.RECOVER);

    private final Path path;
    private final Map<Path, byte[]> files = new HashMap<>();
    private final Map<String, Integer> outcomes = new TreeMap<>();

    private DamagedStores(Path whole, Path path) throws IOException {
        this.path = path;
        try (Stream<Path> list = Files.list(whole)) {
            for (Path file : list.toList()) {
                files.put(file.getFileName(), Files.readAllBytes(file));
            }
        }
    }

    /** Arguments: a folder, a seed, how many cases, and the stores that are damaged. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        int seed = Integer.parseInt(arguments[1]);
        int cases = Integer.parseInt(arguments[2]);
        for (int store = 3; store < arguments.length; store++) {
            DamagedStores stores =
                    new DamagedStores(Path.of(arguments[store]), folder.resolve("damaged"));
            for (int i = 0; i < cases; i++) {
                stores.test(new Random(seed + i), i);
            }
            System.out.println(arguments[store] + " " + stores.outcomes);
        }
        System.out.println("all survived");
    }

    private void test(Random random, int number) throws IOException {
        StoreAccess access = ACCESSES.get(number % ACCESSES.size());
        restore();
        String damage = damage(random);
        Files.writeString(path.resolveSibling("last"), number + " " + access + " " + damage);
        long start = System.nanoTime();
        String outcome;
        try (SnapshotStore store = new ChronicleProvider().open(path, SIZE, access)) {
            outcome = use(store, access, random);
        } catch (IOException e) {
            outcome = "refused";
        } catch (RuntimeException | Error e) {
            throw new AssertionError(number + " " + access + " " + damage, e);
        }
        if (System.nanoTime() - start > 10_000_000_000L) {
            throw new AssertionError(number + " " + access + " " + damage + " took too long");
        }
        outcomes.merge(access + " " + outcome, 1, Integer::sum);
    }

    private void restore() throws IOException {
        Files.createDirectories(path);
        try (Stream<Path> list = Files.list(path)) {
            for (Path file : list.toList()) {
                if (!files.containsKey(file.getFileName())) {
                    Files.delete(file);
                }
            }
        }
        for (Map.Entry<Path, byte[]> file : files.entrySet()) {
            Files.write(path.resolve(file.getKey()), file.getValue());
        }
    }

    private String damage(Random random) throws IOException {
        List<Path> names = files.keySet().stream().sorted().toList();
        Path name =
                random.nextInt(8) == 0
                        ? names.get(random.nextInt(names.size()))
                        : Path.of("values");
        int length = files.get(name).length;
        try (RandomAccessFile file = new RandomAccessFile(path.resolve(name).toFile(), "rw")) {
            int kind = random.nextInt(20);
            if (kind == 0 || length == 0) {
                int bytes = random.nextInt(length + PAGE);
                file.setLength(bytes);
                return name + " " + bytes + " bytes";
            }
            boolean index = random.nextInt(4) != 0;
            int position = random.nextInt(index ? Math.min(length, INDEX_BYTES) : length);
            byte[] damaged = files.get(name).clone();
            int stop = Math.min(length, position + 1 + random.nextInt(PAGE));
            switch (kind % 4) {
                case 0 -> Arrays.fill(damaged, position, stop, (byte) 0);
                case 1 -> {
                    position -= position % PAGE;
                    byte[] page = new byte[Math.min(PAGE, length - position)];
                    random.nextBytes(page);
                    System.arraycopy(page, 0, damaged, position, page.length);
                }
                default -> damaged[position] ^= (byte) (1 << random.nextInt(8));
            }
            file.write(damaged);
            return name + " " + position + " to " + stop + ", kind " + kind % 4;
        }
    }

    private static String use(SnapshotStore store, StoreAccess access, Random random) {
        try {
            List<ByteBuffer> keys = new ArrayList<>();
            store.keys(keys::add);
            store.size();
            ByteBuffer value = ByteBuffer.allocate(SIZE.valueBytes());
            for (ByteBuffer key : keys) {
                store.get(key, value.clear());
            }
            for (int i = 0; i < SIZE.values(); i++) {
                store.get(key(i), value.clear());
            }
            if (access == StoreAccess.READ) {
                return "used";
            }
            for (int i = 0; i < SIZE.values(); i++) {
                store.put(key(random.nextInt()), value.clear());
                store.put(key(i), value.clear());
                store.delete(key(random.nextInt((int) SIZE.values())));
            }
            for (ByteBuffer key : keys) {
                store.delete(key);
            }
            store.keys(key -> {});
            return "used";
        } catch (IOException e) {
            return "failed";
        }
    }

    static ByteBuffer key(int number) {
        byte[] key = new byte[SIZE.keyBytes()];
        new Random(number).nextBytes(key);
        return ByteBuffer.wrap(key);
    }
}

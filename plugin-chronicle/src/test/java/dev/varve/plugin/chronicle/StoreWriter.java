package dev.varve.plugin.chronicle;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.StoreAccess;
import dev.varve.api.snapshot.StoreSize;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.CRC32C;

/** Puts values until it is killed, in a process of its own, and says of each when it is there. */
final class StoreWriter {
    static final StoreSize SIZE = new StoreSize(32, 64 << 10, 700);

    private static final int NUMBERS = 700;

    private StoreWriter() {}

    /** Arguments: the store, what it is opened for, the number of the first value. */
    public static void main(String[] arguments) throws IOException {
        int first = Integer.parseInt(arguments[2]);
        Random random = new Random(first);
        try (SnapshotStore store =
                new ChronicleProvider()
                        .open(Path.of(arguments[0]), SIZE, StoreAccess.valueOf(arguments[1]))) {
            for (int i = first; store.put(key(i), value(i, random.nextInt())); i = after(i)) {
                System.out.println("put " + i);
                if (random.nextInt(10) == 0) {
                    int old = random.nextInt(NUMBERS);
                    System.out.println("deleting " + old);
                    store.delete(key(old));
                }
            }
            throw new IOException("the store is full");
        }
    }

    /** Numbers go round, so that values are replaced too. */
    static int after(int number) {
        return (number + 1) % NUMBERS;
    }

    static ByteBuffer key(int number) {
        byte[] key = new byte[SIZE.keyBytes()];
        new Random(number).nextBytes(key);
        return ByteBuffer.wrap(key);
    }

    /** Its number, bytes, and the checksum of both. */
    private static ByteBuffer value(int number, int seed) {
        byte[] bytes = new byte[SIZE.valueBytes()];
        new Random(seed).nextBytes(bytes);
        ByteBuffer value = ByteBuffer.wrap(bytes).putInt(0, number);
        return value.putInt(bytes.length - 4, checksum(value));
    }

    /** Whether a value is whole and that of a number. */
    static boolean isValue(int number, ByteBuffer value) {
        return value.getInt(0) == number && value.getInt(SIZE.valueBytes() - 4) == checksum(value);
    }

    private static int checksum(ByteBuffer value) {
        CRC32C checksum = new CRC32C();
        checksum.update(value.array(), 0, SIZE.valueBytes() - 4);
        return (int) checksum.getValue();
    }
}

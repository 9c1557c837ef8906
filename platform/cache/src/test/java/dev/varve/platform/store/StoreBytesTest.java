package dev.varve.platform.store;

import dev.varve.testkit.GeneratedFile;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Bytes around stored objects, as a checked-in list: a server reads what earlier versions, and with
 * a shared store other servers, wrote.
 */
class StoreBytesTest {
    private static final ObjectKey KEY = key(0x10);
    private static final ObjectKey PARENT = key(0x40);

    private static ObjectKey key(int first) {
        byte[] bytes = new byte[ObjectKey.BYTES];
        IntStream.range(0, bytes.length).forEach(i -> bytes[i] = (byte) (first + i));
        return ObjectKey.of(bytes);
    }

    private static String line(String name, Consumer<ByteBuffer> write) {
        ByteBuffer bytes = ByteBuffer.allocate(512);
        write.accept(bytes);
        return name + " " + HexFormat.of().formatHex(bytes.array(), 0, bytes.position()) + "\n";
    }

    @Test
    void preamblesManifestsAndJournalEntriesHaveTheirBytes() {
        ObjectDescriptor name = new ObjectDescriptor(KEY, PARENT, ObjectKind.values()[0], 512, 256);
        byte[] writer = new byte[SharedObjectManifest.NAME_BYTES];
        writer[0] = 9;

        GeneratedFile.of("platform/cache/src/test/resources/dev/varve/platform/store/objects.txt")
                .check(
                        line("preamble", new ObjectPreamble(name, 100, 1L << 33)::put)
                                + line(
                                        "manifest",
                                        to -> SharedObjectManifest.put(writer, 1L << 33, to))
                                + line(
                                        "journal-added",
                                        new JournalEntry.Added(name, 1L << 33, 3, 4, 5)::put)
                                + line("journal-used", new JournalEntry.Used(KEY, 6, 7)::put)
                                + line("journal-lost", new JournalEntry.Lost(KEY)::put)
                                + line("journal-gone", new JournalEntry.Gone(8)::put)
                                + kinds());
    }

    /** Kinds of objects are stored by their numbers. */
    private static String kinds() {
        return IntStream.range(0, ObjectKind.values().length)
                .mapToObj(number -> "kind-" + number + " " + ObjectKind.values()[number] + "\n")
                .collect(Collectors.joining());
    }
}

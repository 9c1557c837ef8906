package dev.varve.plugin.chronicle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.snapshot.StoreAccess;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** The test kills writer processes at random points; the next writer continues with the store. */
@Timeout(1200)
class ChronicleKillTest {
    private static final Duration QUICK = Duration.ofSeconds(60);
    private static final int KILLS = Math.max(6, Integer.getInteger("varve.test.kills", 0));

    @TempDir private Path folder;

    /** Numbers of the values in the store, according to the output of the child processes. */
    private final Set<Integer> there = new TreeSet<>();

    private int next;

    @Test
    void storedValuesSurviveAKill() throws Exception {
        Path path = folder.resolve("store");
        Random random = new Random(4711);
        StoreAccess access = StoreAccess.CREATE;
        for (int kill = 0; kill < KILLS; kill++) {
            writeUntilKilled(path, access, 1 + random.nextInt(120), random.nextInt(3_000_000));

            requireAll(path, "after kill " + kill);
            access = StoreAccess.WRITE;
        }
    }

    private void writeUntilKilled(Path path, StoreAccess access, int values, int spins)
            throws Exception {
        List<String> command =
                ChildJava.command(
                        StoreWriter.class,
                        path.toString(),
                        access.toString(),
                        Integer.toString(next));
        Process child =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader lines = child.inputReader(StandardCharsets.UTF_8)) {
            int seen = 0;
            for (String line; (line = lines.readLine()) != null; ) {
                note(line);
                if (++seen == values) {
                    for (int i = 0; i < spins; i++) {
                        Thread.onSpinWait(); // to hit it anywhere, not only after a line
                    }
                    child.toHandle().destroyForcibly(); // leaves the lines readable
                }
            }
        }
        assertEquals(137, child.waitFor());
    }

    private void note(String line) {
        String[] words = line.split(" ");
        int number = Integer.parseInt(words[1]);
        if (words[0].equals("put")) {
            there.add(number);
            next = StoreWriter.after(number);
        } else {
            there.remove(number);
        }
    }

    private void requireAll(Path path, String when) throws IOException {
        new ChronicleProvider().open(path, StoreWriter.SIZE, StoreAccess.READ).close();
        long start = System.nanoTime();
        try (SnapshotStore store =
                new ChronicleProvider().open(path, StoreWriter.SIZE, StoreAccess.RECOVER)) {
            Duration taken = Duration.ofNanos(System.nanoTime() - start);
            ByteBuffer value = ByteBuffer.allocate(StoreWriter.SIZE.valueBytes());
            for (int number : there) {
                boolean found = store.get(StoreWriter.key(number), value.clear());
                assertTrue(
                        found && StoreWriter.isValue(number, value) || number == next,
                        when + ": value " + number + ", found " + found + ", last " + next);
            }
            assertTrue(taken.compareTo(QUICK) < 0, when + ": mended in " + taken);
            // it could not say any more whether this one came to be
            store.delete(StoreWriter.key(next));
            there.remove(next);
        }
    }
}

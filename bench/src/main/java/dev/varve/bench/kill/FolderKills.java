package dev.varve.bench.kill;

import dev.varve.bench.kill.NumberedObjects.Found;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Kills processes that write to one folder, and reads there after each kill. */
final class FolderKills {
    /** Objects of that many bytes, the last ones, must not have been evicted. */
    private static final long KEPT_BYTES = NumberedObjects.BUDGET / 4;

    /** Older objects that are read after each kill, if they are still there. */
    private static final int OLDER = 40;

    private static final int KILLED = 137;

    /** Kills between two lines of progress. */
    private static final int SHOWN = 20;

    private final Path folder;
    private final long seed;
    private final Random random;
    private final Map<Found, Long> found = new EnumMap<>(Found.class);
    private final List<String> faults = new ArrayList<>();

    /** Numbers of all objects that a writer reported as stored. */
    private final List<Integer> stored = new ArrayList<>();

    private int next;
    private int refused;

    FolderKills(Path folder, long seed) {
        this.folder = folder;
        this.seed = seed;
        random = new Random(seed);
    }

    /** Kills that many writers, one after the other. */
    void run(int kills) throws IOException, InterruptedException {
        for (int kill = 1; kill <= kills; kill++) {
            writeUntilKilled(1 + random.nextInt(150), random.nextInt(300_000));
            check("seed " + seed + ", kill " + kill);
            if (kill % SHOWN == 0 || kill == kills) {
                System.out.println(
                        "seed " + seed + ": " + kill + " kills, " + found + ", faults " + faults);
            }
        }
    }

    private void writeUntilKilled(int lines, int spins) throws IOException, InterruptedException {
        int before = stored.size();
        Process writer = start();
        try (BufferedReader reader = writer.inputReader(StandardCharsets.UTF_8)) {
            int seen = 0;
            for (String line; (line = reader.readLine()) != null; ) {
                note(line);
                if (++seen == lines) {
                    for (int i = 0; i < spins; i++) {
                        Thread.onSpinWait(); // so that it ends anywhere, not only behind a line
                    }
                    writer.toHandle().destroyForcibly(); // the rest of its lines stays readable
                }
            }
        }
        if (stored.size() == before) {
            faults.add("seed " + seed + ": a writer stored nothing from object " + next + " on");
        }
        int status = writer.waitFor();
        if (status != KILLED) {
            faults.add("seed " + seed + ": a writer ended with status " + status);
        }
    }

    private Process start() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(
                List.of(KilledWriter.class.getName(), folder.toString(), Integer.toString(next)));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Takes a whole line; the kill may have cut the last one. */
    void note(String line) {
        String[] words = line.split(" ");
        switch (words[words.length - 1]) {
            case "WRITTEN", "KNOWN" -> {
                stored.add(Integer.parseInt(words[0]));
                next = stored.getLast() + 1;
            }
            case "NO_SPACE", "FAILED" -> refused++;
            default -> {}
        }
    }

    private void check(String when) throws IOException {
        try (NumberedObjects objects = NumberedObjects.open(folder)) {
            long bytes = 0;
            int last = stored.size() - 1;
            for (; last >= 0 && bytes < KEPT_BYTES; last--) {
                int number = stored.get(last);
                bytes += NumberedObjects.bytes(number);
                Found each = count(objects.read(number));
                if (each != Found.RIGHT) {
                    faults.add(when + ": object " + number + " is " + each);
                }
            }
            for (int i = 0; i < OLDER && last > 0; i++) {
                require(objects, stored.get(random.nextInt(last)), when);
            }
            require(objects, next, when);
        }
    }

    /** Reads an object that may be absent. */
    private void require(NumberedObjects objects, int number, String when) {
        Found each = count(objects.read(number));
        if (each == Found.WRONG) {
            faults.add(when + ": object " + number + " has wrong bytes");
        }
    }

    private Found count(Found each) {
        found.merge(each, 1L, Long::sum);
        return each;
    }

    Map<Found, Long> found() {
        return found;
    }

    List<String> faults() {
        return faults;
    }

    int stored() {
        return stored.size();
    }

    int refused() {
        return refused;
    }
}

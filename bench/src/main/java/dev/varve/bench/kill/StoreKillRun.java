package dev.varve.bench.kill;

import dev.varve.bench.kill.NumberedObjects.Found;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Kills of processes that write the disk cache; {@code bench/run.sh store-kills} starts it. */
@Command(
        name = "bench/run.sh store-kills",
        sortOptions = false,
        description = {
            "Kills processes while they write the disk cache, and reads after each kill what the"
                    + " folder serves: each stored object is right, and none is corrupt.",
            "The exit status is 1 if an object is wrong, or is missing although it was stored."
        })
public final class StoreKillRun implements Callable<Integer> {
    @Option(
            names = "--kills",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Kills. Default: ${DEFAULT-VALUE}.")
    private int kills;

    @Option(
            names = "--folders",
            paramLabel = "N",
            defaultValue = "4",
            description = "Folders that are written at once. Default: ${DEFAULT-VALUE}.")
    private int folders;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Makes the times of the kills. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    private StoreKillRun() {}

    /** Runs: 0 if all is well, 1 if an object is wrong or missing, 2 for wrong usage. */
    public static void main(String... arguments) {
        Locale.setDefault(Locale.ROOT);
        System.exit(new CommandLine(new StoreKillRun()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Path root = Files.createTempDirectory("varve-store-kills");
        try (ExecutorService pool = Executors.newFixedThreadPool(folders)) {
            List<Future<FolderKills>> running = new ArrayList<>();
            for (int i = 0; i < folders; i++) {
                int share = kills / folders + (i < kills % folders ? 1 : 0);
                FolderKills each = new FolderKills(root.resolve("folder" + i), seed + i);
                running.add(
                        pool.submit(
                                () -> {
                                    each.run(share);
                                    return each;
                                }));
            }
            return report(running);
        } finally {
            delete(root);
        }
    }

    private int report(List<Future<FolderKills>> running) throws Exception {
        Map<Found, Long> found = new EnumMap<>(Found.class);
        int stored = 0;
        int refused = 0;
        int faults = 0;
        for (Future<FolderKills> future : running) {
            FolderKills each = future.get();
            each.faults().forEach(System.out::println);
            each.found().forEach((what, count) -> found.merge(what, count, Long::sum));
            stored += each.stored();
            refused += each.refused();
            faults += each.faults().size();
        }
        System.out.println(
                "seed "
                        + seed
                        + ": "
                        + kills
                        + " kills in "
                        + folders
                        + " folders, "
                        + stored
                        + " objects stored, "
                        + refused
                        + " refused; objects read afterwards: "
                        + found
                        + "; "
                        + faults
                        + " faults");
        return faults == 0 ? 0 : 1;
    }

    private static void delete(Path root) throws Exception {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}

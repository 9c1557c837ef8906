package dev.varve.bench;

import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.store.ArchiveStatus;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Measures the costs and the savings of the prefix cache on disk. {@code cost}: cold prompts, and
 * decode while they are written, with a disk against none, in pairs next to each other. {@code
 * hits}: likewise the first token behind a head from host memory. {@code restart}: the first token
 * behind a head that was computed before a restart, against a cold one. {@code memory}: memory of
 * the process without the contents of host memory, with a disk against none, and the space used on
 * the disk.
 *
 * <pre>
 * DiskBench [--model FILE] [--family qwen35] [--folder DIR] [--devices cpu:0] [--threads 2]
 *           [--launcher dist/target/varve/bin/varve] [--store DIR] [--parts cost,hits,restart,memory]
 *           [-c 1024] [-p 4096] [--new 64] [-n 128] [--rounds 3] [--pairs 9] [--heads 5]
 * </pre>
 *
 * {@code -c} is the length of the cold prompts and of the heads of {@code memory}, {@code -p} that
 * of the heads that are known. The files of the disk are in a new folder in that of {@code
 * --store}, or beside the model, until the end.
 */
public final class DiskBench {
    static final Set<String> FLAGS =
            Set.of(
                    "--model",
                    "--family",
                    "--vocab",
                    "--folder",
                    "--devices",
                    "--threads",
                    "--launcher",
                    "--store",
                    "--parts",
                    "-c",
                    "-p",
                    "--new",
                    "-n",
                    "--rounds",
                    "--pairs",
                    "--heads");

    private static final int MEMORY_ROUNDS = 2;

    private final Map<String, String> flags;
    private final Path file;
    private final DiskSubject subject;
    private final DiskFolder folder;

    private DiskBench(Map<String, String> flags, Path file, DiskFolder folder) {
        this.flags = flags;
        this.file = file;
        this.folder = folder;
        subject = new DiskSubject(flags, file);
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = DiskSubject.flags(FLAGS, arguments);
        Path file = BenchModels.write(flags).toAbsolutePath();
        Path store = Path.of(flags.getOrDefault("--store", file.getParent().toString()));
        try (DiskFolder folder = new DiskFolder(store)) {
            new DiskBench(flags, file, folder).run();
        }
        System.exit(0);
    }

    private void run() throws Exception {
        for (String part : flags.getOrDefault("--parts", "cost,hits,restart,memory").split(",")) {
            switch (part) {
                case "cost" -> cost();
                case "hits" -> hits();
                case "restart" -> restart();
                case "memory" -> memory();
                default ->
                        throw new IllegalArgumentException(
                                "--parts: expected cost, hits, restart or memory, found " + part);
            }
        }
    }

    private static double tokensPerSecond(int count, double millis) {
        return count * 1000 / millis;
    }

    /** Figures of one model, more of which is better. */
    private interface Measure {
        double[] of(HostedModel model) throws Exception;
    }

    /** Measures pairs, after one that does not count; each model comes first every other time. */
    private void compare(HostedModel without, HostedModel with, Measure measure, Ratio... ratios)
            throws Exception {
        long before = DiskSubject.written(with);
        for (int pair = -1; pair < subject.number("--pairs", 9); pair++) {
            boolean withFirst = pair % 2 == 0;
            double[] one = measure.of(withFirst ? with : without);
            DiskSubject.settle(with);
            double[] other = measure.of(withFirst ? without : with);
            for (int i = 0; i < ratios.length && pair >= 0; i++) {
                ratios[i].add(withFirst ? one[i] : other[i], withFirst ? other[i] : one[i]);
            }
        }
        DiskSubject.settle(with);
        for (Ratio ratio : ratios) {
            System.out.println(ratio.describe("disk", "none"));
        }
        report(
                "%.1f MB were written meanwhile, the disk is %s",
                (DiskSubject.written(with) - before) / 1e6,
                DiskSubject.cache(with).disk().orElseThrow().state().word());
    }

    private void cost() throws Exception {
        int cold = subject.cold();
        int more = subject.more();
        int count = subject.number("-n", 128);
        int context = cold + more + count + 64;
        try (HostedModel without = subject.load(context, Optional.empty());
                HostedModel with = subject.load(context, Optional.of(path("cost")))) {
            compare(
                    without,
                    with,
                    model -> {
                        GenerationEnd end =
                                DiskSubject.ask(
                                        model,
                                        subject.behind(model, subject.tokens(model, cold), count));
                        return new double[] {
                            tokensPerSecond(cold + more, DiskSubject.first(end, Optional.empty())),
                            end.decodeTokensPerSecond()
                        };
                    },
                    new Ratio("cold prefill " + (cold + more)),
                    new Ratio("decode " + count + " behind it"));
        }
    }

    private void hits() throws Exception {
        int head = subject.head();
        int more = subject.more();
        int context = head + more + 64;
        try (HostedModel without = subject.load(context, Optional.empty());
                HostedModel with = subject.load(context, Optional.of(path("hits")))) {
            int[] one = subject.tokens(with, head);
            int[] other = subject.tokens(with, head);
            for (HostedModel model : List.of(without, with)) {
                DiskSubject.ask(model, subject.behind(model, one, 1));
                DiskSubject.ask(model, subject.behind(model, other, 1));
            }
            compare(
                    without,
                    with,
                    model -> {
                        double millis = 0;
                        for (int[] known : List.of(one, other)) {
                            GenerationEnd end =
                                    DiskSubject.ask(model, subject.behind(model, known, 1));
                            millis += DiskSubject.first(end, Optional.of(CacheSource.HOST));
                        }
                        return new double[] {tokensPerSecond(2 * (head + more), millis)};
                    },
                    new Ratio("hit " + head + " and " + more));
        }
    }

    /** Times to the first token, and read speeds of objects from disk. */
    private static final class FromDisk {
        private final List<Double> millis = new ArrayList<>();
        private final List<Double> speeds = new ArrayList<>();

        void add(GenerationEnd end, ArchiveStatus disk) {
            millis.add(DiskSubject.first(end, Optional.of(CacheSource.DISK)));
            speeds.add(disk.traffic().readBytes() / end.times().queueMillis() / 1e6);
        }

        void describe(String where, double cold) {
            if (!millis.isEmpty()) {
                report(
                        "from disk, %s: %.0f ms (%.1fx), objects read at %.2f GB/s",
                        where, median(millis), cold / median(millis), median(speeds));
            }
        }
    }

    private void restart() throws Exception {
        int head = subject.head();
        int more = subject.more();
        int context = head + 2 * more + 64;
        List<Double> computed = new ArrayList<>();
        FromDisk inMemory = new FromDisk();
        FromDisk forgotten = new FromDisk();
        for (int round = 0; round < subject.number("--rounds", 3); round++) {
            String name = "restart" + round;
            int[] known;
            try (HostedModel model = subject.load(context, Optional.of(path(name)))) {
                known = subject.tokens(model, head);
                computed.add(
                        DiskSubject.first(
                                DiskSubject.ask(model, subject.behind(model, known, 1)),
                                Optional.empty()));
            }
            askAgain(context, name, known, inMemory);
            if (folder.forget(name)) {
                askAgain(context, name, known, forgotten);
            }
        }
        report(
                "%d tokens known, %d new, after a restart: first token cold %.0f ms",
                head, more, median(computed));
        inMemory.describe("files in the system's memory", median(computed));
        forgotten.describe("files not in memory", median(computed));
    }

    private void askAgain(int context, String name, int[] known, FromDisk times) throws Exception {
        try (HostedModel model = subject.load(context, Optional.of(path(name)))) {
            GenerationEnd end = DiskSubject.ask(model, subject.behind(model, known, 1));
            times.add(end, DiskSubject.cache(model).disk().orElseThrow());
        }
    }

    private void memory() throws Exception {
        for (int round = 0; round < MEMORY_ROUNDS; round++) {
            String name = "memory" + round;
            double without = DiskMemory.measure(flags, file, Optional.empty());
            double with = DiskMemory.measure(flags, file, Optional.of(path(name)));
            report("%.1f MiB more with a disk", with - without);
            folder.bytes(name)
                    .ifPresent(
                            bytes -> report("the folder takes %.2f MB of the disk", bytes / 1e6));
        }
    }

    private Path path(String name) {
        return folder.path().resolve(name);
    }

    private static double median(List<Double> values) {
        return Ratio.median(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private static void report(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}

package dev.varve.bench;

import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ProcessSettings;
import dev.varve.platform.host.StoreSettings;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.plugin.chronicle.ChronicleProvider;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * What the prefix cache on disk saves and costs: the time to the first token behind a head that was
 * computed before a restart; cold prompts, decode while they are written, and hits of host memory
 * with a disk against none, in pairs next to each other; memory of the process.
 *
 * <pre>
 * DiskBench [--model FILE] [--family qwen35] [--folder DIR] [--devices cpu:0] [--threads 2]
 *           [-p 4096] [--new 64] [-n 128] [--rounds 3] [--pairs 9] [--parts restart,cost,memory]
 *           [--disk yes|no]
 * </pre>
 *
 * {@code --disk no} leaves it out of {@code memory}, to compare.
 */
public final class DiskBench {
    private static final PrintStream OUT = System.out;
    private static final long SETTLE_MILLIS = 600;
    private static final HostCacheLimit HOST = new HostCacheLimit.Fixed(2L << 30);
    private static final int HEADS = 12;

    private final Map<String, String> flags;
    private final Random random = new Random(5);
    private final Path file;
    private final Path folder;
    private final int head;
    private final int more;

    private DiskBench(Map<String, String> flags, Path file, Path folder) {
        this.flags = flags;
        this.file = file;
        this.folder = folder;
        head = number("-p", 4096);
        more = number("--new", 64);
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        Path file = BenchModels.write(flags);
        Path folder =
                Files.createTempDirectory(file.toAbsolutePath().getParent(), "varve-disk-bench");
        try {
            new DiskBench(flags, file, folder).run();
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path each : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                    Files.delete(each);
                }
            }
        }
        System.exit(0);
    }

    private void run() throws Exception {
        for (String part : flags.getOrDefault("--parts", "restart,cost").split(",")) {
            switch (part) {
                case "restart" -> restart();
                case "cost" -> cost();
                case "memory" -> memory(!"no".equals(flags.get("--disk")));
                default -> throw new IllegalArgumentException("--parts: " + part);
            }
        }
    }

    private int number(String flag, int usual) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(usual)));
    }

    /** Room for one head on the devices, so that another one pushes it out. */
    private HostedModel load(int context, Optional<Path> disk) {
        ModelSettings settings =
                ModelSettings.of(SequenceLimits.of(context, 1).withKvTokens(context + 512))
                        .with(HOST);
        HostSettings host =
                new HostSettings(
                                file,
                                settings,
                                DeviceSettings.best().withThreads(number("--threads", 2)),
                                BenchPlugins.settings(file, new ChronicleProvider()),
                                ProcessSettings.launchedBy(Path.of("dist/target/varve/bin/varve")))
                        .onDevices(flags.getOrDefault("--devices", "cpu:0"));
        return HostedModel.open(disk.map(StoreSettings::in).map(host::with).orElse(host));
    }

    private int[] tokens(HostedModel model, int count) {
        return random.ints(count, 0, model.vocabularySize()).toArray();
    }

    /** A prompt that begins with a head and goes on with something new. */
    private GenerationRequest behind(HostedModel model, int[] known, int count) {
        int[] prompt = Arrays.copyOf(known, known.length + more);
        System.arraycopy(tokens(model, more), 0, prompt, known.length, more);
        GenerationRequest plain = GenerationRequest.greedy(prompt, count);
        return new GenerationRequest(
                GenerationRequest.Prompt.of(prompt, new int[] {known.length}),
                plain.ending(),
                plain.choice());
    }

    private static GenerationEnd ask(HostedModel model, GenerationRequest request)
            throws Exception {
        Thread.sleep(SETTLE_MILLIS);
        return Timed.submit(model.engine(), request).end.get();
    }

    private static double first(GenerationEnd end, CacheSource expected) {
        if (!end.cache().source().equals(Optional.of(expected))) {
            throw new IllegalStateException("expected " + expected + ", found " + end.cache());
        }
        return end.times().prefillMillis();
    }

    private void restart() throws Exception {
        int rounds = number("--rounds", 3);
        double[] cold = new double[rounds];
        double[] disk = new double[rounds];
        int context = head + 2 * more + 64;
        for (int round = 0; round < rounds; round++) {
            Path there = folder.resolve("restart" + round);
            int[] known;
            try (HostedModel model = load(context, Optional.of(there))) {
                known = tokens(model, head);
                GenerationEnd end = ask(model, behind(model, known, 1));
                cold[round] = end.times().prefillMillis();
            }
            try (HostedModel model = load(context, Optional.of(there))) {
                GenerationEnd end = ask(model, behind(model, known, 1));
                disk[round] = first(end, CacheSource.DISK);
                if (round == 0) {
                    report(model);
                }
            }
        }
        OUT.printf(
                Locale.ROOT,
                "%d tokens known, %d new, after a restart: first token cold %.0f ms, from disk %.0f"
                        + " ms (%.1fx)%n",
                head,
                more,
                Ratio.median(cold),
                Ratio.median(disk),
                Ratio.median(cold) / Ratio.median(disk));
    }

    /** What the host tier and the disk hold of the same head. */
    private static void report(HostedModel model) {
        PrefixCacheStatus cache = model.engine().status().cache();
        ArchiveStatus archive = cache.disk().orElseThrow();
        OUT.printf(
                Locale.ROOT,
                "on disk %.1f MB in %d pieces and positions; what was read of it, in memory %.1f"
                        + " MB%n",
                archive.usedBytes() / 1e6,
                archive.objects(),
                cache.host().usedBytes() / 1e6);
    }

    /** With a disk against none, both with host memory. */
    private void cost() throws Exception {
        int prompt = Math.min(head, 1024);
        int count = number("-n", 128);
        Ratio prefill = new Ratio("cold prefill " + prompt);
        Ratio decode = new Ratio("decode " + count);
        Ratio hit = new Ratio("host hit " + prompt);
        int context = prompt + more + count + 64;
        try (HostedModel without = load(context, Optional.empty());
                HostedModel with = load(context, Optional.of(folder.resolve("cost")))) {
            for (int pair = -1; pair < number("--pairs", 9); pair++) {
                List<HostedModel> order = new ArrayList<>(List.of(without, with));
                List<double[]> both = new ArrayList<>();
                if (pair % 2 == 0) {
                    Collections.reverse(order);
                }
                for (HostedModel model : order) {
                    int[] known = tokens(model, prompt);
                    GenerationEnd one = ask(model, behind(model, known, count));
                    ask(model, behind(model, tokens(model, prompt), 1));
                    double millis = first(ask(model, behind(model, known, 1)), CacheSource.HOST);
                    both.add(
                            new double[] {
                                one.prefillTokensPerSecond(),
                                one.decodeTokensPerSecond(),
                                (prompt + more) / millis * 1000
                            });
                }
                if (pair % 2 == 0) {
                    Collections.reverse(both);
                }
                if (pair >= 0) {
                    prefill.add(both.get(1)[0], both.get(0)[0]);
                    decode.add(both.get(1)[1], both.get(0)[1]);
                    hit.add(both.get(1)[2], both.get(0)[2]);
                }
            }
        }
        OUT.println("with a disk against none (in the place of libllama)");
        OUT.println(prefill.describe());
        OUT.println(decode.describe());
        OUT.println(hit.describe());
    }

    /** Memory of the process that is no file's, after some heads. */
    private void memory(boolean disk) throws Exception {
        int prompt = Math.min(head, 1024);
        Optional<Path> there = Optional.of(folder.resolve("memory")).filter(path -> disk);
        try (HostedModel model = load(prompt + more + 64, there)) {
            long before = anonymous();
            for (int i = 0; i < HEADS; i++) {
                ask(model, behind(model, tokens(model, prompt), 1));
            }
            long held = model.engine().status().cache().host().usedBytes() >> 20;
            OUT.printf(
                    Locale.ROOT,
                    "%s disk: RssAnon %d MiB after loading, %d MiB after %d heads of %d tokens;"
                            + " host memory holds %d MiB of them: %d MiB beyond%n",
                    disk ? "with" : "without",
                    before,
                    anonymous(),
                    HEADS,
                    prompt,
                    held,
                    anonymous() - before - held);
        }
    }

    /** In MiB; Linux tells. */
    private static long anonymous() throws IOException {
        System.gc();
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("RssAnon:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
                    .findFirst()
                    .orElse(0);
        }
    }
}

package dev.varve.bench;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;

import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Measures a model on a device against libllama on the same device in the same process, and then
 * Varve alone on splits of it.
 *
 * <pre>
 * DeviceBench --model FILE [--label 4B] [--device cpu:0] [--placements plain,twice,processor,process]
 *             [--prompts 512,4096] [-n 128] [--sequences 8] [--rounds 3] [--seconds 30] [--threads 2]
 *             [--launcher dist/target/varve/bin/varve] [--json FILE]
 * </pre>
 *
 * <p>{@code twice} are two shards on the device, {@code processor} is seven parts of the layers on
 * the device and one on the processor, {@code process} is a shard process. {@code --seconds} limits
 * the time for each placement: a measurement that would exceed it is skipped, and reported as such.
 */
public final class DeviceBench {
    private static final Set<String> FLAGS =
            Set.of(
                    "--model",
                    "--label",
                    "--device",
                    "--placements",
                    "--prompts",
                    "-n",
                    "--sequences",
                    "--rounds",
                    "--seconds",
                    "--threads",
                    "--launcher",
                    "--json");

    private static final long SETTLE_MILLIS = 400;

    /** An engine warms up until its first request. */
    private static final long WARM_UP_MILLIS = 3000;

    /** Least runs for a verdict: a single one may have met a busy machine. */
    private static final int VERDICT_RUNS = 2;

    private static final double GIBIBYTE = 1L << 30;

    /** Memory of a model in units of its file: weights, and caches of the measured sequences. */
    private static final double MEMORY = 1.25;

    private enum Placement {
        PLAIN("%s", ""),
        TWICE("%s,%s", "1,1"),
        PROCESSOR("%s,cpu:0", "7,1"),
        PROCESS("%s@process", "");

        private final String devices;
        private final String split;

        Placement(String devices, String split) {
            this.devices = devices;
            this.split = split;
        }

        /** Least ratio that is the goal: to libllama for a plain placement, else to that one. */
        private Optional<Double> target(Measure measure) {
            return switch (this) {
                case PLAIN ->
                        Optional.of(measure.kind == Kind.PREFILL ? PREFILL_TARGET : DECODE_TARGET);
                case TWICE -> Optional.of(TWICE_TARGET);
                case PROCESS -> Optional.of(PROCESS_TARGET);
                case PROCESSOR -> Optional.empty();
            };
        }
    }

    private static final double DECODE_TARGET = 1;
    private static final double PREFILL_TARGET = 0.95;
    private static final double TWICE_TARGET = 0.97;
    private static final double PROCESS_TARGET = 0.95;

    private enum Kind {
        PREFILL,
        DECODE,
        TOGETHER
    }

    /** A measured speed, in tokens per second. */
    private record Measure(String name, Kind kind, int tokens) {}

    /** Speeds of both sides; the reference is libllama, or the plain placement. */
    private record Speeds(List<Double> ours, List<Double> reference) {
        Speeds() {
            this(new ArrayList<>(), new ArrayList<>());
        }

        private static double median(List<Double> values) {
            return Ratio.median(values.stream().mapToDouble(Double::doubleValue).toArray());
        }
    }

    private final Map<String, String> flags;
    private final KitReport report;
    private final Path file;
    private final String label;
    private final String device;
    private final int threads;
    private final int decoded;
    private final int sequences;
    private final List<Measure> measures = new ArrayList<>();
    private final Random random = new Random(7);

    /** Medians of the plain placement. */
    private final Map<Measure, Double> plain = new LinkedHashMap<>();

    private DeviceBench(Map<String, String> flags) {
        this.flags = flags;
        report = KitReport.of(flags);
        file = Path.of(flags.get("--model"));
        label = flags.getOrDefault("--label", file.getFileName().toString());
        device = flags.getOrDefault("--device", "cpu:0");
        threads = number("--threads", 2);
        decoded = number("-n", 128);
        sequences = number("--sequences", 8);
        measures.add(new Measure("decode " + decoded, Kind.DECODE, decoded));
        for (String prompt : flags.getOrDefault("--prompts", "512,4096").split(",")) {
            measures.add(new Measure("prefill " + prompt, Kind.PREFILL, Integer.parseInt(prompt)));
        }
        if (sequences > 1) {
            measures.add(
                    new Measure(
                            "decode 64 x " + sequences,
                            Kind.TOGETHER,
                            sequences * (64 + 2 * sequences)));
        }
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        new DeviceBench(DiskSubject.flags(FLAGS, arguments)).run();
        System.exit(0);
    }

    private int number(String flag, int usual) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(usual)));
    }

    private void run() throws Exception {
        Optional<String> ggmlName = BenchPlugins.ggmlName(device);
        for (String name :
                flags.getOrDefault("--placements", "plain,twice,processor,process").split(",")) {
            Placement placement = Placement.valueOf(name.toUpperCase(Locale.ROOT));
            Optional<String> obstacle = obstacle(placement);
            if (obstacle.isPresent()) {
                report.line("%s %s: skipped: %s", label, name, obstacle.get());
                report.json(heading(placement).put("skipped", obstacle.get()));
            } else if (placement == Placement.PLAIN) {
                compare(ggmlName);
            } else {
                split(placement);
            }
        }
    }

    private Optional<String> obstacle(Placement placement) throws Exception {
        double copies = placement == Placement.PLAIN ? 2 : 1;
        double needed = copies * MEMORY * Files.size(file);
        try (ComputeDevice opened = BenchPlugins.device(device, threads)) {
            double free = opened.info().memoryFreeBytes();
            // The processor maps the file, for both sides together.
            return opened.info().hostCores() || needed <= free
                    ? Optional.empty()
                    : Optional.of(
                            String.format(
                                    Locale.ROOT,
                                    "needs %.1f GiB of memory on %s, %.1f GiB are free",
                                    needed / GIBIBYTE,
                                    device,
                                    free / GIBIBYTE));
        }
    }

    private ObjectNode heading(Placement placement) {
        return KitReport.object()
                .put("model", label)
                .put("device", device)
                .put("placement", placement.name().toLowerCase(Locale.ROOT));
    }

    private int context() {
        return measures.stream().mapToInt(Measure::tokens).max().orElseThrow() + 64;
    }

    private HostedModel load(Placement placement) {
        String devices = placement.devices.replace("%s", device);
        HostSettings settings =
                new HostSettings(
                        file,
                        ModelSettings.of(SequenceLimits.of(context(), sequences)),
                        DeviceSettings.best().withThreads(threads),
                        BenchPlugins.settings(file),
                        ShardProcessSettings.launchedBy(
                                Path.of(
                                        flags.getOrDefault(
                                                "--launcher", "dist/target/varve/bin/varve"))));
        return HostedModel.open(
                placement.split.isEmpty()
                        ? settings.onDevices(devices)
                        : settings.onDevices(devices, placement.split));
    }

    private void compare(Optional<String> ggmlName) throws Exception {
        OracleOptions options =
                OracleOptions.defaults()
                        .withThreads(threads)
                        .withSequences(sequences)
                        .withContext(sequences * Math.ceilDiv(context(), 256) * 256);
        try (HostedModel ours = load(Placement.PLAIN);
                Oracle oracle = Oracle.open(file, options, ggmlName)) {
            measure(Placement.PLAIN, ours, Optional.of(oracle));
        }
    }

    private void split(Placement placement) throws Exception {
        try (HostedModel ours = load(placement)) {
            measure(placement, ours, Optional.empty());
        }
    }

    /** Measures in rounds, so that a change of the machine's speed meets all measurements. */
    private void measure(Placement placement, HostedModel ours, Optional<Oracle> oracle)
            throws Exception {
        ours.engine();
        Thread.sleep(WARM_UP_MILLIS);
        // The second run is an estimate: the first one pays for pages, kernels and compilation.
        Measure first = new Measure("warm-up", Kind.DECODE, 32);
        speed(first, ours);
        speed(new Measure("warm-up", Kind.PREFILL, 64), ours);
        settle();
        if (oracle.isPresent()) {
            speed(first, oracle.get());
            oracle.get().prefillTokensPerSecond(64);
            settle();
        }
        double slowest = speed(first, ours);
        long end = System.nanoTime() + number("--seconds", 30) * 1_000_000_000L;
        Map<Measure, Speeds> all = new LinkedHashMap<>();
        for (int round = 0; round < number("--rounds", 3); round++) {
            for (Measure measure : measures) {
                Speeds speeds = all.computeIfAbsent(measure, _ -> new Speeds());
                double known =
                        speeds.ours().isEmpty()
                                ? estimate(measure, all, slowest)
                                : speeds.ours().getLast();
                double seconds = measure.tokens() / known * (oracle.isPresent() ? 2 : 1);
                if (System.nanoTime() + seconds * 1e9 > end) {
                    continue;
                }
                settle();
                speeds.ours().add(speed(measure, ours));
                if (oracle.isPresent()) {
                    settle();
                    speeds.reference().add(speed(measure, oracle.get()));
                }
            }
        }
        publish(placement, ours, all);
    }

    /** Speed to expect: prefill is as fast as a shorter one, and faster than decode. */
    private static double estimate(Measure measure, Map<Measure, Speeds> all, double slowest) {
        return all.entrySet().stream()
                .filter(each -> each.getKey().kind() == measure.kind())
                .flatMap(each -> each.getValue().ours().stream())
                .reduce((_, last) -> last)
                .orElse(slowest * (measure.kind() == Kind.PREFILL ? 2 : 1));
    }

    /** A worker thread continues to spin for a while after its last graph. */
    private static void settle() throws InterruptedException {
        Thread.sleep(SETTLE_MILLIS);
    }

    private double speed(Measure measure, HostedModel ours) throws Exception {
        int vocabulary = ours.vocabularySize();
        return switch (measure.kind()) {
            case PREFILL -> {
                int[] prompt = random.ints(measure.tokens(), 0, vocabulary).toArray();
                GenerationEnd end = Timed.greedy(ours.engine(), prompt, 1).end.get();
                yield end.prefillTokensPerSecond();
            }
            case DECODE -> {
                int[] tokens = random.ints(measure.tokens() + 2, 0, vocabulary).toArray();
                yield Timed.submit(
                                ours.engine(),
                                Arrays.copyOf(tokens, 1),
                                Arrays.copyOfRange(tokens, 1, tokens.length))
                        .end
                        .get()
                        .decodeTokensPerSecond();
            }
            case TOGETHER ->
                    Timed.together(
                            ours.engine(),
                            random.ints(128 + 2L * sequences, 0, vocabulary).toArray(),
                            sequences,
                            vocabulary);
        };
    }

    private double speed(Measure measure, Oracle oracle) {
        return switch (measure.kind()) {
            case PREFILL -> oracle.prefillTokensPerSecond(measure.tokens());
            case DECODE -> oracle.batchedDecode(1, 1, measure.tokens());
            case TOGETHER -> oracle.batchedDecode(sequences, Timed.PROMPT, 64);
        };
    }

    private static String verdict(double ratio, double target, int runs) {
        if (runs < VERDICT_RUNS) {
            return "no verdict from one run";
        }
        return ratio >= target ? "met" : "MISSED";
    }

    private void publish(Placement placement, HostedModel ours, Map<Measure, Speeds> all)
            throws Exception {
        ObjectNode json = heading(placement).put("load_ms", ours.loadMillis());
        ObjectNode values = json.putObject("measures");
        String name = placement.name().toLowerCase(Locale.ROOT);
        String reference = placement == Placement.PLAIN ? "libllama" : "plain";
        for (Map.Entry<Measure, Speeds> each : all.entrySet()) {
            Measure measure = each.getKey();
            List<Double> own = each.getValue().ours();
            if (own.isEmpty()) {
                report.line("%s %s %s: skipped: no time left", label, name, measure.name());
                values.putObject(measure.name()).put("skipped", "no time left");
                continue;
            }
            double speed = Speeds.median(own);
            Optional<Double> other =
                    placement == Placement.PLAIN
                            ? Optional.of(Speeds.median(each.getValue().reference()))
                            : Optional.ofNullable(plain.get(measure));
            if (placement == Placement.PLAIN) {
                plain.put(measure, speed);
            }
            ObjectNode value = values.putObject(measure.name());
            value.put("tokens_per_second", speed).put("runs", own.size());
            StringBuilder text = new StringBuilder();
            other.ifPresent(
                    found -> {
                        value.put(reference + "_tokens_per_second", found);
                        value.put("ratio", speed / found);
                        text.append(
                                String.format(
                                        Locale.ROOT,
                                        ", %s %.1f, ratio %.3f",
                                        reference,
                                        found,
                                        speed / found));
                        placement
                                .target(measure)
                                .ifPresent(
                                        target -> {
                                            value.put("target", target);
                                            text.append(
                                                    String.format(
                                                            Locale.ROOT,
                                                            " (target %.2f: %s)",
                                                            target,
                                                            verdict(
                                                                    speed / found,
                                                                    target,
                                                                    own.size())));
                                        });
                    });
            report.line("%s %s %s: %.1f tokens/s%s", label, name, measure.name(), speed, text);
        }
        report.json(json);
    }
}

package dev.varve.bench;

import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.host.StoreSettings;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.plugin.chronicle.ChronicleProvider;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** A model with host memory for prompts and with or without a disk, and its requests. */
final class DiskSubject {
    private static final long SETTLE_MILLIS = 600;
    private static final long STILL_MILLIS = 200;
    private static final HostCacheLimit HOST = new HostCacheLimit.Fixed(2L << 30);

    private final Map<String, String> flags;
    private final Path file;
    private final Random random = new Random(5);

    DiskSubject(Map<String, String> flags, Path file) {
        this.flags = flags;
        this.file = file;
    }

    /**
     * Returns the flags by name, with their values.
     *
     * @param known names of all flags
     * @throws IllegalArgumentException for another flag, or one without a value
     */
    static Map<String, String> flags(Set<String> known, String... arguments) {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i < arguments.length; i += 2) {
            if (!known.contains(arguments[i])) {
                throw new IllegalArgumentException(
                        "expected one of " + new TreeSet<>(known) + ", found " + arguments[i]);
            }
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + ": expected a value, found none");
            }
            flags.put(arguments[i], arguments[i + 1]);
        }
        return flags;
    }

    int number(String flag, int usual) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(usual)));
    }

    /** Tokens of the heads that are known. */
    int head() {
        return number("-p", 4096);
    }

    /** Tokens of the heads that are computed. */
    int cold() {
        return number("-c", 1024);
    }

    /** New tokens behind them. */
    int more() {
        return number("--new", 64);
    }

    HostedModel load(int context, Optional<Path> disk) {
        // Room for one head on the devices, so that another one evicts it.
        ModelSettings settings =
                ModelSettings.of(SequenceLimits.of(context, 1).withKvTokens(context + 512))
                        .with(HOST);
        HostSettings host =
                new HostSettings(
                                file,
                                settings,
                                DeviceSettings.best().withThreads(number("--threads", 2)),
                                BenchPlugins.settings(file, new ChronicleProvider()),
                                ShardProcessSettings.launchedBy(
                                        Path.of(
                                                flags.getOrDefault(
                                                        "--launcher",
                                                        "dist/target/varve/bin/varve"))))
                        .onDevices(flags.getOrDefault("--devices", "cpu:0"));
        return HostedModel.open(disk.map(StoreSettings::in).map(host::with).orElse(host));
    }

    int[] tokens(HostedModel model, int count) {
        return random.ints(count, 0, model.vocabularySize()).toArray();
    }

    /** Returns a prompt that begins with a head and continues with new tokens. */
    GenerationRequest behind(HostedModel model, int[] known, int count) {
        int more = more();
        int[] prompt = Arrays.copyOf(known, known.length + more);
        System.arraycopy(tokens(model, more), 0, prompt, known.length, more);
        GenerationRequest plain = GenerationRequest.greedy(prompt, count);
        return new GenerationRequest(
                GenerationRequest.Prompt.of(prompt, new int[] {known.length}),
                plain.ending(),
                plain.choice());
    }

    static GenerationEnd ask(HostedModel model, GenerationRequest request) throws Exception {
        settle(model);
        return Timed.submit(model.engine(), request).end.get();
    }

    /** Waits until nothing is copied or written any more, so that it slows down nothing else. */
    static void settle(HostedModel model) throws InterruptedException {
        Thread.sleep(SETTLE_MILLIS);
        for (long before = -1, now = written(model); now != before; now = written(model)) {
            before = now;
            Thread.sleep(now > 0 ? STILL_MILLIS : 0);
        }
    }

    static PrefixCacheStatus cache(HostedModel model) {
        return model.engine().status().cache();
    }

    static long written(HostedModel model) {
        return cache(model).disk().map(disk -> disk.traffic().writtenBytes()).orElse(0L);
    }

    /** Time from the request to the first token: a disk is read before a request begins. */
    static double first(GenerationEnd end, Optional<CacheSource> expected) {
        if (!end.cache().source().equals(expected)) {
            throw new IllegalStateException("expected " + expected + ", found " + end.cache());
        }
        return end.times().queueMillis() + end.times().prefillMillis();
    }
}

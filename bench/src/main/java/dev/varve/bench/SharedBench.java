package dev.varve.bench;

import dev.varve.api.snapshot.SharedStoreAddress;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.ClusterCacheSettings;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.host.SharedStoreSettings;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.plugin.valkey.ValkeyProvider;
import dev.varve.testkit.RedisServer;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Measures how much earlier the first token of a prompt arrives if another server has computed the
 * prompt and both share a store: one model computes heads, and another one in this process, with
 * caches of its own, continues each.
 *
 * <pre>
 * SharedBench [--model FILE] [--family qwen35] [--folder DIR] [--threads 2] [-p 4096] [--new 16]
 *             [--rounds 3] [--address redis://host:6379]
 * </pre>
 *
 * Without an address a {@code redis-server} of this machine is started, which keeps nothing.
 */
public final class SharedBench {
    private static final Set<String> FLAGS =
            Set.of(
                    "--model",
                    "--family",
                    "--vocab",
                    "--folder",
                    "--threads",
                    "-p",
                    "--new",
                    "--rounds",
                    "--address");

    private static final HostCacheLimit HOST = new HostCacheLimit.Fixed(1L << 30);
    private static final long SETTLE_MILLIS = 4000;

    private final Map<String, String> flags;
    private final Path file;
    private final URI address;
    private final Random random = new Random(7);

    private SharedBench(Map<String, String> flags, Path file, URI address) {
        this.flags = flags;
        this.file = file;
        this.address = address;
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = DiskSubject.flags(FLAGS, arguments);
        Path file = BenchModels.write(flags).toAbsolutePath();
        if (flags.containsKey("--address")) {
            new SharedBench(flags, file, URI.create(flags.get("--address"))).run();
        } else {
            try (RedisServer server = RedisServer.start()) {
                new SharedBench(flags, file, server.uri()).run();
            }
        }
        System.exit(0);
    }

    private int number(String flag, int usual) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(usual)));
    }

    private HostedModel load(int context) {
        HostSettings host =
                new HostSettings(
                        file,
                        ModelSettings.of(SequenceLimits.of(context, 1).withKvTokens(context + 512))
                                .with(HOST),
                        DeviceSettings.best().withThreads(number("--threads", 2)),
                        BenchPlugins.sharing(file, new ValkeyProvider()),
                        ShardProcessSettings.none());
        SharedStoreSettings store =
                new SharedStoreSettings(
                        new SharedStoreAddress(
                                address,
                                Optional.empty(),
                                Optional.empty(),
                                Duration.ofSeconds(2),
                                Duration.ofHours(1)),
                        Duration.ofSeconds(2),
                        Optional.empty(),
                        false,
                        false);
        return HostedModel.open(
                host.onDevices("cpu:0")
                        .with(
                                new ClusterCacheSettings(
                                        Optional.of(store), Optional.empty(), Optional.empty())));
    }

    private void run() throws Exception {
        int head = number("-p", 4096);
        int more = number("--new", 16);
        List<Double> ratios = new ArrayList<>();
        try (HostedModel writer = load(head + more + 64);
                HostedModel reader = load(head + more + 64)) {
            for (int round = 0; round < number("--rounds", 3); round++) {
                int[] known = random.ints(head, 0, writer.vocabularySize()).toArray();
                GenerationRequest request = behind(known, more, writer.vocabularySize());
                GenerationEnd cold = Timed.submit(writer.engine(), request).end.get();
                settle(writer);
                long before = read(reader);
                GenerationEnd warm = Timed.submit(reader.engine(), request).end.get();
                settle(reader);
                double coldMillis = DiskSubject.first(cold, Optional.empty());
                double warmMillis = DiskSubject.first(warm, Optional.of(CacheSource.SHARED));
                ratios.add(coldMillis / warmMillis);
                System.out.printf(
                        Locale.ROOT,
                        "%d tokens: cold %.0f ms, shared %.0f ms (%d tokens, %.1f MB read): %.1f"
                                + " times as fast%n",
                        head + more,
                        coldMillis,
                        warmMillis,
                        warm.tokens().cached(),
                        (read(reader) - before) / 1e6,
                        coldMillis / warmMillis);
            }
        }
        ratios.sort(null);
        System.out.printf(
                Locale.ROOT, "median %.1f times as fast%n", ratios.get(ratios.size() / 2));
    }

    private GenerationRequest behind(int[] known, int more, int vocabulary) {
        int[] prompt = Arrays.copyOf(known, known.length + more);
        System.arraycopy(random.ints(more, 0, vocabulary).toArray(), 0, prompt, known.length, more);
        GenerationRequest plain = GenerationRequest.greedy(prompt, 1);
        return new GenerationRequest(
                GenerationRequest.Prompt.of(prompt, new int[] {known.length}),
                plain.ending(),
                plain.choice());
    }

    private static long read(HostedModel model) {
        return DiskSubject.cache(model).shared().orElseThrow().readBytes();
    }

    /** Waits until nothing is written any more. */
    private static void settle(HostedModel model) throws InterruptedException {
        long before = -1;
        while (true) {
            Thread.sleep(SETTLE_MILLIS);
            long now = DiskSubject.cache(model).shared().orElseThrow().writtenBytes();
            if (now == before) {
                return;
            }
            before = now;
        }
    }
}

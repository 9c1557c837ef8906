package dev.varve.bench;

import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;

import java.io.PrintStream;
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

/**
 * Measures the savings and the costs of the prefix cache: the time to the first token behind a
 * known head, from the devices and from host memory, against a cold one; how fast a head is copied
 * back; the longest gap of a stream meanwhile; and cold prompts and decode with host memory against
 * none, in pairs next to each other.
 *
 * <pre>
 * CacheBench [--model FILE] [--family qwen35] [--folder DIR] [--devices cpu:0] [--threads 2]
 *            [--launcher dist/target/varve/bin/varve] [-p 4096] [--new 64] [-n 128] [--rounds 3]
 *            [--pairs 9]
 * </pre>
 */
public final class CacheBench {
    private static final PrintStream OUT = System.out;
    private static final long SETTLE_MILLIS = 600;
    private static final HostCacheLimit HOST = new HostCacheLimit.Fixed(2L << 30);
    private static final int STREAM = 400;

    private final Map<String, String> flags;
    private final Random random = new Random(5);
    private final Path file;
    private final int head;
    private final int more;

    private CacheBench(Map<String, String> flags) throws Exception {
        this.flags = flags;
        file = BenchModels.write(flags);
        head = number("-p", 4096);
        more = number("--new", 64);
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        CacheBench bench = new CacheBench(flags);
        bench.firstTokens();
        bench.gaps();
        bench.cost();
        System.exit(0);
    }

    private int number(String flag, int usual) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(usual)));
    }

    private HostedModel load(int context, int parallel, HostCacheLimit host) {
        // Room for one head on the devices, so that another one evicts it.
        ModelSettings settings =
                ModelSettings.of(SequenceLimits.of(context, parallel).withKvTokens(context + 512))
                        .with(host);
        return HostedModel.open(
                new HostSettings(
                                file,
                                settings,
                                DeviceSettings.best().withThreads(number("--threads", 2)),
                                BenchPlugins.settings(file),
                                ShardProcessSettings.launchedBy(
                                        Path.of(
                                                flags.getOrDefault(
                                                        "--launcher",
                                                        "dist/target/varve/bin/varve"))))
                        .onDevices(flags.getOrDefault("--devices", "cpu:0")));
    }

    private int[] tokens(HostedModel model, int count) {
        return random.ints(count, 0, model.vocabularySize()).toArray();
    }

    /** Returns a prompt that begins with a head and continues with new tokens. */
    private GenerationRequest behind(HostedModel model, int[] known, int count) {
        int[] prompt = Arrays.copyOf(known, known.length + more);
        System.arraycopy(tokens(model, more), 0, prompt, known.length, more);
        return new GenerationRequest(
                GenerationRequest.Prompt.of(prompt, new int[] {known.length}),
                GenerationRequest.greedy(prompt, count).ending(),
                GenerationRequest.greedy(prompt, count).choice());
    }

    private static GenerationEnd ask(HostedModel model, GenerationRequest request)
            throws Exception {
        Thread.sleep(SETTLE_MILLIS);
        return Timed.submit(model.engine(), request).end.get();
    }

    private void firstTokens() throws Exception {
        List<Double> cold = new ArrayList<>();
        List<Double> device = new ArrayList<>();
        List<Double> host = new ArrayList<>();
        List<Double> speed = new ArrayList<>();
        try (HostedModel model = load(head + 2 * more + 64, 1, HOST)) {
            for (int round = 0; round < number("--rounds", 3); round++) {
                int[] known = tokens(model, head);
                cold.add(ask(model, behind(model, known, 1)).times().prefillMillis());
                device.add(first(ask(model, behind(model, known, 1)), CacheSource.DEVICE));
                ask(model, behind(model, tokens(model, head), 1));
                GenerationEnd restored = ask(model, behind(model, known, 1));
                host.add(first(restored, CacheSource.HOST));
                PrefixLookupResult.RestoreStats copied = restored.cache().restored();
                speed.add(copied.bytes() / copied.millis() / 1e6);
            }
        }
        OUT.printf(
                Locale.ROOT,
                "%d tokens known, %d new: first token cold %.0f ms, from the device %.0f ms"
                        + " (%.1fx), from host memory %.0f ms (%.1fx), copied at %.2f GB/s%n",
                head,
                more,
                median(cold),
                median(device),
                median(cold) / median(device),
                median(host),
                median(cold) / median(host),
                median(speed));
    }

    private static double first(GenerationEnd end, CacheSource expected) {
        if (!end.cache().source().equals(Optional.of(expected))) {
            throw new IllegalStateException("expected " + expected + ", found " + end.cache());
        }
        return end.times().prefillMillis();
    }

    /** The longest gap of a stream, alone and while heads are copied in and out. */
    private void gaps() throws Exception {
        try (HostedModel model = load(head + STREAM + 2 * more + 64, 2, HOST)) {
            int[] one = tokens(model, head);
            int[] other = tokens(model, head);
            ask(model, behind(model, one, 1));
            ask(model, behind(model, other, 1));
            Timed stream = Timed.greedy(model.engine(), tokens(model, 16), STREAM);
            List<double[]> copies = new ArrayList<>();
            for (int i = 0; i < 2 * number("--rounds", 3); i++) {
                GenerationEnd end = ask(model, behind(model, i % 2 == 0 ? one : other, 1));
                double asked = System.nanoTime() / 1e6 - end.times().prefillMillis();
                copies.add(new double[] {asked, asked + end.cache().restored().millis()});
                OUT.printf(
                        Locale.ROOT,
                        "beside a stream: %s, first token %.0f ms, copied %.0f MB in %.0f ms%n",
                        end.cache().source(),
                        end.times().prefillMillis(),
                        end.cache().restored().bytes() / 1e6,
                        end.cache().restored().millis());
            }
            stream.end.get();
            List<Double> gaps = new ArrayList<>();
            double longest = 0;
            for (int i = 1; i < stream.times.size(); i++) {
                double from = stream.times.get(i - 1) / 1e6;
                double to = stream.times.get(i) / 1e6;
                gaps.add(to - from);
                if (copies.stream().anyMatch(copy -> to > copy[0] && to < copy[1])) {
                    longest = Math.max(longest, to - from);
                }
            }
            Collections.sort(gaps);
            OUT.printf(
                    Locale.ROOT,
                    "gaps of the stream: median %.1f ms, longest while a head is copied in %.1f ms,"
                            + " longest of all, with the new tokens %.1f ms%n",
                    median(gaps),
                    longest,
                    gaps.getLast());
        }
    }

    /** Cold prompts and decode, with host memory against none. */
    private void cost() throws Exception {
        int prompt = Math.min(head, 1024);
        int count = number("-n", 128);
        Ratio prefill = new Ratio("cold prefill " + prompt);
        Ratio decode = new Ratio("decode " + count);
        int context = Math.max(prompt + more, count) + 64;
        try (HostedModel without = load(context, 2, HostCacheLimit.NONE);
                HostedModel with = load(context, 2, HOST)) {
            for (int pair = -1; pair < number("--pairs", 9); pair++) {
                GenerationEnd one = ask(without, behind(without, tokens(without, prompt), 1));
                GenerationEnd other = ask(with, behind(with, tokens(with, prompt), 1));
                GenerationEnd oneDecode = ask(without, behind(without, new int[1], count));
                GenerationEnd otherDecode = ask(with, behind(with, new int[1], count));
                if (pair >= 0) {
                    prefill.add(other.prefillTokensPerSecond(), one.prefillTokensPerSecond());
                    decode.add(
                            otherDecode.decodeTokensPerSecond(), oneDecode.decodeTokensPerSecond());
                }
            }
        }
        OUT.println("with host memory against none (in the place of libllama)");
        OUT.println(prefill.describe());
        OUT.println(decode.describe());
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }
}

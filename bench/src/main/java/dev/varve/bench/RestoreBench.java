package dev.varve.bench;

import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.PrefixCacheStatus;

import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Exports the cached prefix of a device to host memory and to a disk, restores it on the same
 * device, on the processor, and back on the device, and compares the tokens that follow.
 *
 * <pre>
 * RestoreBench --model FILE [--device cpu:0] [--store FOLDER] [-p 4096] [--threads 2] [--json FILE]
 * </pre>
 */
public final class RestoreBench {
    private static final Set<String> FLAGS =
            Set.of("--model", "--device", "--store", "-p", "--threads", "--launcher", "--json");

    private static final int SUFFIX = 16;
    private static final int GENERATED = 8;
    private static final String PROCESSOR = "cpu:0";

    /** Least speed of a restore from host memory that is the goal, in bytes per second. */
    private static final double TARGET = 8e9;

    private final Map<String, String> flags;
    private final KitReport report;
    private final String device;
    private final int head;
    private final Random random = new Random(3);

    private RestoreBench(Map<String, String> flags) {
        this.flags = flags;
        report = KitReport.of(flags);
        device = flags.getOrDefault("--device", PROCESSOR);
        head = Integer.parseInt(flags.getOrDefault("-p", "4096"));
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = DiskSubject.flags(FLAGS, arguments);
        Path file = Path.of(flags.get("--model")).toAbsolutePath();
        Path store = Path.of(flags.getOrDefault("--store", file.getParent().toString()));
        try (DiskFolder folder = new DiskFolder(store)) {
            new RestoreBench(flags).run(file, folder.path().resolve("store"));
        }
        System.exit(0);
    }

    private HostedModel load(Path file, String where, Path store) {
        Map<String, String> own = new HashMap<>(flags);
        own.put("--devices", where);
        return new DiskSubject(own, file).load(head + SUFFIX + GENERATED + 64, Optional.of(store));
    }

    /**
     * A response and the work for it.
     *
     * @param cache counters before and after
     */
    private record Response(int[] tokens, GenerationEnd end, List<PrefixCacheStatus> cache) {
        private double restoredBytes() {
            return cache.getLast().counts().moved().restoredBytes()
                    - cache.getFirst().counts().moved().restoredBytes();
        }

        private double restoreSeconds() {
            return cache.getLast().counts().moved().restoreSeconds()
                    - cache.getFirst().counts().moved().restoreSeconds();
        }

        private double readBytes() {
            return read(cache.getLast()) - read(cache.getFirst());
        }

        private static double read(PrefixCacheStatus status) {
            return status.disk().map(disk -> disk.traffic().readBytes()).orElse(0L);
        }
    }

    private static Response ask(HostedModel model, int[] prompt) throws Exception {
        DiskSubject.settle(model);
        PrefixCacheStatus before = DiskSubject.cache(model);
        GenerationRequest plain = GenerationRequest.greedy(prompt, GENERATED);
        Timed timed =
                Timed.submit(
                        model.engine(),
                        new GenerationRequest(
                                GenerationRequest.Prompt.of(
                                        prompt, new int[] {prompt.length - SUFFIX}),
                                plain.ending(),
                                plain.choice()));
        GenerationEnd end = timed.end.get();
        return new Response(
                timed.tokens.stream().mapToInt(Integer::intValue).toArray(),
                end,
                List.of(before, DiskSubject.cache(model)));
    }

    private void run(Path file, Path store) throws Exception {
        int[] first;
        int[] second;
        Response computed;
        try (HostedModel model = load(file, device, store)) {
            first = random.ints(head + SUFFIX, 0, model.vocabularySize()).toArray();
            second = random.ints(head + SUFFIX, 0, model.vocabularySize()).toArray();
            computed = ask(model, first);
            ask(model, second);
            show("host memory to " + device, CacheSource.HOST, computed, ask(model, first));
            DiskSubject.settle(model);
        }
        try (HostedModel model = load(file, device, store)) {
            show("disk to " + device, CacheSource.DISK, computed, ask(model, first));
        }
        int[] third;
        Response onProcessor;
        try (HostedModel model = load(file, PROCESSOR, store)) {
            show(
                    "disk to " + PROCESSOR + ", exported from " + device,
                    CacheSource.DISK,
                    computed,
                    ask(model, first));
            third = random.ints(head + SUFFIX, 0, model.vocabularySize()).toArray();
            onProcessor = ask(model, third);
            DiskSubject.settle(model);
        }
        try (HostedModel model = load(file, device, store)) {
            show(
                    "disk to " + device + ", exported from " + PROCESSOR,
                    CacheSource.DISK,
                    onProcessor,
                    ask(model, third));
        }
    }

    private void show(String what, CacheSource source, Response expected, Response found)
            throws Exception {
        ObjectNode json = KitReport.object().put("restore", what).put("prompt_tokens", head);
        double millis = found.end().times().queueMillis() + found.end().times().prefillMillis();
        double cold = expected.end().times().queueMillis() + expected.end().times().prefillMillis();
        json.put("first_token_ms", millis).put("cold_first_token_ms", cold);
        if (!found.end().cache().source().equals(Optional.of(source))) {
            report.line("%s: MISSED: %s", what, found.end().cache());
            report.json(json.put("missed", found.end().cache().toString()));
            return;
        }
        boolean same = Arrays.equals(expected.tokens(), found.tokens());
        double speed = found.restoredBytes() / found.restoreSeconds();
        json.put("same_tokens", same)
                .put("restored_bytes", found.restoredBytes())
                .put("restore_bytes_per_second", speed)
                .put("read_bytes", found.readBytes())
                .put("target_bytes_per_second", TARGET);
        report.line(
                "%s: %s; first token after %.0f ms, cold %.0f ms; %.1f MB to the device at %.1f"
                        + " GB/s (target %.0f)%s",
                what,
                same ? "the same tokens" : "OTHER TOKENS",
                millis,
                cold,
                found.restoredBytes() / 1e6,
                speed / 1e9,
                TARGET / 1e9,
                found.readBytes() > 0
                        ? String.format(
                                Locale.ROOT, "; %.1f MB read from disk", found.readBytes() / 1e6)
                        : "");
        report.json(json);
    }
}

package dev.varve.bench;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;

/**
 * Measures the cost and the gain of a bounded attention cache: decode far behind the pool against
 * decode in a short context without one, prefill through a pool against the same attention without
 * pages, how fast pages move, and the cost of keeping them in order.
 *
 * <pre>
 * PagingBench [--model FILE] [--family qwen35] [--folder DIR] [--vocab 4096] [--pairs 9] [--threads 2]
 *     [--pool 1024] [--policy qk] [--far 12000] [--near 2000] [--short 1200] [-n 64] [--context 16384] [--device cpu:0] [--only decode|prefill|moves|shifts]
 * </pre>
 */
public final class PagingBench {
    private static final PrintStream OUT = System.out;

    /** Least ratio of decode speed in a long context to that in a short one. */
    private static final double FLAT = 0.95;

    /**
     * Largest ratio of a prompt's time through a pool to its time with the same attention without
     * pages.
     */
    private static final double PREFILL = 1.15;

    private final Map<String, String> flags;
    private final Random random = new Random(11);

    /** Tokens of a part of an answer that is timed. */
    private final int stretch;

    private final int context;

    private PagingBench(Map<String, String> flags) {
        this.flags = flags;
        stretch = number("-n", 64);
        context = number("--context", 16_384);
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        Map<String, String> flags = new HashMap<>();
        flags.put("--vocab", "4096");
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        new PagingBench(flags).run();
        System.exit(0);
    }

    private int number(String flag, int usual) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(usual)));
    }

    private void run() throws Exception {
        Path file = BenchModels.write(flags);
        String only = flags.getOrDefault("--only", "");
        try (ComputeDevice device = device()) {
            if (only.isEmpty() || only.equals("moves")) {
                moves(file, device);
            }
            if (only.isEmpty() || only.equals("shifts")) {
                shifts(file, device);
            }
            if (only.isEmpty() || only.equals("prefill")) {
                prefill(file, device);
            }
            if (only.isEmpty() || only.equals("decode")) {
                decode(file, device);
            }
        }
    }

    private ModelSettings pooled(int pool) {
        PagePolicy policy =
                PagePolicy.valueOf(flags.getOrDefault("--policy", "qk").toUpperCase(Locale.ROOT));
        return ModelSettings.of(SequenceLimits.of(context, 1))
                .withPool(
                        Optional.of(
                                new RequestedPaging(
                                        new RequestedPaging.Size.Fixed(pool),
                                        Optional.of(policy),
                                        64)));
    }

    /** An answer whose parts are requested one after the other. */
    private final class Paused extends Awaited {
        private final Semaphore wanted = new Semaphore(0);
        private final Semaphore given = new Semaphore(0);

        /** Tokens per second of the next part. */
        double next() throws InterruptedException {
            long begin = System.nanoTime();
            wanted.release(stretch);
            given.acquire(stretch);
            return stretch * 1e9 / (System.nanoTime() - begin);
        }

        void finish() {
            wanted.release(context);
            end.join();
        }

        @Override
        public boolean onToken(GeneratedToken token) {
            wanted.acquireUninterruptibly();
            given.release();
            return true;
        }
    }

    private Paused begin(LoadedModel model, int prompt, int parts) throws InterruptedException {
        Paused paused = new Paused();
        model.engine()
                .submit(
                        GenerationRequest.greedy(tokens(model, prompt), (parts + 1) * stretch),
                        paused);
        // Computes the prompt, and lets Java compile late code.
        paused.next();
        return paused;
    }

    private int[] tokens(LoadedModel model, int count) {
        return random.ints(count, 0, model.adapter().shape().vocabularySize()).toArray();
    }

    private void decode(Path file, ComputeDevice device) throws Exception {
        int pairs = number("--pairs", 9);
        int pool = number("--pool", 1024);
        int far = number("--far", 12000);
        int near = number("--near", 2000);
        int small = number("--short", 1200);
        Ratio unbounded = new Ratio(far + " in " + pool + " / " + small);
        Ratio flat = new Ratio(far + " / " + near + ", both in " + pool, FLAT);
        try (LoadedModel paged = LoadedModel.load(BenchPlugins.open(file), device, pooled(pool));
                LoadedModel closer =
                        LoadedModel.load(BenchPlugins.open(file), device, pooled(pool));
                LoadedModel whole =
                        LoadedModel.load(
                                BenchPlugins.open(file),
                                device,
                                ModelSettings.of(SequenceLimits.of(4096, 1)))) {
            OUT.println(paged.engine().status().memory().kv() + " bytes of KV and states, pooled");
            Paused first = begin(paged, far, pairs);
            Paused second = begin(closer, near, pairs);
            for (int pair = 0; pair < pairs; pair++) {
                Paused third = begin(whole, small - stretch, 1);
                double farRate = first.next();
                double shortRate = third.next();
                double nearRate = second.next();
                unbounded.add(farRate, shortRate);
                flat.add(farRate, nearRate);
                third.finish();
            }
            first.finish();
            second.finish();
            OUT.println(paged.engine().status().paging().orElseThrow());
        }
        OUT.println(unbounded.describe("paged", "whole"));
        OUT.println(flat.describe("far", "near"));
    }

    /** Records the times at which prompt tokens were computed. */
    private static final class Progress extends Awaited {
        private final TreeMap<Integer, Long> times = new TreeMap<>();

        static Progress of(Engine engine, int[] prompt) {
            Progress progress = new Progress();
            progress.times.put(0, System.nanoTime());
            engine.submit(GenerationRequest.greedy(prompt, 1), progress);
            progress.end.join();
            return progress;
        }

        double millis(int begin, int end) {
            return (times.get(end) - times.get(begin)) / 1e6;
        }

        @Override
        public void onPrefill(int done, int all) {
            times.put(done, System.nanoTime());
        }

        @Override
        public boolean onToken(GeneratedToken token) {
            return true;
        }
    }

    /**
     * A prompt of four pools. Without pages the same attention is that of the last window of a
     * prompt that just fits, for each window behind the pool.
     */
    private void prefill(Path file, ComputeDevice device) throws Exception {
        int pool = 2048;
        int window = 512;
        int prompt = 4 * pool;
        Ratio ratio = new Ratio("prefill " + prompt + " in " + pool, 1 / PREFILL);
        try (LoadedModel paged = LoadedModel.load(BenchPlugins.open(file), device, pooled(pool));
                LoadedModel whole =
                        LoadedModel.load(
                                BenchPlugins.open(file),
                                device,
                                ModelSettings.of(SequenceLimits.of(4096, 1)))) {
            for (int pair = -1; pair < number("--pairs", 9) / 3; pair++) {
                Progress own = Progress.of(paged.engine(), tokens(paged, prompt));
                Progress other = Progress.of(whole.engine(), tokens(whole, pool + 1));
                double last = other.millis(pool - window, pool);
                double same = other.millis(0, pool) + (prompt - pool) / window * last;
                if (pair >= 0) {
                    ratio.add(prompt * 1000.0 / own.millis(0, prompt), prompt * 1000.0 / same);
                }
            }
        }
        OUT.println(ratio.describe("paged", "same span"));
        OUT.printf(Locale.ROOT, "time %.3f of the same attention%n", 1 / ratio.median());
    }

    /** Pages go out and come back, for the first time and when their memory is there already. */
    private void moves(Path file, ComputeDevice device) throws Exception {
        int pool = number("--pool", 1024);
        int rounds = 32;
        OpenedModel opened = BenchPlugins.open(file);
        ModelRange whole =
                new ModelRange(
                        opened.file(), opened.adapter(), opened.adapter().shape().allLayers());
        CacheCapacities sizes = new CacheCapacities(pool, 2, 0);
        try (Shard paged =
                LocalShard.load(
                        whole,
                        device,
                        ShardOptions.of(CacheTypes.f16(), sizes),
                        LoadProgressListener.silent())) {
            int count = pool / Pages.TOKENS;
            for (int round = 0; round < 2; round++) {
                double out = move(paged, PageMove.Direction.OUT, count, rounds);
                double in = move(paged, PageMove.Direction.IN, count, rounds);
                OUT.printf(
                        Locale.ROOT,
                        "pages %s: out %.2f GB/s, in %.2f GB/s%n",
                        round == 0 ? "for the first time" : "again",
                        out,
                        in);
            }
        }
    }

    /**
     * The most that a page moves when it leaves: all others but the first by one place. It happens
     * once for the tokens of a page; both in time that this thread worked.
     */
    private void shifts(Path file, ComputeDevice device) throws Exception {
        int pool = number("--pool", 1024);
        OpenedModel opened = BenchPlugins.open(file);
        ModelRange whole =
                new ModelRange(
                        opened.file(), opened.adapter(), opened.adapter().shape().allLayers());
        KvSlotCopy shift = new KvSlotCopy(2 * Pages.TOKENS, Pages.TOKENS, pool - 2 * Pages.TOKENS);
        Batch step =
                new Batch(
                        List.of(
                                new SequenceChunk(
                                        0,
                                        new int[1],
                                        new ChunkPlacement(pool - 1, new KvSlotSpan(0, pool), 1, 1),
                                        RequestedOutput.BEST)),
                        ComputeDevice.Phase.DECODE);
        List<Double> parts = new ArrayList<>();
        List<Double> millis = new ArrayList<>();
        try (Shard paged =
                LocalShard.load(
                        whole,
                        device,
                        ShardOptions.of(CacheTypes.f16(), new CacheCapacities(pool, 2, 0)),
                        LoadProgressListener.silent())) {
            for (int pair = -1; pair < number("--pairs", 9); pair++) {
                long begin = worked();
                paged.change(CacheChanges.copies(List.of(shift))).join();
                long moved = worked();
                for (int token = 0; token < Pages.TOKENS; token++) {
                    paged.forward(step, Optional.empty()).join();
                }
                if (pair >= 0) {
                    millis.add((moved - begin) / 1e6);
                    parts.add(100.0 * (moved - begin) / (worked() - moved));
                }
            }
        }
        OUT.printf(
                Locale.ROOT,
                "pages of %d tokens shifted by one: %.2f ms, %.2f %% of the steps of a page%n",
                pool,
                median(millis),
                median(parts));
    }

    private static long worked() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static double move(Shard shard, PageMove.Direction way, int count, int rounds) {
        long before = shard.memory().hostPages();
        long nanos = 0;
        for (int round = 0; round < rounds; round++) {
            List<KvRowOperation> moves = new ArrayList<>();
            for (int page = 0; page < count; page++) {
                moves.add(new PageMove(1 + round * count + page, page * Pages.TOKENS, way));
            }
            long begin = System.nanoTime();
            shard.change(new CacheChanges(List.of(), moves)).join();
            nanos += System.nanoTime() - begin;
        }
        long held = Math.max(before, shard.memory().hostPages());
        return (double) held / nanos;
    }

    private ComputeDevice device() {
        return BenchPlugins.device(flags.getOrDefault("--device", "cpu:0"), number("--threads", 2));
    }
}

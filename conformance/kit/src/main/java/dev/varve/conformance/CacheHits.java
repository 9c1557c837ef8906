package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.VarveException;
import dev.varve.contracts.SlotStore;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.TokenLogprobs;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.store.ArchiveSettings;
import dev.varve.platform.store.DiskArchive;
import dev.varve.platform.store.Namespace;
import dev.varve.testkit.Await;
import dev.varve.testkit.Comparison;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Compares prompts whose prefixes are cached on the devices and in host memory with the same
 * prompts computed whole: each token, with the likely ones and their probabilities.
 */
final class CacheHits {
    private static final int CONTEXT = 512;
    private static final int PARALLEL = 2;

    /** Length of a head at which small windows have dropped whole blocks. */
    private static final int HEAD = 350;

    private static final int SHORT_HEAD = 60;

    /** Length of a head that consists of whole pieces. */
    private static final int ALIGNED_HEAD = 304;

    private static final int ANSWER = 6;
    private static final CacheScope WARM = new CacheScope("warm");

    /** Scope of prompts that outlive their model. */
    private static final CacheScope KEPT = new CacheScope("kept");

    private CacheHits() {}

    static ModelSettings settings(CacheTypes types) {
        return Cpu.settings(SequenceLimits.of(CONTEXT, PARALLEL), types);
    }

    static ModelSettings withHost(ModelSettings settings) {
        return settings.with(new HostCacheLimit.Fixed(32 << 20));
    }

    /** Required equality of answers that were computed with different chunk boundaries. */
    enum Grade {
        /** Every token is the same. */
        B,
        /** The first other token was too close to call. */
        C;

        static Grade of(CacheTypes types) {
            return types.equals(Cpu.Q8_0) ? B : C;
        }
    }

    /** A prompt and its boundaries. */
    private record Prompt(int[] tokens, int... boundaries) {
        GenerationRequest request(CacheScope scope) {
            return new GenerationRequest(
                            GenerationRequest.Prompt.of(tokens, boundaries),
                            new GenerationRequest.Ending(ANSWER, Set.of()),
                            new GenerationRequest.Choice(
                                    SamplingOptions.greedy(),
                                    OptionalInt.of(GenerationRequest.Choice.MOST_LOGPROBS),
                                    TokenConstraint.none()))
                    .within(scope);
        }

        Told ask(Engine engine, CacheScope scope) {
            Listener listener = new Listener();
            engine.submit(request(scope), listener);
            // A software renderer compiles its shaders with the first request.
            GenerationEnd end = listener.end.orTimeout(1, TimeUnit.MINUTES).join();
            return new Told(List.copyOf(listener.tokens), end);
        }
    }

    private static final class Listener implements GenerationListener {
        private final List<GeneratedToken> tokens = new ArrayList<>();
        private final CompletableFuture<GenerationEnd> end = new CompletableFuture<>();

        @Override
        public boolean onToken(GeneratedToken token) {
            return tokens.add(token);
        }

        @Override
        public void onEnd(GenerationEnd how) {
            end.complete(how);
        }

        @Override
        public void onError(VarveException error) {
            end.completeExceptionally(error);
        }
    }

    /** An answer, and the result of its prefix lookup. */
    record Told(List<GeneratedToken> tokens, GenerationEnd end) {
        int[] ids() {
            return tokens.stream().mapToInt(GeneratedToken::id).toArray();
        }

        private Map<Integer, Float> likely(int step) {
            Map<Integer, Float> likely = new TreeMap<>();
            tokens.get(step)
                    .logprobs()
                    .orElseThrow()
                    .top()
                    .forEach(each -> likely.put(each.id(), each.logprob()));
            return likely;
        }

        private void requireHit(String what, CacheSource source, int cached) {
            assertEquals(Optional.of(source), end.cache().source(), what + ": " + end);
            assertEquals(cached, end.tokens().cached(), what);
        }

        /** Grade (a): equal bits. */
        private void requireSame(String what, Told expected) {
            assertArrayEquals(expected.ids(), ids(), what);
            for (int i = 0; i < tokens.size(); i++) {
                TokenLogprobs logprobs = expected.tokens.get(i).logprobs().orElseThrow();
                assertEquals(logprobs, tokens.get(i).logprobs().orElseThrow(), what + ", " + i);
            }
        }

        private void require(Grade grade, String what, Told expected) {
            int step = Arrays.mismatch(expected.ids(), ids());
            if (grade == Grade.B || step < 0) {
                assertArrayEquals(expected.ids(), ids(), what);
                return;
            }
            // Both chose it after the same tokens. Where one is not among the likely ones of the
            // other, the lead is that of all likely ones together.
            Map<Integer, Float> plain = expected.likely(step);
            Map<Integer, Float> actual = likely(step);
            float least = plain.values().stream().min(Float::compare).orElseThrow();
            float[] row = row(plain, plain, least);
            Comparison.assertGreedyGradeC(
                    what + ", token " + step,
                    new Comparison.GreedyRun(new int[] {expected.ids()[step]}, new float[][] {row}),
                    new int[] {ids()[step]},
                    Comparison.worstDifference(row, row(actual, plain, least)));
        }

        /** Log probabilities by id of the tokens that another distribution finds likely. */
        private static float[] row(
                Map<Integer, Float> values, Map<Integer, Float> wanted, float otherwise) {
            float[] row = new float[1 << 12];
            Arrays.fill(row, otherwise);
            wanted.keySet().forEach(id -> row[id] = values.getOrDefault(id, otherwise));
            return row;
        }
    }

    /**
     * Answers of a model whose prefix cache is on its devices only.
     *
     * @param cold answers to all prompts, each computed whole
     * @param continued the answer to the last of them, which continues a prefix on the devices
     */
    record Expected(List<Prompt> prompts, List<Told> cold, Told continued) {
        static Expected of(RandomModel spec, long seed, LoadedModel model) {
            int[] head = spec.tokens(HEAD, seed);
            List<Prompt> prompts = new ArrayList<>();
            List<Told> cold = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                prompts.add(new Prompt(join(head, spec.tokens(20 + 5 * i, seed + 100 + i)), HEAD));
                cold.add(prompts.get(i).ask(model.engine(), new CacheScope("cold " + i)));
            }
            int[] before = join(prompts.get(2).tokens(), cold.get(2).ids());
            Prompt next =
                    new Prompt(join(before, spec.tokens(30, seed + 200)), HEAD, before.length);
            prompts.add(next);
            Told continued = next.ask(model.engine(), new CacheScope("cold 2"));
            continued.requireHit("on the device", CacheSource.DEVICE, before.length - 1);
            cold.add(next.ask(model.engine(), new CacheScope("cold 3")));
            return new Expected(prompts, cold, continued);
        }

        /** Requires the same answers of a model with host memory. */
        void requireFrom(LoadedModel model, Grade grade, String what) {
            Engine engine = model.engine();
            CacheScope warm = new CacheScope(what);
            Told first = prompts.get(0).ask(engine, warm);
            Told fork = prompts.get(1).ask(engine, warm);
            awaitEntry(engine, HEAD);
            pushOff(engine);
            Told restored = prompts.get(2).ask(engine, warm);
            int end = prompts.get(2).tokens().length + ANSWER - 1;
            awaitEntry(engine, end);
            pushOff(engine);
            Told next = prompts.get(3).ask(engine, warm);

            fork.requireHit(what, CacheSource.DEVICE, HEAD);
            restored.requireHit(what, CacheSource.HOST, HEAD);
            next.requireHit(what, CacheSource.HOST, end);
            // (a): the head ends with a forward in all of them.
            first.requireSame(what + ", computed", cold.get(0));
            fork.requireSame(what + ", forked", cold.get(1));
            restored.requireSame(what + ", restored", cold.get(2));
            // (a): the same forwards, on the devices all the time.
            next.requireSame(what + ", next turn", continued);
            // Tokens that were decoded are now part of a prompt.
            next.require(grade, what + ", next turn computed whole", cold.get(3));
        }

        /**
         * Computes prompts with a model for another one that finds them on disk; they are written
         * when the model closes.
         */
        void keep(LoadedModel model) {
            prompts.get(0).ask(model.engine(), KEPT).requireSame("kept", cold.get(0));
        }

        /** Requires the answers of a model that has not computed the head itself. */
        void requireFromDisk(LoadedModel model, String what) {
            Told restored = prompts.get(1).ask(model.engine(), KEPT);

            restored.requireHit(what, CacheSource.DISK, HEAD);
            // (a): the head ends with a forward in both.
            restored.requireSame(what + ", from disk", cold.get(1));
        }
    }

    /** A disk behind a model's host memory. */
    static DiskTierOptions disk(Path folder) throws IOException {
        byte[] id = new byte[32];
        ArchiveSettings settings =
                new ArchiveSettings(
                        folder,
                        new Namespace(id, Map.of()),
                        1 << 16,
                        false,
                        new ArchiveSettings.Limits(64 << 20, 0, Optional.empty()),
                        Optional.empty(),
                        InstantSource.system());
        return new DiskTierOptions(DiskArchive.open(settings, new SlotStore.Provider()), id, "");
    }

    /** Settings with room for one sequence of a block, so that each request evicts the other. */
    static ModelSettings oneBlock(CacheTypes types) {
        return withHost(Cpu.settings(KvSlotSpan.BLOCK, 1, types));
    }

    /**
     * Checks hits in host memory with few requests: a prompt, another one with its head, and that
     * one in a scope of its own.
     */
    static void requireFromHost(RandomModel spec, long seed, LoadedModel model, String what) {
        Engine engine = model.engine();
        shortPrompt(spec, seed, 1).ask(engine, WARM);
        awaitEntry(engine, SHORT_HEAD);
        new Prompt(spec.tokens(8, seed + 2)).ask(engine, CacheScope.none());
        requireFrom(CacheSource.HOST, shortPrompt(spec, seed, 3), engine, what);
    }

    /** Checks hits of a model whose disk holds the prompts of {@link #requireFromHost}. */
    static void requireFromDisk(RandomModel spec, long seed, LoadedModel model, String what) {
        requireFrom(CacheSource.DISK, shortPrompt(spec, seed, 4), model.engine(), what);
    }

    private static void requireFrom(CacheSource source, Prompt prompt, Engine engine, String what) {
        Told cold = prompt.ask(engine, new CacheScope("not from " + source));
        Told restored = prompt.ask(engine, WARM);

        restored.requireHit(what, source, SHORT_HEAD);
        assertEquals(0, cold.end().tokens().cached(), what);
        // (a): the head ends with a forward in both.
        restored.requireSame(what, cold);
    }

    /**
     * Compares a rest of a few tokens after a prefix, which ends between pieces of a window, with
     * the same prompt computed whole, in one chunk.
     */
    static void requireShortRest(RandomModel spec, long seed, LoadedModel model, String what) {
        Engine engine = model.engine();
        int[] head = spec.tokens(ALIGNED_HEAD, seed);
        Prompt before = new Prompt(join(head, spec.tokens(70, seed + 1)), ALIGNED_HEAD);
        Prompt next = new Prompt(join(head, spec.tokens(7, seed + 2)), ALIGNED_HEAD);
        Told whole = next.ask(engine, CacheScope.none());

        Told first = next.ask(engine, new CacheScope("first"));
        before.ask(engine, WARM);
        Told resumed = next.ask(engine, WARM);

        resumed.requireHit(what, CacheSource.DEVICE, ALIGNED_HEAD);
        first.requireSame(what + ", cut at the boundary", whole);
        resumed.requireSame(what + ", resumed there", whole);
    }

    private static Prompt shortPrompt(RandomModel spec, long seed, int number) {
        int[] head = spec.tokens(SHORT_HEAD, seed);
        return new Prompt(join(head, spec.tokens(8, seed + number)), SHORT_HEAD);
    }

    private static int[] join(int[] first, int[] second) {
        return IntStream.concat(Arrays.stream(first), Arrays.stream(second)).toArray();
    }

    private static void awaitEntry(Engine engine, int position) {
        Await.until(
                "a state at " + position + " in host memory",
                () ->
                        Await.result(engine.cacheEntries()).stream()
                                .mapToInt(CachedPrefixInfo::tokens)
                                .anyMatch(tokens -> tokens == position));
    }

    /** Evicts all finished sequences, and leaves no cached prefix. */
    private static void pushOff(Engine engine) {
        int[] large = new int[CONTEXT - 1];
        Arrays.fill(large, 1);
        GenerationRequest request = GenerationRequest.greedy(large, 1).within(CacheScope.none());
        List<Engine.NewRequest> all =
                IntStream.range(0, PARALLEL)
                        .mapToObj(i -> new Engine.NewRequest(request, new Listener()))
                        .toList();
        engine.submit(all);
        all.forEach(each -> Await.result(((Listener) each.listener()).end));
        Await.until("no residents", () -> engine.status().slots().resident() == 0);
    }
}

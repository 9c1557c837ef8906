package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.engine.SimulatedShard.ShardFaults;
import dev.varve.platform.prefix.CacheStores;
import dev.varve.platform.prefix.Disk;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.SlotSpan;
import dev.varve.platform.simulation.Scenario;
import dev.varve.platform.simulation.Simulation;
import dev.varve.platform.store.SimulatedDisk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * An engine with shards, host memory and a disk, any of which may fail; clients that ask, continue
 * their conversations and cancel; an operator who clears the cache; and a start behind that, on the
 * disk as it was when the engine was closed, or was killed at some moment.
 */
public final class EngineScenario implements Scenario {
    private static final byte[] NAMESPACE = new byte[32];
    private static final int LONGEST_ANSWER = 12;
    private static final long PATIENCE = 20_000_000_000L;

    private Simulation simulation;
    private SplittableRandom choices;
    private SimulatedModel model;
    private ShardFaults faults;
    private final List<SimulatedClient> clients = new ArrayList<>();
    private Optional<SimulatedDisk> killed = Optional.empty();

    private int oneOf(int... values) {
        return values[choices.nextInt(values.length)];
    }

    @Override
    public void run(Simulation run) throws Exception {
        simulation = run;
        choices = run.choices();
        model = new SimulatedModel(choices.nextBoolean());
        faults =
                new ShardFaults(
                        oneOf(0, 0, 40, 200),
                        oneOf(0, 0, 100, 400),
                        oneOf(0, 0, 10, 40),
                        new int[] {4});
        SimulatedDisk.Faults diskFaults =
                choices.nextBoolean()
                        ? SimulatedDisk.Faults.NONE
                        : new SimulatedDisk.Faults(
                                oneOf(0, 10, 100),
                                oneOf(0, 10, 50),
                                oneOf(0, 0, 4),
                                oneOf(0, 10, 50),
                                oneOf(0, 0, 30));
        try (SimulatedDisk disk = new SimulatedDisk(diskFaults, oneOf(200_000, 4_000_000))) {
            runOn(disk);
            faults = new ShardFaults(0, 0, 0, new int[1]);
            clients.clear();
            if (killed.isPresent()) {
                try (SimulatedDisk left = killed.get()) {
                    restart(left);
                }
            } else {
                restart(disk);
            }
        }
    }

    private void runOn(SimulatedDisk disk) throws Exception {
        try (Scheduler engine = start(disk)) {
            List<Thread> threads = new ArrayList<>();
            int count = choices.nextInt(1, 5);
            for (int i = 0; i < count; i++) {
                SplittableRandom own = choices.split();
                String name = "client " + i;
                threads.add(simulation.start(name, () -> converse(engine, own, name)));
            }
            if (choices.nextInt(3) == 0) {
                SplittableRandom own = choices.split();
                threads.add(simulation.start("operator", () -> operate(engine, own, disk)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertAllEnded();
            assertNothingStays(engine);
        }
    }

    private void restart(SimulatedDisk disk) throws Exception {
        simulation.event("restart");
        try (Scheduler engine = start(disk)) {
            for (int topic = 0; topic < 2; topic++) {
                ask(engine, "again " + topic, prompt(topic, 0), 4, choices);
            }
            assertAllEnded();
            assertNothingStays(engine);
        }
    }

    private Scheduler start(SimulatedDisk disk) throws IOException {
        int parallel = choices.nextInt(1, 4);
        EngineOptions options =
                new EngineOptions(
                        EngineOptions.Capacity.of(
                                SimulatedModel.CONTEXT,
                                parallel,
                                SlotSpan.BLOCK * choices.nextInt(3, 8)),
                        64);
        if (choices.nextInt(8) > 0) {
            Optional<Disk> below =
                    choices.nextInt(8) > 0
                            ? Optional.of(new Disk(disk.open(NAMESPACE), NAMESPACE, ""))
                            : Optional.empty();
            options =
                    options.withHostCache(
                            new HostCache(
                                    model.layout(),
                                    oneOf(100_000, 200_000, 2_000_000),
                                    CacheStores.of(below)));
        }
        return Scheduler.start(new ShardPipeline(shards(options)), model.shape(), options);
    }

    private List<SimulatedShard> shards(EngineOptions options) {
        int cut = choices.nextInt(SimulatedModel.LAYERS);
        boolean together = choices.nextInt(4) == 0;
        Object turn = new Object();
        List<LayerRange> ranges =
                cut == 0
                        ? List.of(new LayerRange(0, SimulatedModel.LAYERS))
                        : List.of(
                                new LayerRange(0, cut), new LayerRange(cut, SimulatedModel.LAYERS));
        return ranges.stream()
                .map(
                        range ->
                                new SimulatedShard(
                                        model,
                                        range,
                                        options,
                                        together ? turn : new Object(),
                                        faults))
                .toList();
    }

    /** One of few beginnings, which many prompts share, with something of its own behind it. */
    private static int[] prompt(int topic, int more) {
        int[] head =
                new SplittableRandom(topic)
                        .ints(250 + 60 * topic, 0, SimulatedModel.VOCABULARY)
                        .toArray();
        int[] tail = IntStream.range(0, more).map(i -> (i * 7 + more) % 50).toArray();
        return IntStream.concat(Arrays.stream(head), Arrays.stream(tail)).toArray();
    }

    private void converse(Scheduler engine, SplittableRandom own, String name) {
        int[] prompt = prompt(own.nextInt(3), own.nextInt(40));
        int turns = own.nextInt(1, 4);
        try {
            for (int turn = 0; turn < turns; turn++) {
                simulation.sleep(own.nextLong(30_000_000));
                int count = own.nextInt(1, LONGEST_ANSWER);
                if (prompt.length + count > SimulatedModel.CONTEXT) {
                    return;
                }
                SimulatedClient client = ask(engine, name + "." + turn, prompt, count, own);
                int[] said = client.tokens().stream().mapToInt(Integer::intValue).toArray();
                int[] more = own.ints(own.nextInt(1, 80), 0, 50).toArray();
                prompt =
                        IntStream.concat(
                                        IntStream.concat(
                                                Arrays.stream(prompt), Arrays.stream(said)),
                                        Arrays.stream(more))
                                .toArray();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private SimulatedClient ask(
            Scheduler engine, String name, int[] prompt, int count, SplittableRandom own)
            throws InterruptedException {
        boolean keeps = own.nextInt(8) > 0;
        int stopsAfter = own.nextInt(6) == 0 ? own.nextInt(1, count + 1) : Integer.MAX_VALUE;
        boolean cancels = own.nextInt(5) == 0;
        int boundary = own.nextBoolean() ? own.nextInt(1, prompt.length) : 0;
        GenerationRequest request =
                new GenerationRequest(
                                GenerationRequest.Prompt.of(
                                        prompt, boundary == 0 ? new int[0] : new int[] {boundary}),
                                new GenerationRequest.Ending(count, Set.of()),
                                GenerationRequest.Choice.of(SamplingOptions.greedy()))
                        .within(keeps ? CacheScope.common() : CacheScope.none());
        SimulatedClient client = new SimulatedClient(name, stopsAfter);
        clients.add(client);
        Generation generation = engine.submit(request, client);
        if (cancels) {
            simulation.sleep(own.nextLong(60_000_000));
            simulation.event(name + " cancels");
            generation.cancel();
        }
        client.await();
        check(client, prompt, count, stopsAfter, cancels);
        return client;
    }

    private void check(
            SimulatedClient client, int[] prompt, int count, int stopsAfter, boolean cancels) {
        List<Integer> expected = model.answer(prompt, count);
        assertEquals(
                expected.subList(0, client.tokens().size()), client.tokens(), client::toString);
        client.end()
                .ifPresent(
                        end -> {
                            assertEquals(Math.min(count, stopsAfter), client.tokens().size());
                            assertEquals(client.tokens().size(), end.tokens().generated());
                            assertEquals(prompt.length, end.tokens().prompt());
                        });
        client.error().ifPresent(error -> assertExplained(error, cancels, client));
    }

    /** A request fails only for a reason. */
    private void assertExplained(VarveException error, boolean cancels, SimulatedClient client) {
        boolean explained =
                switch (error.kind()) {
                    case CANCELLED -> cancels;
                    case BACKEND_FAILED -> faults.fails() > 0 || faults.failedCopies() > 0;
                    case UNAVAILABLE -> faults.losses() > 0;
                    default -> false;
                };
        if (!explained) {
            throw new AssertionError(client.toString(), error);
        }
    }

    private void operate(Scheduler engine, SplittableRandom own, SimulatedDisk disk) {
        int count = own.nextInt(1, 4);
        for (int i = 0; i < count; i++) {
            simulation.sleep(own.nextLong(60_000_000));
            switch (own.nextInt(3)) {
                case 0 -> {
                    simulation.event("the operator clears the cache");
                    engine.clearCache().exceptionally(failure -> null).join();
                }
                case 1 -> engine.cacheEntries().join();
                default -> {
                    if (killed.isEmpty()) {
                        simulation.event("a copy of the disk is taken");
                        killed = Optional.of(disk.afterKill());
                    }
                }
            }
            EngineStatus status = engine.status();
            assertTrue(
                    status.cache().host().usedBytes() <= status.cache().host().limitBytes(),
                    status::toString);
        }
    }

    private void assertAllEnded() {
        for (SimulatedClient client : clients) {
            assertEquals(1, client.ends(), client::toString);
        }
    }

    /** Once all has ended and all is forgotten, nothing is held. */
    private void assertNothingStays(Scheduler engine) throws Exception {
        long end = System.nanoTime() + PATIENCE;
        EngineStatus status = forgotten(engine);
        while (!isFree(status)) {
            if (System.nanoTime() > end) {
                throw new AssertionError("something stays: " + status);
            }
            Thread.sleep(100);
            status = forgotten(engine);
        }
        EngineStatus.Tokens tokens = status.counts().tokens();
        long heard = clients.stream().mapToLong(client -> client.tokens().size()).sum();
        assertEquals(heard, tokens.generated(), "tokens");
        assertTrue(tokens.cachedPrompt() <= tokens.prompt(), tokens::toString);
    }

    private static EngineStatus forgotten(Scheduler engine) {
        engine.clearCache().exceptionally(failure -> null).join();
        engine.cacheEntries().join();
        return engine.status();
    }

    private static boolean isFree(EngineStatus status) {
        return status.load().running() == 0
                && status.load().waiting() == 0
                && status.slots().running() == 0
                && status.slots().resident() == 0
                && status.cache().host().usedBytes() == 0
                && status.cache().host().entries() == 0
                && status.cache().host().blockTokens() == 0;
    }
}

package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.prefix.SharedTierOptions;
import dev.varve.platform.prefix.StorageTierOptions;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.SimulatedDisk;
import dev.varve.platform.store.SimulatedSharedStore;
import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Simulation;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Simulates an engine with shards, host memory and a disk, any of which may fail; clients that send
 * requests, continue conversations and cancel; and an operator who clears the cache. Then a second
 * engine starts on the disk as it was when the first was closed, or killed at a random moment.
 */
public final class EngineScenario implements Scenario {
    private static final byte[] NAMESPACE = new byte[32];

    /** Disk budget that no run uses up. */
    private static final int ENOUGH = 8_000_000;

    /** Shorter than some losses of a shard. */
    private static final Duration SHORT_PATIENCE = Duration.ofMillis(50);

    /** Longest time in ns until unneeded resources are freed. */
    private static final long PATIENCE = 20_000_000_000L;

    private Simulation simulation;
    private SplittableRandom choices;
    private SimulatedModel model;
    private ShardFaults faults;
    private SimulatedDisk.Faults diskFaults;
    private int diskBytes;
    private SimulatedSharedStore.Faults sharedFaults;

    /** Content of the shared store; it survives the loss of the servers' disks. */
    private final Map<String, byte[]> sharedValues = new TreeMap<>();

    private Optional<SimulatedDisk> killed = Optional.empty();
    private boolean closing;
    private boolean patient;

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
                        oneOf(0, 0, 40, 200), oneOf(0, 0, 100, 400), oneOf(0, 0, 10, 40), 4);
        diskFaults =
                choices.nextBoolean()
                        ? SimulatedDisk.Faults.NONE
                        : new SimulatedDisk.Faults(
                                oneOf(0, 10, 100),
                                oneOf(0, 10, 50),
                                oneOf(0, 0, 4),
                                oneOf(0, 10, 50),
                                oneOf(0, 0, 30));
        diskBytes = oneOf(200_000, ENOUGH);
        sharedFaults =
                choices.nextBoolean()
                        ? SimulatedSharedStore.Faults.NONE
                        : new SimulatedSharedStore.Faults(
                                oneOf(0, 10, 50), oneOf(0, 20), oneOf(0, 10), oneOf(0, 10));
        try (SimulatedDisk disk = new SimulatedDisk(diskFaults, diskBytes)) {
            SimulatedClients before = runOn(disk);
            faults = ShardFaults.none();
            closing = false;
            if (killed.isPresent()) {
                try (SimulatedDisk left = killed.get()) {
                    restart(left, before);
                }
            } else {
                restart(disk, before);
            }
        }
    }

    private SimulatedClients runOn(SimulatedDisk disk) throws Exception {
        try (EngineCore engine = start(disk)) {
            SimulatedClients clients = new SimulatedClients(model, engine, this::isExplained);
            List<Thread> threads = clients.start(choices.nextInt(1, 5));
            if (choices.nextInt(3) == 0) {
                SplittableRandom own = choices.split();
                threads.add(simulation.start("operator", () -> operate(engine, own, disk)));
            }
            boolean early = choices.nextInt(3) == 0;
            if (early) {
                end(engine, clients);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            clients.assertAllEnded();
            if (!early) {
                assertNothingStays(engine, clients);
                assertDiskIsWritten(engine);
            }
            return clients;
        }
    }

    /** Ends the engine while clients send requests. */
    private void end(EngineCore engine, SimulatedClients clients) {
        simulation.sleep(choices.nextLong(80_000_000));
        simulation.event("the engine drains");
        closing = true;
        boolean drained = engine.drain(Duration.ofNanos(choices.nextLong(1, 300_000_000)));
        simulation.event(drained ? "the engine is drained" : "the engine is closed");
        if (drained) {
            clients.assertNoneWaits();
        }
        engine.close();
        clients.assertNoneWaits();
    }

    private void restart(SimulatedDisk disk, SimulatedClients before) throws Exception {
        simulation.event("restart");
        try (EngineCore engine = start(disk)) {
            SimulatedClients clients = new SimulatedClients(model, engine, this::isExplained);
            clients.askAgain(before, 4);
            clients.assertAllEnded();
            assertNothingStays(engine, clients);
        }
    }

    private EngineCore start(SimulatedDisk disk) throws IOException {
        int parallel = choices.nextInt(1, 4);
        EngineOptions options =
                new EngineOptions(
                        EngineOptions.Capacity.of(
                                SimulatedModel.CONTEXT,
                                parallel,
                                KvSlotSpan.BLOCK * choices.nextInt(3, 8)),
                        64);
        patient = choices.nextInt(4) > 0;
        if (!patient) {
            options = ChangedOptions.withShardPatience(options, SHORT_PATIENCE);
        }
        if (choices.nextInt(8) > 0) {
            Optional<DiskTierOptions> below =
                    choices.nextInt(8) > 0
                            ? Optional.of(new DiskTierOptions(disk.open(NAMESPACE), NAMESPACE, ""))
                            : Optional.empty();
            options =
                    ChangedOptions.withHostCache(
                            options,
                            new HostCacheOptions(
                                    model.layout(),
                                    oneOf(100_000, 200_000, 2_000_000),
                                    new StorageTierOptions(below, shared())));
        }
        return EngineCore.start(new ShardPipeline(shards(options)), model.shape(), options);
    }

    private Optional<SharedTierOptions> shared() {
        return choices.nextInt(3) == 0
                ? Optional.of(
                        new SharedTierOptions(
                                new SimulatedSharedStore(sharedValues, sharedFaults)
                                        .open(NAMESPACE),
                                NAMESPACE,
                                ""))
                : Optional.empty();
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

    private boolean isExplained(VarveException error) {
        return switch (error.kind()) {
            case BACKEND_FAILED -> faults.failedSteps() > 0;
            case UNAVAILABLE -> closing || !patient && faults.lost() > 0;
            case CANCELLED -> closing;
            default -> false;
        };
    }

    private void operate(EngineCore engine, SplittableRandom own, SimulatedDisk disk) {
        int count = own.nextInt(1, 4);
        for (int i = 0; i < count; i++) {
            simulation.sleep(own.nextLong(60_000_000));
            switch (own.nextInt(3)) {
                case 0 -> {
                    simulation.event("the operator clears the cache");
                    engine.clearCache().exceptionally(failure -> null).join();
                }
                case 1 -> engine.cacheEntries().exceptionally(failure -> List.of()).join();
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

    /** Checks that nothing is held after all requests have ended and the cache is cleared. */
    private void assertNothingStays(EngineCore engine, SimulatedClients clients) throws Exception {
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
        assertEquals(clients.tokens(), tokens.generated(), "tokens");
        assertTrue(tokens.cachedPrompt() <= tokens.prompt(), tokens::toString);
    }

    /** Checks that a disk without failures and with free space is still written to. */
    private void assertDiskIsWritten(EngineCore engine) {
        if (diskFaults.equals(SimulatedDisk.Faults.NONE) && diskBytes == ENOUGH) {
            engine.status()
                    .cache()
                    .disk()
                    .ifPresent(disk -> assertEquals(ArchiveStatus.State.OPEN, disk.state()));
        }
    }

    private static EngineStatus forgotten(EngineCore engine) {
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
                && status.cache().host().keptTokens() == 0;
    }
}

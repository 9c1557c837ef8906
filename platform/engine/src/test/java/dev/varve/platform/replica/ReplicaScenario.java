package dev.varve.platform.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.engine.ChangedOptions;
import dev.varve.platform.engine.EngineCore;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.HostCacheOptions;
import dev.varve.platform.engine.ReplicaControl;
import dev.varve.platform.engine.ShardFaults;
import dev.varve.platform.engine.ShardPipeline;
import dev.varve.platform.engine.SimulatedClients;
import dev.varve.platform.engine.SimulatedModel;
import dev.varve.platform.engine.SimulatedShard;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Simulates a pool of engines whose shards fail and are lost. Up to two operators restart, drain
 * and resume engines, and sometimes an engine cannot be loaded again at once. A request fails only
 * if no engine is left for it.
 */
public final class ReplicaScenario implements Scenario {
    private static final int MOST_FAULTS = 6;
    private static final Duration PATIENCE = Duration.ofMillis(100);

    private Simulation simulation;
    private SplittableRandom choices;
    private SimulatedModel model;
    private ShardFaults faults;
    private int count;
    private int refusals;
    private int restarts;
    private int drains;

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
                        oneOf(0, 20, 60),
                        oneOf(0, 30, 200),
                        oneOf(0, 0, 20),
                        oneOf(1, MOST_FAULTS));
        refusals = oneOf(0, 0, 3);
        count = choices.nextInt(2, 4);
        List<LoadedEngine> members = IntStream.range(0, count).mapToObj(this::open).toList();
        try (EnginePool pool =
                EnginePool.of(members, this::load, Duration.ofMillis(5), Duration.ofMillis(50))) {
            SimulatedClients clients = new SimulatedClients(model, pool, this::isExplained);
            List<Thread> threads = new ArrayList<>(clients.start(choices.nextInt(2, 7)));
            int operators = choices.nextInt(3);
            for (int i = 0; i < operators; i++) {
                SplittableRandom own = choices.split();
                threads.add(simulation.start("operator " + i, () -> operate(pool, own)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            clients.assertAllEnded();
            assertTrue(pool.drain(Duration.ofSeconds(1)), "all requests have ended");
            assertIdle(pool, clients);
        }
    }

    private LoadedEngine load(int replica) {
        simulation.sleep(choices.nextLong(20_000_000));
        if (refusals > 0) {
            refusals--;
            simulation.event("replica " + replica + " cannot be loaded");
            throw new IllegalStateException("it cannot be loaded");
        }
        simulation.event("replica " + replica + " is loaded");
        return open(replica);
    }

    private LoadedEngine open(int replica) {
        EngineOptions options =
                ChangedOptions.withShardPatience(
                        new EngineOptions(
                                EngineOptions.Capacity.of(
                                        SimulatedModel.CONTEXT,
                                        choices.nextInt(1, 4),
                                        KvSlotSpan.BLOCK * choices.nextInt(3, 8)),
                                64),
                        PATIENCE);
        if (choices.nextBoolean()) {
            options =
                    ChangedOptions.withHostCache(
                            options, new HostCacheOptions(model.layout(), 200_000));
        }
        SimulatedShard shard =
                new SimulatedShard(
                        model,
                        new LayerRange(0, SimulatedModel.LAYERS),
                        options,
                        new Object(),
                        faults);
        EngineCore engine =
                EngineCore.start(new ShardPipeline(List.of(shard)), model.shape(), options);
        return new LoadedEngine(engine, engine);
    }

    private void operate(EnginePool pool, SplittableRandom own) {
        int times = own.nextInt(1, 4);
        for (int i = 0; i < times; i++) {
            simulation.sleep(own.nextLong(60_000_000));
            switch (own.nextInt(5)) {
                case 0 -> {
                    simulation.event("an operator restarts a replica");
                    restarts++;
                    pool.restart(own.nextInt(count));
                }
                case 1, 2 -> drain(pool, own.nextInt(count), own);
                case 3 -> pool.clearCache().exceptionally(failure -> null).join();
                default -> pool.cacheEntries().exceptionally(failure -> List.of()).join();
            }
            pool.status();
        }
    }

    /** Drains a replica and resumes it; other faults may refuse the one or fail the other. */
    private void drain(EnginePool pool, int replica, SplittableRandom own) {
        ReplicaControl control = pool.replicaControl().orElseThrow();
        // Before the call, during which the drain takes effect.
        drains++;
        try {
            CompletableFuture<Void> drained = control.drain(replica);
            simulation.event("an operator drains replica " + replica);
            drained.join();
            simulation.sleep(own.nextLong(20_000_000));
            control.resume(replica).exceptionally(failure -> null).join();
        } catch (VarveException refused) {
            simulation.event("replica " + replica + " cannot be drained");
        }
    }

    /**
     * As long as there are fewer faults than replicas, one of them has the request. Drains alone
     * are no faults, since the last replica is never drained.
     */
    private boolean isExplained(VarveException error) {
        int faulty = faults.failedSteps() + faults.lost() + restarts;
        int wrong = faulty == 0 ? 0 : faulty + drains;
        return switch (error.kind()) {
            case BACKEND_FAILED ->
                    faults.failedSteps() > 0 && wrong >= count || faults.failedSteps() > 2;
            case UNAVAILABLE -> wrong >= count;
            default -> false;
        };
    }

    /** Figures of an engine that waits for its shard are up to 50 ms old. */
    private void assertIdle(EnginePool pool, SimulatedClients clients) {
        simulation.sleep(200_000_000);
        EngineStatus status = pool.status();
        assertEquals(0, status.load().waiting() + status.load().running(), status::toString);
        assertEquals(0, status.slots().running(), status::toString);
        assertEquals(clients.tokens(), status.counts().tokens().generated(), "tokens");
        for (int i = 0; i < count; i++) {
            assertEquals(
                    0, pool.replica(i).outstandingTokens().get(), "owed tokens of replica " + i);
        }
    }
}

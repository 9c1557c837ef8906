package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.RemoteConnectionTraffic.PayloadPath;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.Set;

class ShardValuesTest {
    @Test
    void trafficAddsUpAndKeepsTheLaterCarrier() {
        RemoteConnectionTraffic before = new RemoteConnectionTraffic(1, 2, PayloadPath.STREAM);

        RemoteConnectionTraffic sum =
                before.plus(new RemoteConnectionTraffic(10, 20, PayloadPath.SHARED));

        assertEquals(new RemoteConnectionTraffic(11, 22, PayloadPath.SHARED), sum);
    }

    @Test
    void memoryIsTheSumOfItsParts() {
        assertEquals(1111, new ShardMemory(1, 10, 100, 1000).total());
    }

    @Test
    void hostPagesAreNotDeviceMemory() {
        ShardMemory memory = new ShardMemory(1, 10, 100, 1000, 10_000);

        assertEquals(1111, memory.total());
        assertEquals(10_000, memory.hostPages());
        assertEquals(0, new ShardMemory(1, 10, 100, 1000).hostPages());
    }

    @Test
    void readyShardHasNoReasonAndNothingToLoad() {
        assertEquals(
                new ShardHealth(ShardHealth.State.READY, Optional.empty(), 0, Optional.empty()),
                ShardHealth.ready());
        assertEquals(3, ShardHealth.ready(3).restarts());
    }

    @Test
    void shardsOfEqualIdentityShareAUnit() {
        Object cores = new Object();

        ComputeResource all = new ComputeResource(cores);

        assertTrue(all.sharesWith(new ComputeResource(cores)));
        assertFalse(all.sharesWith(new ComputeResource(new Object())));
        assertTrue(all.sharesWith(all.only(Set.of(1))));
        assertTrue(all.only(Set.of(0, 1)).sharesWith(all.only(Set.of(1, 2))));
        assertFalse(all.only(Set.of(0, 1)).sharesWith(all.only(Set.of(2, 3))));
    }

    @Test
    void shardsWithExpertsOnOneUnitShareIt() {
        Object cores = new Object();
        ComputeResource cpu = new ComputeResource(cores).only(Set.of(0));
        ComputeResource one = new ComputeResource(new Object()).and(List.of(cores));
        ComputeResource other = new ComputeResource(new Object()).and(List.of(cores));

        assertTrue(one.sharesWith(cpu));
        assertTrue(cpu.sharesWith(one));
        assertTrue(one.sharesWith(other));
        assertFalse(one.sharesWith(new ComputeResource(new Object())));
        assertFalse(cpu.and(List.of(cores)).sharesWith(cpu.only(Set.of(1))));
    }

    @Test
    void hostActivationHasFourBytesPerValue() {
        HostActivations boundary = new HostActivations(new float[12], 3);

        assertEquals(48, boundary.bytes());
        assertEquals(3, boundary.tokens());
    }
}

package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicInteger;

class WeightUsersTest {
    private final AtomicInteger freed = new AtomicInteger();
    private final WeightUsers users = new WeightUsers(freed::incrementAndGet);

    @Test
    void theLastShardFreesTheWeightsOnce() {
        assertTrue(users.addShard());
        assertEquals(2, users.shards());

        users.removeShard();
        assertEquals(0, freed.get());

        users.removeShard();
        users.removeShard();
        assertEquals(1, freed.get());
        assertFalse(users.addShard());
        assertFalse(users.addEncoder());
    }

    @Test
    void anEncoderKeepsTheWeightsButIsNoShard() {
        assertTrue(users.addEncoder());
        assertEquals(1, users.shards());

        users.removeShard();
        assertEquals(0, freed.get());
        assertTrue(users.addShard());
        users.removeShard();

        users.removeEncoder();
        assertEquals(1, freed.get());
    }
}

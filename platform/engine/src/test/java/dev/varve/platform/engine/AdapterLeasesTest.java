package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.lora.LoraScales;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CompletableFuture;

class AdapterLeasesTest {
    private static final LoraScales FIRST = new LoraScales(List.of(0.5f, 0f));
    private static final LoraScales ADDED = new LoraScales(List.of(0f, 0f, 1f), digests("x"));

    /** Adapter 0 counts by default, adapter 1 does not. */
    private final AdapterLeases leases = new AdapterLeases(List.of(1f, 0f));

    private static List<String> digests(String third) {
        return List.of("", "", third);
    }

    private void requireRefused(LoraScales scales) {
        VarveException refused = assertThrows(VarveException.class, () -> leases.acquire(scales));

        assertEquals(VarveException.Kind.INVALID_REQUEST, refused.kind());
    }

    @Test
    void anAdapterIsFreeWhenTheLastRequestHasEnded() {
        AdapterLeases.Lease one = leases.acquire(FIRST);
        AdapterLeases.Lease two = leases.acquire(LoraScales.AS_LOADED);

        CompletableFuture<Void> unused = leases.retire(0);

        one.close();
        one.close();
        assertFalse(unused.isDone(), "a lease that is closed twice ends once");
        two.close();
        assertTrue(unused.isDone());
    }

    @Test
    void anUnusedAdapterIsFreeAtOnce() {
        leases.acquire(new LoraScales(List.of(0f, 0f)));

        assertTrue(leases.retire(0).isDone());
        assertTrue(leases.retire(1).isDone());
    }

    @Test
    void laterRequestsCannotUseARemovedAdapter() {
        leases.acquire(FIRST);
        leases.retire(0);

        requireRefused(FIRST);
        requireRefused(LoraScales.AS_LOADED);
        leases.acquire(new LoraScales(List.of(0f, 1f)));
    }

    @Test
    void anAdapterWithoutScaleMayBeRemovedUnnoticed() {
        leases.retire(1);

        leases.acquire(LoraScales.AS_LOADED);
    }

    @Test
    void aNumberIsGivenAgainOnlyWhenItIsFree() {
        assertEquals(2, leases.unusedNumber());
        leases.add(2, "x");
        AdapterLeases.Lease lease = leases.acquire(ADDED);
        leases.retire(2);
        assertEquals(3, leases.unusedNumber());

        lease.close();
        leases.forget(2);

        assertEquals(2, leases.unusedNumber());
    }

    @Test
    void numbersOfLoadedAdaptersAreNotGivenAgain() {
        leases.retire(0);
        leases.forget(0);

        assertEquals(2, leases.unusedNumber());
    }

    @Test
    void anotherContentUnderTheSameNumberIsNotUsed() {
        leases.add(2, "y");

        requireRefused(ADDED);
        requireRefused(new LoraScales(List.of(0f, 0f, 1f)));
        leases.acquire(new LoraScales(List.of(0f, 0f, 1f), digests("y")));
    }

    @Test
    void aRequestThatIsRefusedHoldsNothing() {
        leases.retire(1);
        requireRefused(new LoraScales(List.of(1f, 1f)));

        assertTrue(leases.retire(0).isDone());
    }

    @Test
    void anAdapterIsRemovedOnce() {
        leases.retire(0);

        assertThrows(VarveException.class, () -> leases.retire(0));
        assertThrows(VarveException.class, () -> leases.retire(7));
    }
}

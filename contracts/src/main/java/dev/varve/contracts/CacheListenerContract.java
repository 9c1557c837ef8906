package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;
import dev.varve.api.event.CacheEvent;
import dev.varve.api.event.CacheListener;
import dev.varve.api.event.CacheListenerAddress;
import dev.varve.api.event.CacheListenerProvider;
import dev.varve.api.event.CacheMedium;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Contract of {@link CacheListener} while there is no subscriber. */
@Timeout(60)
public abstract class CacheListenerContract {
    private static final int BLOCK = 16;

    /** For extending classes. */
    protected CacheListenerContract() {}

    /** Creates a new provider. */
    protected abstract CacheListenerProvider provider();

    /** Returns an address that is not in use, a new one at each call. */
    protected abstract String freeAddress();

    /** Returns an invalid address with the provider's scheme. */
    protected abstract String wrongAddress();

    private static CacheListenerAddress at(String publish, Optional<String> replay) {
        return new CacheListenerAddress(publish, replay, "pod-1", "some/model", BLOCK);
    }

    private CacheListener open(String publish) {
        return provider().open(at(publish, Optional.empty()));
    }

    private VarveException refused(CacheListenerAddress address) {
        VarveException refusal =
                assertThrows(VarveException.class, () -> provider().open(address).close());
        ProviderRules.requireLine(refusal);
        return refusal;
    }

    @Test
    void providerConstructorIsCheapAndItsNameIsAWord() {
        ProviderRules.requireCheap(this::provider);
        ProviderRules.requireWord(provider().scheme());
        assertEquals(provider().scheme(), provider().scheme(), "another scheme each time");
    }

    @Test
    void eachEventKindIsAcceptedAlsoWithoutSubscribers() {
        try (CacheListener listener = open(freeAddress())) {
            listener.heard(
                    List.of(
                            new CacheEvent.Stored(
                                    1, OptionalLong.empty(), new int[BLOCK], CacheMedium.DEVICE),
                            new CacheEvent.Stored(
                                    -2, OptionalLong.of(1), new int[BLOCK], CacheMedium.HOST)));
            listener.heard(List.of(new CacheEvent.Removed(-2, CacheMedium.HOST)));
            listener.heard(List.of(new CacheEvent.Cleared()));
        }
    }

    @Test
    void addressIsFreeAfterItsListenerIsClosed() {
        String address = freeAddress();
        open(address).close();

        assertDoesNotThrow(() -> open(address).close());
    }

    @Test
    void addressInUseIsRefused() {
        String address = freeAddress();
        try (CacheListener first = open(address)) {
            VarveException refusal = refused(at(address, Optional.empty()));

            assertEquals(VarveException.Kind.UNAVAILABLE, refusal.kind());
            first.heard(List.of(new CacheEvent.Cleared()));
        }
    }

    @Test
    void failedOpenFreesItsResources() {
        String publish = freeAddress();
        String taken = freeAddress();
        try (CacheListener first = open(taken)) {
            refused(at(publish, Optional.of(taken)));

            open(publish).close();
            first.heard(List.of(new CacheEvent.Cleared()));
        }
    }

    @Test
    void invalidAddressIsRefused() {
        VarveException publish = refused(at(wrongAddress(), Optional.empty()));
        VarveException replay = refused(at(freeAddress(), Optional.of(wrongAddress())));

        assertEquals(VarveException.Kind.INVALID_REQUEST, publish.kind(), publish.getMessage());
        assertEquals(VarveException.Kind.INVALID_REQUEST, replay.kind(), replay.getMessage());
    }
}

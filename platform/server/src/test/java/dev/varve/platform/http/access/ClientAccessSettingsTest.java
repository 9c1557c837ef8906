package dev.varve.platform.http.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Set;

class ClientAccessSettingsTest {
    private static String refusal(Executable use) {
        VarveException refusal = assertThrows(VarveException.class, use);
        assertEquals(VarveException.Kind.INVALID_REQUEST, refusal.kind());
        return refusal.getMessage();
    }

    @Test
    void withoutAKeyOnlyLoopbackIsAllowed() {
        ListenAddress open = new ListenAddress("0.0.0.0", 80);

        String message = refusal(() -> ClientAccessSettings.LOCAL.requireFor(open));

        assertTrue(message.startsWith("{setting:host} 0.0.0.0 is reachable from other"), message);
        ClientAccessSettings.LOCAL.requireFor(new ListenAddress("localhost", 80));
        ClientAccessSettings.LOCAL.requireFor(new ListenAddress("::1", 80));
        new ClientAccessSettings(
                        Set.of(),
                        ClientAccessSettings.KeylessListening.ANYWHERE,
                        CorsAndHostOptions.NONE)
                .requireFor(open);
        new ClientAccessSettings(
                        Set.of("k"),
                        ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                        CorsAndHostOptions.NONE)
                .requireFor(open);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    void emptyKeyIsRefused(String key) {
        assertEquals(
                "{setting:apiKey}: expected a key, found an empty one",
                refusal(
                        () ->
                                new ClientAccessSettings(
                                        Set.of("good", key),
                                        ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                        CorsAndHostOptions.NONE)));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 65536})
    void portHasSixteenBits(int port) {
        assertEquals(
                "{setting:port}: expected 0 to 65535, found " + port,
                refusal(() -> new ListenAddress("localhost", port)));
    }

    @Test
    void originsAreNormalized() {
        assertTrue(
                refusal(() -> new CorsAndHostOptions(Set.of("chat.example"), Set.of()))
                        .startsWith(
                                "{setting:corsOrigin}: expected the form of https://chat.example"));
        assertTrue(
                refusal(() -> new CorsAndHostOptions(Set.of(), Set.of("http://a/b")))
                        .startsWith("{setting:allowedHost}: expected the form of chat.example"));
    }

    @Test
    void keyScopeDoesNotRevealTheKey() {
        Caller caller = Caller.withKey("secret");

        assertEquals(caller, Caller.withKey("secret"));
        assertNotEquals(caller, Caller.withKey("Secret"));
        assertNotEquals(caller, Caller.ANONYMOUS);
        assertFalse(caller.toString().contains("secret"), caller.toString());
    }
}

package dev.varve.api.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

class TransportOptionsTest {
    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void nonPositiveLimitIsRefused(long seconds) {
        Duration limit = Duration.ofSeconds(seconds);

        String message =
                assertThrows(IllegalArgumentException.class, () -> limited(limit)).getMessage();

        assertEquals("connect limit must be positive, got " + limit, message);
    }

    @Test
    void tokenIsNeverShown() {
        TransportOptions options = TransportOptions.defaults().withToken("very secret");

        assertEquals(Optional.of("very secret"), options.token());
        assertFalse(options.toString().contains("very secret"), options.toString());
        assertTrue(options.toString().contains("token=set"), options.toString());
        assertTrue(TransportOptions.defaults().toString().contains("token=none"));
    }

    @Test
    void defaultTrustsNobodyAndAllowsPlainTextOnLoopbackOnly() {
        TransportOptions options = TransportOptions.defaults();

        assertEquals(Optional.empty(), options.identity());
        assertEquals(Optional.empty(), options.trusted());
        assertFalse(options.insecure());
        assertEquals(Duration.ofSeconds(10), options.connectLimit());
    }

    @Test
    void identityNeedsBothFiles() {
        Path file = Path.of("server.pem");

        assertThrows(NullPointerException.class, () -> new TransportOptions.Identity(file, null));
        assertThrows(NullPointerException.class, () -> new TransportOptions.Identity(null, file));
    }

    private static TransportOptions limited(Duration limit) {
        return new TransportOptions(
                limit, Optional.empty(), Optional.empty(), Optional.empty(), false);
    }
}

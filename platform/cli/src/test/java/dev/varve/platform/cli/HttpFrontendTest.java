package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.HttpOptions;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.intake.IngressLimits;

import org.junit.jupiter.api.Test;

import java.util.Set;

class HttpFrontendTest {
    /** Not only when the server listens, after the model and its draft were planned. */
    @Test
    void missingAddressIsReportedAtOnce() {
        HttpOptions options =
                new HttpOptions(
                        new ListenAddress("[::g]", 0),
                        new ClientAccessSettings(
                                Set.of("key"),
                                ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                CorsAndHostOptions.NONE),
                        IngressLimits.DEFAULT);

        VarveException failure =
                assertThrows(VarveException.class, () -> new HttpFrontend(options).close());

        assertEquals(VarveException.Kind.UNAVAILABLE, failure.kind());
        assertTrue(failure.getMessage().endsWith(": no such address: [::g]"), failure.getMessage());
    }

    @Test
    void theReasonOfAServerThatCannotBePreparedIsReported() {
        HttpOptions options =
                new HttpOptions(
                        // Invalid without a request to a name server.
                        new ListenAddress("[::g]", 0),
                        new ClientAccessSettings(
                                Set.of("key"),
                                ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                CorsAndHostOptions.NONE),
                        IngressLimits.DEFAULT);

        VarveException failure =
                assertThrows(
                        VarveException.class,
                        () -> {
                            try (HttpFrontend server = new HttpFrontend(options)) {
                                server.open();
                            }
                        });

        assertTrue(failure.getMessage().endsWith(": no such address: [::g]"), failure.getMessage());
        assertEquals(0, failure.getSuppressed().length);
    }
}

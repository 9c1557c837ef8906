package dev.varve.platform.intake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

class ClientTimeoutsTest {
    private static final ClientTimeouts PACE =
            new ClientTimeouts(
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(10),
                    1000,
                    Duration.ofSeconds(100),
                    Duration.ofSeconds(30));

    @ParameterizedTest
    @CsvSource({
        "0, 0, false",
        "0, 9999, false",
        "0, 10000, true",
        "1, 10000, false",
        "6, 10100, true",
        "999, 11000, true",
        "1000, 11000, false",
        "89999, 99999, false",
        "1000000000, 99999, false",
        "1000000000, 100000, true"
    })
    void bodyHasAStartARateAndAnEnd(long bytes, long millis, boolean tooSlow) {
        assertEquals(tooSlow, PACE.isTooSlow(bytes, millis * 1_000_000));
    }
}

package dev.varve.platform.intake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

class IngressLimitsTest {
    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void limitsArePositive(int limit) {
        assertEquals(
                "{setting:maxBody}: expected 1 or more bytes, found " + limit,
                assertThrows(
                                IllegalArgumentException.class,
                                () -> IngressLimits.DEFAULT.withBodyBytes(limit))
                        .getMessage());
        assertEquals(
                "{setting:maxConnections}: expected 1 or more, found " + limit,
                assertThrows(
                                IllegalArgumentException.class,
                                () -> IngressLimits.DEFAULT.withConnectionsPerClient(limit))
                        .getMessage());
    }

    @Test
    void eachChangeKeepsTheOthers() {
        IngressLimits changed =
                IngressLimits.DEFAULT
                        .withBodyBytes(1)
                        .withConnectionsPerClient(2)
                        .withBodyMemoryBytes(3)
                        .withMemoryTimeout(Duration.ofSeconds(4));

        assertEquals(
                new IngressLimits(1, 2, 3, ClientTimeouts.DEFAULT, Duration.ofSeconds(4)), changed);
    }

    @ParameterizedTest
    @CsvSource({
        "192.168.1.5, 192.168.1.5, true",
        "192.168.1.5, 192.168.1.6, false",
        "2001:db8:1:2::5, 2001:db8:1:2:ffff::6, true",
        "2001:db8:1:2::5, 2001:db8:1:3::5, false",
        "::1, ::1, true"
    })
    void ipv6NetworkIsOneClient(String one, String other, boolean same) {
        assertEquals(same, client(one).equals(client(other)));
    }

    private static ClientAddress client(String literal) {
        return ClientAddress.of(new InetSocketAddress(InetAddress.ofLiteral(literal), 1234));
    }

    @Test
    void clientsWithoutAnAddressAreOneClient() {
        assertEquals(
                ClientAddress.of(InetSocketAddress.createUnresolved("a.example", 1)),
                ClientAddress.of(InetSocketAddress.createUnresolved("b.example", 2)));
    }

    @Test
    void onlyABusyServerAllowsARetry() {
        assertTrue(IngressException.busy("full").isTemporary());
        for (IngressException refusal :
                List.of(
                        IngressException.tooLarge(5),
                        IngressException.tooSlow(5),
                        IngressException.unframed())) {
            assertFalse(refusal.isTemporary(), refusal.getMessage());
        }
        assertEquals(413, IngressException.tooLarge(5).status());
        assertEquals("request_timeout", IngressException.tooSlow(5).code());
    }

    @Test
    void bodyIsReservedOnceAndReleasedByItsHolder() {
        int[] releases = {0};
        RequestBody body = new RequestBody(new byte[] {1, 2}, () -> releases[0]++);

        assertArrayEquals(new byte[] {1, 2}, body.take());
        assertEquals(0, body.take().length);
        assertEquals(0, releases[0]);
        body.release();
        assertEquals(1, releases[0]);
    }
}

package dev.varve.plugin.grpc.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"box:7700", "gpu-1.example.com:1", "10.0.0.1:65535", "[::1]:7700", "a:0"})
    void addressesRoundTrip(String address) {
        assertEquals("grpc:" + address, HostPort.parse(address).toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "box",
                ":7700",
                "box:",
                "box:65536",
                "box:-1",
                "box:+1",
                "box:77 00",
                "::1:7700",
                "[box]:7700",
                "[::1:7700",
                "a/b:7700",
                "a@b:7700",
                "box:123456789012"
            })
    void otherTextIsRefused(String address) {
        VarveException e = assertThrows(VarveException.class, () -> HostPort.parse(address));

        assertEquals(VarveException.Kind.INVALID_REQUEST, e.kind());
        assertEquals(
                "grpc:" + address + ": expected grpc:HOST:PORT or grpc:[IPV6]:PORT",
                e.getMessage());
    }

    @Test
    void portZeroIsRefusedForConnections() {
        assertThrows(VarveException.class, () -> HostPort.parseTarget("box:0"));
    }
}

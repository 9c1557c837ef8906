package dev.varve.platform.http.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostNameTest {
    @ParameterizedTest
    @CsvSource({
        "Example.COM, example.com",
        "example.com., example.com",
        "example.com:8080, example.com",
        "example.com.:8080, example.com",
        "127.0.0.1:80, 127.0.0.1",
        "[::1], ::1",
        "[::1]:8080, ::1",
        "::1, ::1",
        "[::1, [::1"
    })
    void portsBracketsAndDotsAreRemoved(String authority, String name) {
        assertEquals(name, HostName.of(authority).text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost", "a.localhost", "127.8.9.10", "[::1]", "[::ffff:127.0.0.1]"})
    void loopbackHasManyNames(String authority) {
        assertTrue(HostName.of(authority).isLoopback());
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost.example", "notlocalhost", "128.0.0.1", "[::2]", ""})
    void similarNamesAreNotLoopback(String authority) {
        assertFalse(HostName.of(authority).isLoopback());
    }

    @ParameterizedTest
    @CsvSource({
        "box, true",
        "box.local, true",
        "a.box.internal, true",
        "box.home.arpa, true",
        "10.0.0.1, true",
        "[2001:db8::1]:80, true",
        "box.example, false",
        "local, true",
        "evillocal.example, false",
        "'', false"
    })
    void localNameCannotBeOwnedByStrangers(String authority, boolean local) {
        assertEquals(local, HostName.of(authority).isLocal());
    }
}

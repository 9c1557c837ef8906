package dev.varve.platform.http.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WebOriginTest {
    @ParameterizedTest
    @CsvSource({
        "HTTPS://Chat.Example, https://chat.example",
        "https://chat.example:443, https://chat.example",
        "http://chat.example.:80, http://chat.example",
        "http://chat.example:443, http://chat.example:443",
        "http://[::1]:80, http://[::1]",
        "chrome-extension://AbC, chrome-extension://abc",
        "null, null",
        "*, *"
    })
    void originsAreComparedInNormalForm(String origin, String form) {
        assertEquals(form, WebOrigin.of(origin).text());
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost, localhost:80, true",
        "http://localhost:8080, LOCALHOST.:8080, true",
        "https://localhost, localhost:443, true",
        "http://localhost:8080, localhost, false",
        "http://localhost, localhost:8080, false",
        "null, localhost, false",
        "localhost, localhost, false"
    })
    void originIsOwnIfHostAndPortAgree(String origin, String host, boolean own) {
        assertEquals(own, WebOrigin.of(origin).isOf(host));
    }
}

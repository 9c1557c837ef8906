package dev.varve.platform.http.fetch;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.vision.InvalidImageException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.util.List;

class AllowedHostsTest {
    private static void require(String host, String url) {
        AllowedHosts.parse(List.of(host)).requireAllowed(ImageUrl.parse(url));
    }

    @ParameterizedTest
    @CsvSource({
        "a.example, http://a.example/x.png",
        "a.example, https://A.EXAMPLE./x.png",
        "A.example, https://a.example:443/x.png",
        "a.example:8080, http://a.example:8080/x.png",
        "*.example, https://b.a.example/x.png",
        "*, https://b.a.example",
        "10.0.0.1, http://10.0.0.1/x.png",
        "[::1]:80, http://[0:0:0:0:0:0:0:1]/x.png",
    })
    void listedHostsAreAllowed(String host, String url) {
        assertDoesNotThrow(() -> require(host, url));
    }

    @ParameterizedTest
    @CsvSource({
        "a.example, http://b.example/x.png",
        "a.example, http://a.example.evil/x.png",
        "a.example, http://xa.example/x.png",
        "a.example, http://a.example:8080/x.png",
        "a.example:8080, http://a.example/x.png",
        "*.example, https://example/x.png",
        "*.example, https://xexample/x.png",
        "*, https://a.example:22/",
        "a.example, https://a.example@b.example/",
        "a.example, https://b.example#a.example",
        "a.example, ftp://a.example/x.png",
        "a.example, 'https://a.example/a b'",
        "a.example, https:///x.png",
        "a.example, https://a.example:99999/",
    })
    void othersAreRefused(String host, String url) {
        assertThrows(InvalidImageException.class, () -> require(host, url));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "http://a",
                "a/b",
                "a:",
                "a:0",
                "a:70000",
                "*=private",
                "a=public",
                "a b"
            })
    void malformedHostsAreNamed(String host) {
        assertEquals(
                "expected HOST, HOST:PORT or HOST=private, found " + host,
                assertThrows(
                                IllegalArgumentException.class,
                                () -> AllowedHosts.parse(List.of(host)))
                        .getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "a.example, https://a.example, false",
        "*, https://a.example, false",
        "a.example=private, https://a.example, true",
        "*.example=private, https://a.example, true",
        "10.0.0.1, http://10.0.0.1, true",
        "*, http://10.0.0.1, false",
    })
    void otherAddressesNeedAMark(String host, String url, boolean allowed) {
        AllowedHosts hosts = AllowedHosts.parse(List.of(host));
        List<InetAddress> addresses =
                List.of(InetAddress.ofLiteral("8.8.8.8"), InetAddress.ofLiteral("10.0.0.1"));

        if (allowed) {
            hosts.requireAllowed(ImageUrl.parse(url), addresses);
        } else {
            InvalidImageException refused =
                    assertThrows(
                            InvalidImageException.class,
                            () -> hosts.requireAllowed(ImageUrl.parse(url), addresses));
            assertTrue(refused.getMessage().contains("is not public"), refused.getMessage());
        }
    }

    @Test
    void targetKeepsEscapesAndQuery() {
        ImageUrl url = ImageUrl.parse("https://a.example/x%20y/\u00e4.png?b=%2F#c");

        assertEquals("/x%20y/%C3%A4.png?b=%2F", url.target());
    }
}

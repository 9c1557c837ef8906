package dev.varve.platform.hub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.util.Map;

class ProxyVariablesTest {
    private static final Map<String, String> VARIABLES =
            Map.of(
                    "https_proxy", "http://secure:3128",
                    "HTTP_PROXY", "plain:8080/",
                    "no_proxy", "localhost, .internal.example,10.0.0.1");

    @ParameterizedTest
    @CsvSource({
        "https://huggingface.co/x, secure, 3128",
        "http://mirror/x, plain, 8080",
    })
    void theProxyOfTheSchemeIsUsed(URI uri, String host, int port) {
        Proxy proxy = new ProxyVariables(VARIABLES).select(uri).getFirst();

        assertEquals(InetSocketAddress.createUnresolved(host, port), proxy.address());
    }

    @ParameterizedTest
    @CsvSource({
        "https://localhost/",
        "https://a.internal.example/",
        "https://internal.example/",
        "http://10.0.0.1/",
    })
    void excludedHostsAreReachedDirectly(URI uri) {
        assertEquals(Proxy.NO_PROXY, new ProxyVariables(VARIABLES).select(uri).getFirst());
    }

    @Test
    void allHostsCanBeExcluded() {
        ProxyVariables all = new ProxyVariables(Map.of("all_proxy", "http://p", "NO_PROXY", "*"));

        assertEquals(Proxy.NO_PROXY, all.select(URI.create("https://host/")).getFirst());
    }

    @ParameterizedTest
    @CsvSource({"http://LOCALHOST/", "http://127.0.0.1:80/", "http://[::1]/"})
    void thisMachineIsReachedDirectly(URI uri) {
        ProxyVariables all = new ProxyVariables(Map.of("all_proxy", "http://p"));

        assertEquals(Proxy.NO_PROXY, all.select(uri).getFirst());
    }

    @Test
    void aProxyOfAnotherFormIsRefused() {
        ProxyVariables socks = new ProxyVariables(Map.of("all_proxy", "socks5://host:1080"));

        assertThrows(
                IllegalArgumentException.class, () -> socks.select(URI.create("https://host/")));
    }
}
